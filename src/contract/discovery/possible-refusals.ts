/** Which refusals a route can answer with, worked out from what its definition says. */
import type { Action } from "../actions.ts"
import { uuid } from "../fields.ts"
import { type Operation, pathNames } from "../operation.ts"
import type { Read } from "../read.ts"
import type { Circumstance, RefusalSpec } from "../refusal-codes.ts"
import { type RefusalCode, refusals } from "../refusals.ts"
import { states } from "../states.ts"

const table = Object.entries(refusals) as [RefusalCode, RefusalSpec][]
const pathIds = new Set(table.flatMap(([, { path }]) => path ?? []))
const givenIds = new Set(table.flatMap(([, { given }]) => given ?? []))

interface Facts {
  readonly circumstances: readonly (Circumstance | false)[]
  readonly path: string
  /** The properties of the body, or the parameters of the query. */
  readonly given: readonly string[]
  /** What the definition itself lists. */
  readonly own: readonly RefusalCode[]
}

/** The codes that fit the facts, in the order of the table. */
function codes({ circumstances, path, given, own }: Facts): RefusalCode[] {
  const inPath = pathNames(path)
  const here = new Set(circumstances)
  here.add("any")
  if (!inPath.every((name) => pathIds.has(name))) here.add("subject")
  const fits = ([code, spec]: [RefusalCode, RefusalSpec]) =>
    own.includes(code) ||
    spec.when?.some((circumstance) => here.has(circumstance)) ||
    spec.path?.some((name) => inPath.includes(name)) ||
    spec.given?.some((name) => given.includes(name))
  return table.filter(fits).map(([code]) => code)
}

/** The parts of a validator that may hold others. */
interface Holder {
  readonly entries?: Readonly<Record<string, Holder>>
  readonly wrapped?: Holder
  readonly item?: Holder
  readonly value?: Holder
  readonly options?: readonly unknown[]
}

const isHolder = (part: unknown): part is Holder => typeof part === "object" && part !== null

/** The names under which a body holds ids, at whatever depth. */
function idNames(schema: Holder, name = ""): string[] {
  if ((schema as unknown) === uuid) return [name]
  const inside = [schema.wrapped, schema.item, schema.value, ...(schema.options ?? [])].filter(isHolder)
  return [
    ...Object.entries(schema.entries ?? {}).flatMap(([entry, inner]) => idNames(inner, entry)),
    ...inside.flatMap((inner) => idNames(inner, name)),
  ]
}

/** What an operation may be refused with, to an agent or, on its twin path, to a person in the browser. */
export function operationRefusals(operation: Operation, caller: "agent" | "browser"): RefusalCode[] {
  const { path, body, permissions, by, archived, expected, refusals: own, delivery } = operation
  const ids = idNames(body as unknown as Holder).filter((name) => name !== delivery)
  const steps = states.experiment.transitions.filter((transition) => transition.operation === operation.name)
  const subjects = new Set([...givenIds, ...own.flatMap((code) => (refusals[code] as RefusalSpec).path ?? [])])
  const agent = caller === "agent"
  const inRoom = pathNames(path).length > 0 || ids.length > 0
  return codes({
    circumstances: [
      "origin", "caller", "body", "query", "delivery",
      by !== "person" && "membership",
      (by === "owner" || steps.some((step) => step.by === "proposer")) && "role",
      agent && "scope",
      agent && permissions.length > 0 && "permission",
      ids.some((name) => !subjects.has(name)) && "reference",
      expected.length > 0 && "expectation",
      steps.length > 0 && "assignment",
    ],
    path,
    given: Object.keys(body.entries),
    own: inRoom && archived !== "admitted" ? [...own, archived] : own,
  })
}

export const actionRefusals = ({ path, body, by, refusals: own }: Action): RefusalCode[] =>
  codes({ circumstances: ["origin", "body", by === "person" && "caller"], path, given: Object.keys(body.entries), own })

export function readRefusals({ path, query, surface, refusals: own }: Read): RefusalCode[] {
  const ofRoom = pathNames(path).some((name) => givenIds.has(name))
  const credential = surface === "credential"
  const session = surface === "session"
  return codes({
    circumstances: ["query", (credential || session) && "caller", credential && "origin", credential && ofRoom && "scope", session && ofRoom && "membership"],
    path,
    given: Object.keys(query.entries),
    own,
  })
}

/** Codes by the statuses they come with, in order. */
export function byStatus(found: readonly RefusalCode[]): [status: number, codes: RefusalCode[]][] {
  const groups = new Map<number, RefusalCode[]>()
  for (const code of found) for (const status of refusals[code].status) groups.set(status, [...(groups.get(status) ?? []), code])
  return [...groups].sort(([one], [other]) => one - other)
}
