/** JSON Schema 2020-12 documents, made from the very validators that run. */
import { type JsonSchema as Made, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema"
import type * as v from "valibot"
import type { Conditional, Operation } from "./operation.ts"
import { portable, refusesLines } from "../schema/patterns.ts"
import type { Metadata, Refers } from "../schema/parts.ts"

/** A schema, with the words of JSON Schema that are looked at somewhere. */
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
  /** For forms: the object that it names. */
  readonly refersTo?: Refers
}

/** What the library makes, in the words above; and the way back. It knows more of them. */
const read = (schema: object): JsonSchema => schema as JsonSchema
const written = (schema: JsonSchema | undefined): Made | undefined => schema as Made | undefined

type Item = Parameters<NonNullable<NonNullable<Parameters<typeof toJsonSchema>[1]>["overrideAction"]>>[0]["valibotAction"] & {
  readonly metadata?: Metadata
  readonly requirement?: unknown
  readonly message?: unknown
}

/** A pattern, with what its message says of it; a second one on the same string binds as well. */
function withPattern({ pattern: before, ...schema }: JsonSchema, { requirement, message }: Item): JsonSchema {
  if (!(requirement instanceof RegExp)) return schema
  const pattern = portable(requirement)
  // The library has put it there as it was written, unless there was one already.
  if (before !== undefined && before !== requirement.source)
    return { ...schema, pattern: before, allOf: [...(schema.allOf ?? []), { pattern }] }
  const lines = refusesLines(requirement) ? { not: { pattern: "\\n" } } : {}
  const description = typeof message === "string" ? { description: message.replace(/^must be /, "") } : {}
  return { ...schema, pattern, ...lines, ...description }
}

/** Says in JSON Schema what the library has no word for. */
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
    return { ...rest, description: `Each item with a ${unique.member} of its own.` }
  }
  switch (type) {
    case "regex":
      return withPattern(schema, item)
    case "min_code_points":
      return { ...schema, minLength: Number(requirement) }
    case "max_code_points":
      return { ...schema, maxLength: Number(requirement) }
    case "finite":
      // Some programs read 1e400 as infinity, and take that for a number.
      return { ...schema, minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE }
    // What a check binds is said in words beside it, if it can be said at all.
    case "check":
    case "to_lower_case":
    case "transform":
      return schema
    default:
      return undefined
  }
}

/** Schemas that stand once in a document, by name, and are referred to from wherever they are used. */
export type Shared = Readonly<Record<string, v.GenericSchema>>

export interface Form {
  /** Leave room for properties added later, as readers of answers must. */
  readonly open?: boolean
  readonly shared?: Shared
  /** Keep under `refersTo` which objects a field names: for forms, not for the wire. */
  readonly refs?: boolean
}

const shareAt = (name: string) => `#/components/schemas/${name}`

type Overridden = Parameters<NonNullable<NonNullable<Parameters<typeof toJsonSchema>[1]>["overrideSchema"]>>[0]["valibotSchema"] & {
  readonly wrapped?: { readonly type: string; readonly literal?: unknown }
}

const typeOf = (value: unknown): "integer" | "boolean" | "string" =>
  typeof value === "number" ? "integer" : typeof value === "boolean" ? "boolean" : "string"

/**
 * A single value, in words that makers of clients understand wherever it stands: none of them has a form for a `const` that may
 * be left out, nor for a choice among one truth value. Answers say of those only that they are true or false.
 */
function single({ const: value, ...schema }: JsonSchema, open: boolean): JsonSchema {
  const type = typeOf(value)
  return open && type === "boolean" ? { ...schema, type } : { ...schema, type, enum: [value as string] }
}

/** Says of a schema what the library leaves out, or what its readers do not understand. */
function whole(schema: JsonSchema, { type, wrapped }: Overridden, open: boolean): JsonSchema | undefined {
  if (type === "literal") return { ...schema, type: typeOf(schema.const) }
  if (type === "picklist" && schema.type === "number") return { ...schema, type: "integer" }
  if (wrapped?.type !== "literal") return undefined
  if (type === "exact_optional") return single(schema, open)
  return type === "nullable" ? { anyOf: [single({ const: wrapped.literal }, open), { type: "null" }] } : undefined
}

const configuration = ({ open = false, shared, refs = false }: Form) =>
  ({
    target: "draft-2020-12",
    typeMode: "input",
    overrideRef: ({ referenceId }) => (shared === undefined ? undefined : shareAt(referenceId)),
    overrideAction: ({ valibotAction, jsonSchema }) => written(action(read(jsonSchema), valibotAction, refs)),
    overrideSchema: ({ jsonSchema, valibotSchema }) => {
      if (open && valibotSchema.type === "strict_object") {
        const { additionalProperties: _closed, ...rest } = jsonSchema
        return rest
      }
      return written(whole(read(jsonSchema), valibotSchema, open))
    },
  }) satisfies Parameters<typeof toJsonSchema>[1]

/** The JSON Schema of what `schema` takes. */
export function jsonSchemaOf(schema: v.GenericSchema, form: Form = {}): JsonSchema {
  const { shared } = form
  const made = read(toJsonSchema(schema, { ...configuration(form), ...(shared && { definitions: shared }) }))
  const { $schema: _dialect, $defs, ...rest } = made
  // A schema that holds itself is kept beside the others: in the document's shared ones, or within its own.
  if (shared === undefined) return $defs === undefined ? rest : { ...rest, $defs }
  const missing = Object.keys($defs ?? {}).filter((name) => !Object.hasOwn(shared, name))
  if (missing.length > 0) throw new TypeError("a schema that holds itself must be among the shared ones")
  return rest
}

/** The shared schemas themselves, by name. */
export const sharedSchemas = (form: Form & { readonly shared: Shared }): Record<string, JsonSchema> =>
  Object.fromEntries(Object.entries(toJsonSchemaDefs(form.shared, configuration(form))).map(([name, schema]) => [name, read(schema)]))

/** Where the schema of an operation is served. */
export const schemaUrl = ({ document, name }: Pick<Operation, "document" | "name">, baseUrl: string): string =>
  `${baseUrl}${document === "library" ? "/api/agent/library/schema" : `/api/research/${document}-schema`}?operation=${name}`

/** What the body of an operation must be, conditional requirements included. */
export function bodySchema(operation: Operation, form: Form = {}): JsonSchema {
  const given = ({ when }: Conditional) => ({ properties: { [when.field]: { enum: when.in } }, required: [when.field] })
  const conditions = [
    ...operation.requiredWhen.map((each) => ({
      if: given(each),
      // biome-ignore lint/suspicious/noThenProperty: the word of JSON Schema; nobody awaits a schema
      then: { required: [each.field] },
    })),
    ...operation.onlyWhen.map((each) => ({ if: given(each), else: { not: { required: [each.field] } } })),
  ]
  return {
    title: operation.name,
    description: operation.summary,
    ...jsonSchemaOf(operation.body, form),
    ...(conditions.length > 0 ? { allOf: conditions } : {}),
    ...(operation.atLeastOneOf.length > 0 ? { anyOf: operation.atLeastOneOf.map((name) => ({ required: [name] })) } : {}),
  }
}

/** The input schema of an operation as a document of its own. */
export const inputSchema = (operation: Operation, baseUrl: string): JsonSchema => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: schemaUrl(operation, baseUrl),
  ...bodySchema(operation),
})
