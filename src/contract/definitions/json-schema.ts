/** JSON Schema 2020-12 documents, generated from the validators themselves. */
import { type JsonSchema as Made, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema"
import type * as v from "valibot"
import type { Conditional, Operation } from "./operation.ts"
import { portable, refusesLines } from "../schema/fields.ts"
import type { Metadata, Refers } from "../schema/parts.ts"

/** A schema, with the keywords that the code reads. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly type?: "string" | "number" | "integer" | "boolean" | "array" | "object" | "null"

  readonly title?: string
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly propertyNames?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly allOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  /** For forms: the object that the field names. */
  readonly refersTo?: Refers
}

/** Converts from and to the library's type, which knows more keywords. */
const read = (schema: object): JsonSchema => schema as JsonSchema
const written = (schema: JsonSchema | undefined): Made | undefined => schema as Made | undefined

type Item = Parameters<
  NonNullable<NonNullable<Parameters<typeof toJsonSchema>[1]>["overrideAction"]>
>[0]["valibotAction"] & {
  readonly metadata?: Metadata
  readonly requirement?: unknown
  readonly message?: unknown
}

/** Adds a pattern and its description. A second pattern on the same string applies too. */
function withPattern({ pattern: before, ...schema }: JsonSchema, { requirement, message }: Item): JsonSchema {
  if (!(requirement instanceof RegExp)) return schema
  const pattern = portable(requirement)
  // The library has already added it, unless the string had a pattern before.
  if (before !== undefined && before !== requirement.source)
    return { ...schema, pattern: before, allOf: [...(schema.allOf ?? []), { pattern }] }
  const lines = refusesLines(requirement) ? { not: { pattern: "\\n" } } : {}
  const description = typeof message === "string" ? { description: message.replace(/^must be /, "") } : {}
  return { ...schema, pattern, ...lines, ...description }
}

/** Expresses in JSON Schema what the library cannot. */
function action(schema: JsonSchema, item: Item, refs: boolean): JsonSchema | undefined {
  const { type, requirement, metadata = {} } = item
  if (metadata.refersTo !== undefined) {
    const { refersTo, ...rest } = schema
    return refs && refersTo !== undefined ? { ...rest, refersTo } : rest
  }
  const unique = metadata.uniqueBy
  if (unique !== undefined) {
    // JSON Schema compares whole items only.
    const { uniqueBy: _unique, ...rest } = schema
    return { ...rest, description: `Each item has a different ${unique.member}.` }
  }
  switch (type) {
    case "regex":
      return withPattern(schema, item)
    case "min_code_points":
      return { ...schema, minLength: Number(requirement) }
    case "max_code_points":
      return { ...schema, maxLength: Number(requirement) }
    case "finite":
      // Some programs read 1e400 as infinity, and accept that as a number.
      return {
        ...schema,
        ...(schema.exclusiveMinimum === undefined && { minimum: -Number.MAX_VALUE }),
        maximum: Number.MAX_VALUE,
      }
    // A check is described in words, if at all.
    case "check":
    case "to_lower_case":
    case "transform":
      return schema
    default:
      return undefined
  }
}

/** Schemas that appear once in a document, under a name, and are referenced wherever they are used. */
export type Shared = Readonly<Record<string, v.GenericSchema>>

export interface Form {
  /** Allows properties that are added later, as readers of answers must. */
  readonly open?: boolean
  readonly shared?: Shared
  /** Keeps under `refersTo` which objects a field names: for forms, not for clients. */
  readonly refs?: boolean
}

const shareAt = (name: string) => `#/components/schemas/${name}`

type Overridden = Parameters<
  NonNullable<NonNullable<Parameters<typeof toJsonSchema>[1]>["overrideSchema"]>
>[0]["valibotSchema"] & {
  readonly wrapped?: { readonly type: string; readonly literal?: unknown }
}

const typeOf = (value: unknown): "integer" | "boolean" | "string" =>
  typeof value === "number" ? "integer" : typeof value === "boolean" ? "boolean" : "string"

/**
 * A single value, in a form that every generator of clients understands: none supports an optional `const`, or an
 * `enum` of one boolean. In answers, such a value is described as any boolean.
 */
function single({ const: value, ...schema }: JsonSchema, open: boolean): JsonSchema {
  const type = typeOf(value)
  return open && type === "boolean" ? { ...schema, type } : { ...schema, type, enum: [value as string] }
}

