/** Fields that name an object, and the walk over a body that finds what it names. */
import * as v from "valibot"
import { uuid } from "./fields.ts"
import { kindsOf, type ObjectKind, type Referable } from "../objects/objects.ts"
import { partsOf, type Refers, saidOf, walking } from "./parts.ts"
import { pointer } from "./validation.ts"

type Rules = Pick<Refers, "of" | "not">

const refersTo = (refers: Refers) => v.pipe(uuid, v.metadata({ refersTo: refers }))

/** The id of an object of one kind, or of one of several: an exact reference. */
export const ref = (named: Referable | Refers["named"], rules: Rules = {}) =>
  refersTo({ named: typeof named === "string" ? [named] : named, isSubject: false, ...rules })

/** The id of the object, of one kind or of one of several, that a write or read is about. */
export const subject = (...named: Refers["named"]) => refersTo({ named, isSubject: true })

/** What a body names at one place. */
export interface Named {
  readonly refers: Refers
  readonly id: string
  /** A JSON Pointer. */
  readonly path: string
  /** The object that holds it, for rules that look beside it. */
  readonly beside: Readonly<Record<string, unknown>>
}

const find = walking<Named>((part) => {
  const { refersTo: refers } = saidOf(part)
  return (
    refers && {
      look(value, path, found, beside) {
        if (typeof value === "string") found.push({ refers, id: value, path: pointer(path), beside })
      },
    }
  )
})

/** What was looked through last: a write is asked for what it names once before it is admitted, and once after. */
let latest: { readonly schema: unknown; readonly body: unknown; readonly found: readonly Named[] } | undefined

/** Everything that a checked body names, in the order of its schema. */
export function namedIn(schema: v.GenericSchema, body: unknown): readonly Named[] {
  if (latest !== undefined && latest.schema === schema && latest.body === body) return latest.found
  const found = find(schema, body)
  latest = { schema, body, found }
  return found
}

/** What the fields of a schema name, each with its own name, at whatever depth. */
export const refersIn = (schema: v.GenericSchema): { readonly name: string; readonly refers: Refers }[] =>
  [...partsOf(schema)].flatMap(({ part, name }) => {
    const { refersTo: refers } = saidOf(part)
    return refers === undefined ? [] : [{ name, refers }]
  })

/** The kinds of object that a field may name. */
export const kindsIn = ({ named }: Refers): ObjectKind[] => named.flatMap(kindsOf)
