/** Derives the fields of an operation's form from the JSON Schema of its body. */
import { bodySchema, type JsonSchema } from "../../contract/definitions/json-schema.ts"
import type { ObjectKind } from "../../contract/objects/objects.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { kindsIn } from "../../contract/schema/parts.ts"
import { companionOf, type Offered, saidFields, SAYS } from "./sheets/sheet.ts"

type Named = readonly ObjectKind[]

interface Common {
  /** The property's name. Empty for an item of a list. */
  readonly name: string
  readonly required: boolean
  /** The schema's description of a valid value. */
  readonly hint?: string | undefined
}
export type Field = Common &
  (
    | {
        readonly form: "text"
        readonly max: number
        readonly long: boolean
        readonly type: "text" | "id" | "time" | "code"
        readonly named?: Named
      }
    | { readonly form: "number"; readonly least?: number | undefined }
    | { readonly form: "yes-no" }
    | { readonly form: "choice"; readonly options: readonly string[] }
    | { readonly form: "fixed"; readonly value: unknown }
    | { readonly form: "object"; readonly fields: readonly Field[] }
    /** Texts, one per line, or ids, which are shown as checkboxes. */
    | { readonly form: "lines"; readonly of: "text" | "id"; readonly least: number; readonly named?: Named }
    | { readonly form: "boxes"; readonly options: readonly string[] }
    | { readonly form: "list"; readonly item: Field; readonly least: number; readonly most: number }
    /** A record of objects under keys that the user chooses. */
    | { readonly form: "named"; readonly item: Field }
    /** Names and values, one pair per line. With `scalars`, values may be numbers or booleans. */
    | { readonly form: "pairs"; readonly scalars: boolean }
    | { readonly form: "json" }
    /** One of several objects, distinguished by a tag property. */
    | {
        readonly form: "variant"
        readonly tag: string
        readonly cases: readonly { readonly value: string; readonly fields: readonly Field[] }[]
      }
  )
/** The body of an operation. */
export type Form = Field & { form: "object" }

const properties = (schema: JsonSchema) => Object.entries(schema.properties ?? {})
/** A text that may have more characters gets an input of several lines. */
const LONG = 300

const namedBy = ({ refersTo }: JsonSchema): { named?: Named } =>
  refersTo === undefined ? {} : { named: kindsIn(refersTo) }

function objectFields(schema: JsonSchema, without: readonly string[] = []): Field[] {
  const required = new Set(schema.required ?? [])
  return properties(schema)
    .filter(([name]) => !without.includes(name))
    .map(([name, inner]) => fieldOf(name, inner, required.has(name)))
}

function textField(common: Common, schema: JsonSchema): Field {
  const { maxLength: max = 2_000, title } = schema
  const type =
    title === "UUID"
      ? "id"
      : title === "time"
        ? "time"
        : title === "key" || /digest|reference|commit|url|uri/i.test(common.name)
          ? "code"
          : "text"
  // A plain text or id needs no hint.
  const hint = title === "text" || title === "string" || title === "UUID" ? undefined : schema.description
  return { ...common, hint, form: "text", max, long: type === "text" && max > LONG, type, ...namedBy(schema) }
}

function listField(common: Common, schema: JsonSchema): Field {
  const { items = {}, minItems: least = 0, maxItems: most = 50 } = schema
  if (items.enum !== undefined) return { ...common, form: "boxes", options: items.enum }
  if (items.type === "string")
    return { ...common, form: "lines", of: items.title === "UUID" ? "id" : "text", least, ...namedBy(items) }
  return { ...common, form: "list", item: fieldOf("", items, true), least, most }
}

function eitherField(common: Common, options: readonly JsonSchema[]): Field {
  const tag = properties(options[0] ?? {}).find(([name]) =>
    options.every((option) => option.properties?.[name]?.const !== undefined),
  )?.[0]
  if (tag !== undefined) {
    const cases = options.map((option) => ({
      value: String(option.properties?.[tag]?.const),
      fields: objectFields(option, [tag]),
    }))
    return { ...common, form: "variant", tag, cases }
  }
  // One item or a list of them: a form has one.
  const [first, second] = options
  if (first?.type === "object" && second?.type === "array") return fieldOf(common.name, first, common.required)
  // The objects are distinguished by which property is present.
  if (options.every(({ type }) => type === "object"))
    return {
      ...common,
      form: "object",
      fields: options.flatMap((option) => objectFields(option).map((field) => ({ ...field, required: false }))),
    }
  return {
    ...common,
    hint: "A number, or one of NaN, Infinity, -Infinity.",
    form: "text",
    max: 100,
    long: false,
    type: "code",
  }
}

function fieldOf(name: string, schema: JsonSchema, required: boolean): Field {
  const common = { name, required }
  if (schema.const !== undefined) return { ...common, form: "fixed", value: schema.const }
  if (schema.enum !== undefined) return { ...common, form: "choice", options: schema.enum }
  const either = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  if (either.length > 0) return eitherField(common, either)
  switch (schema.type) {
    case "string":
      return textField(common, schema)
    case "number":
    case "integer":
      return { ...common, form: "number", least: schema.minimum }
    case "boolean":
      return { ...common, form: "yes-no" }
    case "array":
      return listField(common, schema)
    default:
      break
  }
  const values = schema.additionalProperties
  if (typeof values !== "object") return { ...common, form: "object", fields: objectFields(schema) }
  if (values.type === "object") return { ...common, form: "named", item: fieldOf("", values, true) }
  if (values.type === "string") return { ...common, form: "pairs", scalars: false }
  const isScalar = values.anyOf?.every(({ type = "" }) => ["string", "number", "boolean"].includes(type)) === true
  return isScalar ? { ...common, form: "pairs", scalars: true } : { ...common, form: "json" }
}

function optionally(field: Field): Field {
  const own = { ...field, required: false }
  if (own.form === "object") return { ...own, fields: own.fields.map(optionally) }
  return own.form === "list" ? { ...own, least: 0, item: optionally(own.item) } : own
}

/** The fields of an operation's companion, as an optional part of the form. */
function companionFields({ name }: Operation): Field[] {
  const companion = companionOf(name)
  if (companion === undefined) return []
  const { fields } = formOf(companion)
  const shown = saidFields.flatMap((name) => fields.filter((field) => field.name === name))
  return [optionally({ name: SAYS.slice(1), required: false, form: "object", fields: shown })]
}

/** A form with what is offered of it: options of choices, and no members that would be refused. */
export const offeredOf = (form: Form, { options, without }: Pick<Offered, "options" | "without">): Form => ({
  ...form,
  fields: form.fields
    .filter(({ name }) => !without.includes(name))
    .map((field) => (field.form === "choice" ? { ...field, options: options[field.name] ?? field.options } : field)),
})

const made = new Map<string, Form>()

/** The body of an operation as an object field, without the members that every body has, which the page adds. */
export const formOf = (operation: Operation): Form =>
  made.getOrInsertComputed(operation.name, () => {
    const { anyOf: _condition, allOf: _conditions, ...schema } = bodySchema(operation, { refs: true })
    const fields = [
      ...objectFields(schema, ["schemaVersion", operation.delivery, "client"]),
      ...companionFields(operation),
    ]
    return { name: "", required: true, form: "object", fields }
  })
