/** The ways in which a body goes wrong, or almost does: each of them changes one place of a value. */
import type { JsonSchema } from "../../src/contract/definitions/json-schema.ts"

/** Which place to spoil, in which way, and which variant of that way to use; each taken modulo the number available. */
export interface Spoiling {
  readonly place: number
  readonly way: number
  readonly pick: number
}

type Holder = Record<string, unknown>
/** A place in a value: `holder[name]`, and its schema. */
export interface Place {
  readonly holder: Holder
  readonly name: string
  readonly schema: JsonSchema
}

const isObject = (value: unknown): value is Holder =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const at = <T>(choices: readonly T[], pick: number): T => choices[pick % choices.length] as T
const put = (holder: Holder, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })

/** The form of a union that a value was made from, judged by its required properties. */
function formOf(schema: JsonSchema, value: unknown): JsonSchema {
  const forms = (schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined)) as
    | JsonSchema[]
    | undefined
  if (forms === undefined) return schema
  const fits = ({ properties = {}, required = [] }: JsonSchema) =>
    isObject(value) &&
    (required as string[]).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(properties as Holder).every(
      ([name, inner]) => !("const" in (inner as JsonSchema)) || (inner as JsonSchema).const === value[name],
    )
  return forms.find(fits) ?? (forms[0] as JsonSchema)
}

/** Every place of `holder[name]`, the outermost first. */
export function places(holder: Holder, name: string, given: JsonSchema): Place[] {
  const value = holder[name]
  const schema = formOf(given, value)
  const here: Place = { holder, name, schema: schema.type === undefined ? given : schema }
  if (Array.isArray(value))
    return [
      here,
      ...value.flatMap((_, index) =>
        places(value as unknown as Holder, String(index), (schema.items ?? {}) as JsonSchema),
      ),
    ]
  if (!isObject(value)) return [here]
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const others = isObject(schema.additionalProperties) ? schema.additionalProperties : {}
  return [
    here,
    ...Object.keys(value).flatMap((inner) =>
      places(value, inner, Object.hasOwn(properties, inner) ? (properties[inner] as JsonSchema) : others),
    ),
  ]
}

const oddities: readonly unknown[] = [
  null,
  true,
  "true",
  0,
  -0,
  1,
  1.5,
  -1,
  3,
  "3",
  2 ** 53,
  1e21,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  "",
  " ",
  "\u3000\n",
  "\u0000",
  "\uD800",
  "a\uDC00",
  "\u0085",
  "constructor",
  [],
  {},
  [null],
  [[]],
  { type: "text" },
  { "0": "a" },
]
const names: readonly string[] = [
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "",
  "a/b",
  "~0",
  "length",
  "x",
  "Scope",
  "ключ",
]
const fillers: readonly string[] = ["a", "𝔞", "é", " ", "\u3000", "👩‍🔬"]

/** A text with one of the lengths at a limit. */
function toLengthBound({ holder, name, schema }: Place, pick: number): void {
  if (schema.type !== "string") return
  const { minLength = 0, maxLength = 10 } = schema as { minLength?: number; maxLength?: number }
  const length = at([minLength - 1, minLength, maxLength, maxLength + 1], pick)
  put(holder, name, [...at(fillers, pick >> 2).repeat(Math.max(0, length))].slice(0, Math.max(0, length)).join(""))
}

/** A list with one of the lengths at a limit, its items repeated. */
function toItemBound({ holder, name, schema }: Place, pick: number): void {
  const value = holder[name]
  if (!Array.isArray(value) || value.length === 0) return
  const { minItems = 0, maxItems = 10 } = schema as { minItems?: number; maxItems?: number }
  const length = Math.max(0, at([minItems - 1, minItems, Math.min(maxItems, 60), Math.min(maxItems, 60) + 1], pick))
  put(
    holder,
    name,
    Array.from({ length }, (_, index) => structuredClone(value[index % value.length])),
  )
}

function toNumberBound({ holder, name, schema }: Place, pick: number): void {
  if (typeof holder[name] !== "number") return
  const { minimum = 0, maximum = 10 } = schema as { minimum?: number; maximum?: number }
  put(
    holder,
    name,
    at([minimum - 1, minimum, minimum + 0.5, maximum, maximum + 1, -minimum, 1e-7, Number.POSITIVE_INFINITY], pick),
  )
}

const edited =
  (change: (text: string, pick: number) => string) =>
  ({ holder, name }: Place, pick: number): void => {
    const value = holder[name]
    if (typeof value === "string") put(holder, name, change(value, pick))
  }
const insert = (text: string, pick: number, added: string) => {
  const middle = pick % (text.length + 1)
  return `${text.slice(0, middle)}${added}${text.slice(middle)}`
}

function withUnknown({ holder, name }: Place, pick: number): void {
  const value = holder[name]
  if (!isObject(value)) return
  for (let index = 0; index <= pick % 3; index++)
    put(value, at(names, pick + index), structuredClone(at(oddities, pick)))
}

function renamed({ holder, name }: Place, pick: number): void {
  if (Array.isArray(holder)) return
  put(holder, at(names, pick), holder[name])
  delete holder[name]
}

function removed({ holder, name }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(name), 1)
  else delete holder[name]
}

function repeated({ holder, name }: Place, pick: number): void {
  const value = holder[name]
  if (!Array.isArray(value) || value.length === 0) return
  const item = structuredClone(at(value, pick))
  value.push(typeof item === "string" && pick % 2 === 1 ? item.toUpperCase() : item)
}

const ways: readonly ((place: Place, pick: number) => void)[] = [
  ({ holder, name }, pick) => put(holder, name, structuredClone(at(oddities, pick))),
  toLengthBound,
  toItemBound,
  toNumberBound,
  edited((text) => text.toUpperCase()),
  edited((text, pick) => insert(text, pick, at(["\u0000", "\uD800", "\uDFFF", " ", "𝔞", "-", "\n"], pick))),
  // Python's `$` would overlook it.
  edited((text) => `${text}\n`),
  edited((text, pick) => text.slice(0, pick % (text.length + 1))),
  withUnknown,
  renamed,
  removed,
  repeated,
  ({ holder, name }) => put(holder, name, [holder[name]]),
  ({ holder, name }) => Array.isArray(holder[name]) && put(holder, name, { ...(holder[name] as unknown[]) }),
]

/** Every place of a body spoilt in every odd way, and in a few variants of each other way: the same ones each time. */
export function* everySpoiling(schema: JsonSchema, body: unknown): Generator<unknown> {
  const count = places({ body }, "body", schema).length
  for (let place = 0; place < count; place++) {
    for (let way = 0; way < ways.length; way++) {
      const variants = way === 0 ? oddities.length : 4
      for (let pick = 0; pick < variants; pick++) yield spoil(schema, body, [{ place, way, pick }])
    }
  }
}

/** A copy of `body`, spoilt. */
export function spoil(schema: JsonSchema, body: unknown, spoilings: readonly Spoiling[]): unknown {
  const around: Holder = { body: structuredClone(body) }
  for (const { place, way, pick } of spoilings) {
    at(ways, way)(at(places(around, "body", schema), place), pick)
    // The whole body cannot be removed: there is always a text.
    if (!Object.hasOwn(around, "body")) return null
  }
  return around.body
}
