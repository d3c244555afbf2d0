/** JSON Schema 2020-12 documents, made from the very validators that run. */
import { toJsonSchema } from "@valibot/to-json-schema"
import type * as v from "valibot"
import type { Operation } from "./operation.ts"

export type JsonSchema = Record<string, unknown>

interface Item {
  type: string
  requirement?: unknown
}

/** Says in JSON Schema what the library has no word for. */
function action(schema: JsonSchema, { type, requirement }: Item): JsonSchema | undefined {
  switch (type) {
    case "regex":
      return { ...schema, pattern: (requirement as RegExp).source }
    case "min_code_points":
      return { ...schema, minLength: requirement }
    case "max_code_points":
      return { ...schema, maxLength: requirement }
    case "to_lower_case":
    case "transform":
    case "finite":
      return schema
    default:
      return undefined
  }
}

/** The JSON Schema of what `schema` takes. `open` leaves room for properties added later, as readers of answers must. */
export function jsonSchemaOf(schema: v.GenericSchema, { open = false } = {}): JsonSchema {
  const made = toJsonSchema(schema as never, {
    target: "draft-2020-12",
    typeMode: "input",
    overrideAction: ({ valibotAction, jsonSchema }) => action(jsonSchema as JsonSchema, valibotAction as Item) as never,
    overrideSchema: ({ jsonSchema, valibotSchema }) => {
      if (open && valibotSchema.type === "strict_object") {
        const { additionalProperties: _closed, ...rest } = jsonSchema
        return rest
      }
      return undefined
    },
  }) as JsonSchema
  const { $schema: _dialect, ...rest } = made
  return rest
}

/** The input schema of an operation, conditional requirements included. */
export function inputSchema(operation: Operation, baseUrl: string): JsonSchema {
  const conditions = operation.requiredWhen.map(({ field, when }) => ({
    if: { properties: { [when.field]: { enum: when.in } }, required: [when.field] },
    then: { required: [field] },
  }))
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `${baseUrl}/api/research/${operation.document}-schema?operation=${operation.name}`,
    title: operation.name,
    description: operation.summary,
    ...jsonSchemaOf(operation.body),
    ...(conditions.length > 0 ? { allOf: conditions } : {}),
    ...(operation.atLeastOneOf.length > 0 ? { anyOf: operation.atLeastOneOf.map((name) => ({ required: [name] })) } : {}),
  }
}
