/**
 * Builds a correct request: its path with existing ids, and the headers that authorise it. Every attack starts from
 * one.
 */
import fc from "fast-check"
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import { known } from "./anchors.ts"
import { type Ground, proofLines } from "./ground.ts"
import type { Target } from "./targets.ts"

export interface Asked {
  readonly path: string
  /** Header lines. */
  readonly lines: readonly string[]
}

const nobodys = "0198f3a0-0000-7000-8000-00000000dead"

/** Picks the first items of a list often, the others rarely. */
const mostly = <T>(values: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...values.slice(0, 3)) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  )

/** The credentials that a target accepts. */
const proofsFor = (ground: Ground, target: Target): readonly string[] =>
  target.isOfAccounts ? [ground.spare] : ground.proofs[target.caller]

/** Paths and headers of a target, mostly correct. */
export function asked(ground: Ground, target: Target): fc.Arbitrary<Asked> {
  const anchors = target.caller === "session" && !(target.method === "GET") ? ground.people : ground.agents
  const names = pathNames(target.path)
  const values = names.map((name) => mostly([...known(anchors, name).map(String), nobodys].slice(0, 8)))
  return fc.tuple(fc.tuple(...values), mostly(proofsFor(ground, target))).map(([ids, proof]) => ({
    path: names.reduce(
      (path, name, index) => path.replace(`{${name}}`, encodeURIComponent(ids[index] as string)),
      target.path,
    ),
    lines: proofLines(target.caller, proof, ground.baseUrl, target.method),
  }))
}

/** One of several targets, with a correct request. */
export const askedAny = (
  ground: Ground,
  targets: readonly Target[],
): fc.Arbitrary<Asked & { readonly target: Target }> =>
  fc.oneof(...targets.map((target) => asked(ground, target).map((made) => ({ ...made, target }))))

/** A small body that a target accepts, with a fresh delivery id; null if it takes none. */
export function smallBody(target: Target): fc.Arbitrary<string | null> {
  if (target.example === null || typeof target.example !== "object") return fc.constant(null)
  const example = target.example
  const key = ["requestId", "clientMessageId"].find((name) => Object.hasOwn(example, name))
  return fc.uuid().map((id) => JSON.stringify(key === undefined ? example : { ...example, [key]: id }))
}