/** Adds what the library leaves out, and replaces what generators of clients do not understand. */
function whole(schema: JsonSchema, { type, wrapped }: Overridden, open: boolean): JsonSchema | undefined {
  if (type === "literal") return { ...schema, type: typeOf(schema.const) }
  // Anything may be null. Generators for Rust make no type of a choice of the two.
  if (type === "nullable" && schema.anyOf?.some((each) => Object.keys(each).length === 0)) return {}
  if (type === "picklist" && schema.type === "number") return { ...schema, type: "integer" }
  if (wrapped?.type !== "literal") return undefined
  if (type === "exact_optional") return single(schema, open)
  return type === "nullable" ? { anyOf: [single({ const: wrapped.literal }, open), { type: "null" }] } : undefined
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  picklist: "text",
  number: "number",
  boolean: "truth",
  strict_object: "object",
  object: "object",
  record: "object",
}

/** The kinds of JSON that the options of a choice take, once for each option; undefined if unknown. */
const kindsOf = (schema: { readonly type: string; readonly options?: unknown }): (string | undefined)[] =>
  schema.type === "union" && Array.isArray(schema.options)
    ? schema.options.flatMap((each: Overridden) => kindsOf(each))
    : [KINDS[schema.type]]

/** Whether no value is of two options. Generators for Rust read such a choice only as `oneOf`. */
function isDistinct(schema: Overridden): boolean {
  const kinds = kindsOf(schema)
  return !kinds.includes(undefined) && new Set(kinds).size === kinds.length
}

const configuration = ({ open = false, shared, refs = false }: Form) =>
  ({
    target: "draft-2020-12",
    typeMode: "input",
    overrideRef: ({ referenceId }) => (shared === undefined ? undefined : shareAt(referenceId)),
    overrideAction: ({ valibotAction, jsonSchema }) => {
      const made = action(read(jsonSchema), valibotAction, refs)
      // The format says what a UUID in an answer looks like; many generators take a pattern for a type of its own.
      return written(open && made?.format === "uuid" ? { type: "string", format: "uuid" } : made)
    },
    overrideSchema: ({ jsonSchema, valibotSchema }) => {
      if (open && valibotSchema.type === "strict_object") {
        const { additionalProperties: _closed, ...rest } = jsonSchema
        return rest
      }
      // Nor do they of null alone.
      if (open && valibotSchema.type === "null") return { type: ["string", "null"], const: null }
      if (open && jsonSchema.anyOf && isDistinct(valibotSchema)) {
        const { anyOf: oneOf, ...rest } = jsonSchema
        return { ...rest, oneOf }
      }
      return written(whole(read(jsonSchema), valibotSchema, open))
    },
  }) satisfies Parameters<typeof toJsonSchema>[1]

/** The JSON Schema of the input of `schema`. */
export function jsonSchemaOf(schema: v.GenericSchema, form: Form = {}): JsonSchema {
  const { shared } = form
  const made = read(toJsonSchema(schema, { ...configuration(form), ...(shared && { definitions: shared }) }))
  const { $schema: _dialect, $defs, ...rest } = made
  // A recursive schema is kept with the shared ones, or in its own document.
  if (shared === undefined) return $defs === undefined ? rest : { ...rest, $defs }
  const missing = Object.keys($defs ?? {}).filter((name) => !Object.hasOwn(shared, name))
  if (missing.length > 0) throw new TypeError("a recursive schema must be among the shared ones")
  return rest
}

/** The shared schemas themselves, by name. */
export const sharedSchemas = (form: Form & { readonly shared: Shared }): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(toJsonSchemaDefs(form.shared, configuration(form))).map(([name, schema]) => [name, read(schema)]),
  )

export const schemaUrl = ({ document, name }: Pick<Operation, "document" | "name">, baseUrl: string): string =>
  `${baseUrl}${document === "library" ? "/api/agent/library/schema" : `/api/research/${document}-schema`}?operation=` +
  `${name}`

/** The JSON Schema of an operation's body, with its conditional requirements. */
export function bodySchema(operation: Operation, form: Form = {}): JsonSchema {
  const condition = ({ when }: Conditional) => ({
    properties: { [when.field]: { enum: when.in } },
    required: [when.field],
  })
  const conditions = [
    ...operation.requiredWhen.map((each) => ({
      if: condition(each),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nobody awaits a schema
      then: { required: [each.field] },
    })),
    ...operation.onlyWhen.map((each) => ({ if: condition(each), else: { not: { required: [each.field] } } })),
  ]
  const oneOfThem = operation.atLeastOneOf.map((name) => ({ required: [name] }))
  // Never both beside each other: generators for Rust make no type of such a schema.
  const all = conditions.length > 0 && oneOfThem.length > 0 ? [...conditions, { anyOf: oneOfThem }] : conditions
  return {
    title: operation.name,
    description: operation.summary,
    ...jsonSchemaOf(operation.body, form),
    ...(all.length > 0 ? { allOf: all } : oneOfThem.length > 0 ? { anyOf: oneOfThem } : {}),
  }
}

/** The input schema of an operation as a document of its own. */
export const inputSchema = (operation: Operation, baseUrl: string): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: schemaUrl(operation, baseUrl),
  ...bodySchema(operation),
})
