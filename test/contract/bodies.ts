/** Bodies generated from a JSON Schema: valid ones, and ones spoilt in the usual ways. */
import fc from "fast-check"
import type { JsonSchema } from "../../src/contract/definitions/json-schema.ts"
import { type Spoiling, spoil } from "./spoiling.ts"

type Arbitrary = fc.Arbitrary<unknown>

const child = (schema: JsonSchema, name: string): JsonSchema | undefined => {
  const inner = schema[name]
  return typeof inner === "object" && inner !== null ? (inner as JsonSchema) : undefined
}
const list = (schema: JsonSchema, name: string): JsonSchema[] => (schema[name] as JsonSchema[] | undefined) ?? []
const number = (schema: JsonSchema, name: string, otherwise: number): number =>
  (schema[name] as number | undefined) ?? otherwise

/** Words of every width: one code point may be one UTF-16 unit or two, one letter may be several code points. */
const letters = fc.oneof(
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom("a", "é", "𝔞", "👩‍🔬", "x y", "\u2028"),
)

/** Strings that match a pattern; what the generator cannot handle (lookahead) is left to a filter. */
function matching(source: string): fc.Arbitrary<string> {
  const pattern = new RegExp(source, "u")
  const followed = new RegExp(source.replace(/\(\?[!=][^)]*\)/g, ""), "u")
  return fc.stringMatching(followed).filter((text) => pattern.test(text))
}

function strings(schema: JsonSchema): fc.Arbitrary<string> {
  const [least, most] = [number(schema, "minLength", 0), number(schema, "maxLength", Number.POSITIVE_INFINITY)]
  const source = typeof schema.pattern === "string" ? schema.pattern : "^"
  const pattern = new RegExp(source, "u")
  const fits = (text: string) => pattern.test(text) && [...text].length >= least && [...text].length <= most
  if (!pattern.test("Any é text, 𝔞!")) return matching(source).filter(fits)
  const padded = fc
    .tuple(letters, fc.constantFrom("a", "𝔞"))
    .map(([text, filler]) => text + filler.repeat(Math.max(0, least - [...text].length)))
  const whole = fc.constantFrom("a", "𝔞").map((filler) => filler.repeat(Math.min(most, 5_000)))
  return fc.oneof({ weight: 20, arbitrary: padded.filter(fits) }, { weight: 1, arbitrary: whole.filter(fits) })
}

function lists(schema: JsonSchema, root: JsonSchema): Arbitrary {
  const item = valid(child(schema, "items") ?? {}, root)
  const [least, most] = [number(schema, "minItems", 0), number(schema, "maxItems", 10)]
  const bounds = { minLength: least, maxLength: Math.min(most, least + 3) }
  return schema.uniqueItems === true ? fc.uniqueArray(item, bounds) : fc.array(item, bounds)
}

/** An object with keys of its own; some of them are names that every JavaScript object has. */
function dictionaries(schema: JsonSchema, root: JsonSchema): Arbitrary {
  const names = strings(child(schema, "propertyNames") ?? {})
  const pattern = new RegExp((child(schema, "propertyNames")?.pattern as string | undefined) ?? "^", "u")
  const awkward = ["constructor", "__proto__", "toString", "a"].filter((name) => pattern.test(name))
  const entry = fc.tuple(
    fc.oneof(names, fc.constantFrom(...awkward)),
    valid(child(schema, "additionalProperties") ?? {}, root),
  )
  return fc.array(entry, { maxLength: 3 }).map((entries) => {
    const made = {}
    for (const [name, value] of entries)
      Object.defineProperty(made, name, { value, enumerable: true, configurable: true, writable: true })
    return made
  })
}

function objects(schema: JsonSchema, root: JsonSchema): Arbitrary {
  const properties = child(schema, "properties")
  if (properties === undefined) return dictionaries(schema, root)
  const parts = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => [name, valid(inner as JsonSchema, root)]),
  )
  const required = schema.required as string[]
  // What only some bodies need: included in half of them.
  const conditional = [
    ...list(schema, "allOf").map((rule) => child(rule, "then")?.required),
    ...list(schema, "anyOf").map((rule) => rule.required),
  ]
  const wide = [...new Set([...required, ...conditional.flat().filter((name) => typeof name === "string")])]
  return fc.oneof(fc.record(parts, { requiredKeys: required }), fc.record(parts, { requiredKeys: wide }))
}

const wholes = (schema: JsonSchema): Arbitrary => {
  const min = number(schema, "minimum", -10)
  const max = number(schema, "maximum", Math.max(min, 0) + 10)
  return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max: Math.min(max, min + 2_000) }))
}

/** Values that `schema` accepts; `root` holds what it refers to. */
export function valid(schema: JsonSchema, root: JsonSchema): Arbitrary {
  if ("const" in schema) return fc.constant(schema.const)
  if ("enum" in schema) return fc.constantFrom(...(schema.enum as unknown[]))
  const forms = [...list(schema, "oneOf"), ...("properties" in schema ? [] : list(schema, "anyOf"))]
  if (forms.length > 0) return fc.oneof(...forms.map((form) => valid(form, root)))
  switch (schema.type) {
    case "string":
      return strings(schema)
    case "integer":
      return wholes(schema)
    case "number":
      return fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(0, -0, 1e308))
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array":
      return lists(schema, root)
    case "object":
      return objects(schema, root)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

/**
 * Whether it contains a string that is not Unicode text: JSON in UTF-8 can only write such a string as an escape, and
 * no schema covers it.
 */
export function holdsHalfCharacter(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed()
  if (typeof value !== "object" || value === null) return false
  return Object.entries(value).some(([name, inner]) => !name.isWellFormed() || holdsHalfCharacter(inner))
}

/** JSON texts of bodies for `schema`: valid, or spoilt in up to three places. */
export function bodies(schema: JsonSchema): fc.Arbitrary<string> {
  const spoilings: fc.Arbitrary<Spoiling[]> = fc.array(fc.record({ place: fc.nat(), way: fc.nat(), pick: fc.nat() }), {
    maxLength: 3,
  })
  return fc.tuple(valid(schema, schema), spoilings).map(([body, ways]) => jsonText(spoil(schema, body, ways)))
}

/** JSON text of a value, including numbers that only JSON can write: `-0`, and `1e400` for one that is too large. */
export function jsonText(value: unknown): string {
  if (typeof value === "number") {
    if (Object.is(value, -0)) return "-0"
    return Number.isFinite(value) ? String(value) : value > 0 ? "1e400" : "-1e400"
  }
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([name, inner]) => `${JSON.stringify(name)}:${jsonText(inner)}`)
      .join(",")}}`
  return JSON.stringify(value)
}
