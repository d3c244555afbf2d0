/**
 * Describes a JSON Schema in prose: a row for each property at any depth, with its type, bounds and whether it is
 * required.
 */
import type { JsonSchema } from "../contract/definitions/json-schema.ts"
import { inCode } from "./markdown.ts"
import { inDigits } from "../contract/text.ts"

export interface Row {
  readonly field: string
  readonly type: string
  readonly required: boolean
}

/** `1 to 20`, `at least 1`, `at most 20`, or an empty text. */
function range(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined)
    return least === most ? inDigits(least) : `${inDigits(least)} to ${inDigits(most)}`
  if (least !== undefined) return `at least ${inDigits(least)}`
  return most === undefined ? "" : `at most ${inDigits(most)}`
}

const exact = (value: unknown): string => inCode(JSON.stringify(value))

function stringInWords(schema: JsonSchema): string {
  const name = schema.title ?? schema.description ?? "string"
  const kind = name.includes("<") ? inCode(name) : name
  const length = range(schema.minLength, schema.maxLength)
  return length === "" ? kind : `${kind}, ${length} characters`
}

/** Leaves out the bounds of safe integers, which every whole number has. */
function wholeInWords(schema: JsonSchema): string {
  const bound = (value: number | undefined) =>
    value !== undefined && Math.abs(value) === Number.MAX_SAFE_INTEGER ? undefined : value
  const bounds = range(bound(schema.minimum), bound(schema.maximum))
  return bounds === "" ? "whole number" : `whole number, ${bounds}`
}

function listInWords(schema: JsonSchema): string {
  const item = schema.items
  const of = item === undefined || item.properties !== undefined ? "objects" : `items, each ${typeInWords(item)}`
  return (
    `list of ${range(schema.minItems, schema.maxItems) || "any number of"} ` +
    `${of}${schema.uniqueItems === true ? ", all different" : ""}`
  )
}

/** One object on one line: `{type: "concept", key: key}`. */
function inline(schema: JsonSchema): string {
  const { properties, required = [] } = schema
  if (properties === undefined) return typeInWords(schema)
  const parts = Object.entries(properties).map(
    ([name, value]) =>
      `${name}${required.includes(name) ? "" : "?"}: ${"const" in value ? JSON.stringify(value.const) : inline(value)}`,
  )
  return `{${parts.join("; ")}}`
}

function typeWords(schema: JsonSchema): string {
  switch (schema.type) {
    case "string":
      return stringInWords(schema)
    case "integer":
      return wholeInWords(schema)
    case "number":
      return "number"
    case "boolean":
      return "true or false"
    case "null":
      return "null"
    case "array":
      return listInWords(schema)
    case "object": {
      const names = schema.propertyNames
      return names === undefined ? "object" : `object with names of your choice, each ${typeInWords(names)}`
    }
    default:
      return "any JSON value"
  }
}

/** The type and bounds of a value, in prose. */
export function typeInWords(schema: JsonSchema): string {
  if ("const" in schema) return `exactly ${exact(schema.const)}`
  if (schema.enum !== undefined) return `one of ${schema.enum.map(exact).join(", ")}`
  const forms = schema.oneOf ?? (schema.properties === undefined ? schema.anyOf : undefined)
  if (forms !== undefined) return forms.map(inline).join(", or ")
  return typeWords(schema)
}

/** The properties of an object at any depth; `roles[].value` is `value` of each item of `roles`. */
export function rows(schema: JsonSchema, prefix = ""): Row[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, value]) => {
    const field = `${prefix}${name}`
    return [{ field, type: typeInWords(value), required: required.includes(name) }, ...inside(value, field)]
  })
}

function inside(schema: JsonSchema, field: string): Row[] {
  if (schema.items !== undefined) return inside(schema.items, `${field}[]`)
  const value = schema.additionalProperties
  return typeof value !== "object" ? rows(schema, `${field}.`) : rows(value, `${field}.<name>.`)
}

/** Collects the named types in a schema, with their meanings, into `known`. */
export function typeNames(schema: unknown, known = new Map<string, string>()): Map<string, string> {
  if (typeof schema !== "object" || schema === null) return known
  const { type, title, description }: { type?: unknown; title?: unknown; description?: unknown } = schema
  if (type === "string" && typeof title === "string" && typeof description === "string") known.set(title, description)
  for (const inner of Object.values(schema)) typeNames(inner, known)
  return known
}
