/** Cases that once failed, as the bytes sent: replayed first in each run. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Ground } from "./ground.ts"
import { type Shot, shot } from "./shot.ts"
import { targets } from "./targets.ts"
import type { Ending } from "./wire.ts"

/**
 * The stored form. `text` is latin-1, with `{{host}}`, `{{origin}}` and the names of credentials and keys where they
 * differ in each run.
 */
export interface Kept {
  readonly name: string
  /** What was wrong, and when it was found. */
  readonly was: string
  readonly target: string | null
  readonly path: string | null
  readonly methods: readonly string[]
  readonly isSound: boolean
  readonly ending: Ending
  readonly text: string
}

function places({ host, baseUrl, cast, proofs, spare }: Ground): (readonly [name: string, value: string])[] {
  return [
    ...Object.entries({ ...cast.credentials, ...cast.keys }).map(
      ([name, { token }]) => [`{{${name}}}`, token] as const,
    ),
    ...proofs.session.map((cookie, index) => [`{{session ${index}}}`, cookie] as const),
    ["{{spare}}", spare],
    ...Object.entries(cast.rooms).flatMap(([name, { roomId, openingThreadId }]) => [
      [`{{room ${name}}}`, roomId] as const,
      [`{{thread ${name}}}`, openingThreadId] as const,
    ]),
    ["{{origin}}", baseUrl],
    ["{{host}}", host],
  ]
}

/** A case in the form for `seeds.json`. */
export function keep(ground: Ground, given: Shot, was: string): Kept {
  const text = Buffer.concat(given.pieces).toString("latin1")
  return {
    name: given.attack,
    was,
    target: given.target?.name ?? null,
    path: given.path,
    methods: given.methods,
    isSound: given.isSound,
    ending: given.ending,
    text: places(ground).reduce((made, [name, value]) => made.replaceAll(value, name), text),
  }
}

/** The stored cases, for a running service. */
export function corpus(ground: Ground): Shot[] {
  const kept = JSON.parse(readFileSync(join(import.meta.dirname, "seeds.json"), "utf8")) as Kept[]
  return kept.map(({ name, target, path, methods, isSound, ending, text }) =>
    shot({
      attack: `kept: ${name}`,
      target: targets.find((each) => each.name === target) ?? null,
      path,
      pieces: [
        Buffer.from(
          places(ground).reduce((made, [each, value]) => made.replaceAll(each, value), text),
          "latin1",
        ),
      ],
      methods,
      isSound,
      ending,
    }),
  )
}
