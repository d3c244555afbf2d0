/** Fields that name an object, and the walk that finds what a body names. */
import * as v from "valibot"
import { uuid } from "./fields.ts"
import { kindsOf, type ObjectKind, type Referable } from "../objects/objects.ts"
import { partsOf, type Refers, metadataOf, walker } from "./parts.ts"
import { pointer } from "./validation.ts"

type Rules = Pick<Refers, "of" | "not">

const refersTo = (refers: Refers) => v.pipe(uuid, v.metadata({ refersTo: refers }))

/** The id of an object of one kind, or of one of several: an exact reference. */
export const ref = (named: Referable | Refers["named"], rules: Rules = {}) =>
  refersTo({ named: typeof named === "string" ? [named] : named, isSubject: false, ...rules })

/** The id of the object that a write or read is about, of one kind or of one of several. */
export const subject = (...named: Refers["named"]) => refersTo({ named, isSubject: true })

/** A reference in a body. */
export interface Named {
  readonly refers: Refers
  readonly id: string
  /** A JSON Pointer. */
  readonly path: string
  /** The object that holds it, for rules about its siblings. */
  readonly siblings: Readonly<Record<string, unknown>>
}

const find = walker<Named>((part) => {
  const { refersTo: refers } = metadataOf(part)
  return (
    refers && {
      visit(value, path, found, siblings) {
        if (typeof value === "string") found.push({ refers, id: value, path: pointer(path), siblings })
      },
    }
  )
})

/** The last result: a write needs its references once before it is admitted, and once after. */
let latest: { readonly schema: unknown; readonly body: unknown; readonly found: readonly Named[] } | undefined

/** Everything that a checked body names, in the order of its schema. */
export function namedIn(schema: v.GenericSchema, body: unknown): readonly Named[] {
  if (latest !== undefined && latest.schema === schema && latest.body === body) return latest.found
  const found = find(schema, body)
  latest = { schema, body, found }
  return found
}

/** The references in a schema, at any depth, each with the name of its field. */
export const refersIn = (schema: v.GenericSchema): { readonly name: string; readonly refers: Refers }[] =>
  [...partsOf(schema)].flatMap(({ part, name }) => {
    const { refersTo: refers } = metadataOf(part)
    return refers === undefined ? [] : [{ name, refers }]
  })

/** The kinds of object that a field may name. */
export const kindsIn = ({ named }: Refers): ObjectKind[] => named.flatMap(kindsOf)
