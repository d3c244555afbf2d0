/**
 * Missing and superfluous properties of a body, found by walking the schema: an oracle that shares nothing with the
 * validator.
 */
import type { JsonSchema } from "../../src/contract/definitions/json-schema.ts"

export interface Faults {
  /** JSON Pointers of required properties that are missing. */
  readonly missing: string[]
  /** JSON Pointers of properties that no schema names. */
  readonly unknown: string[]
}

type Tree = Record<string, unknown>
const isObject = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value)
const step = (name: string): string => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`

/**
 * The form of a tagged union that the tag of `value` selects, if any. A form's tag is its property that has only one
 * value.
 */
const tagged = (forms: readonly JsonSchema[], value: Tree): JsonSchema | undefined =>
  forms.find(({ properties }) => {
    const [tag] = Object.entries(properties as Record<string, JsonSchema>).filter(([, inner]) => "const" in inner)
    return tag !== undefined && Object.hasOwn(value, tag[0]) && tag[1].const === value[tag[0]]
  })

export function faults(
  schema: JsonSchema,
  value: unknown,
  path = "",
  found: Faults = { missing: [], unknown: [] },
): Faults {
  if (Array.isArray(value) && schema.type === "array") {
    value.forEach((item, index) => faults(schema.items as JsonSchema, item, `${path}/${index}`, found))
  }
  if (!isObject(value)) return found
  if (schema.oneOf !== undefined) {
    const form = tagged(schema.oneOf as JsonSchema[], value)
    return form === undefined ? found : faults(form, value, path, found)
  }
  if (schema.type !== "object") return found
  const properties = (schema.properties ?? {}) as Tree
  for (const name of (schema.required as string[] | undefined) ?? []) {
    if (!Object.hasOwn(value, name)) found.missing.push(`${path}${step(name)}`)
  }
  for (const [name, inner] of Object.entries(value)) {
    if (Object.hasOwn(properties, name)) faults(properties[name] as JsonSchema, inner, `${path}${step(name)}`, found)
    else if (schema.additionalProperties === false) found.unknown.push(`${path}${step(name)}`)
    else if (isObject(schema.additionalProperties))
      faults(schema.additionalProperties, inner, `${path}${step(name)}`, found)
  }
  return found
}

/** Whether a JSON Pointer names something in `value`, or a property that an object in it could have. */
export function isPlace(path: string, value: unknown): boolean {
  if (path === "") return true
  if (!/^(?:\/(?:[^~/]|~[01])*)+$/u.test(path)) return false
  const steps = path
    .slice(1)
    .split("/")
    .map((text) => text.replaceAll("~1", "/").replaceAll("~0", "~"))
  const last = steps.pop() as string
  let here = value
  for (const name of steps) {
    if (typeof here !== "object" || here === null || !Object.hasOwn(here, name)) return false
    here = (here as Tree)[name]
  }
  return Array.isArray(here) ? Object.hasOwn(here, last) : isObject(here)
}
