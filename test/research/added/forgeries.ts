/**
 * Every change that a stranger can make to one line of JSON. Each forgery is a copy of the line with one difference.
 */
import { isDeepStrictEqual } from "node:util"
import { isObject, type Json, type JsonObject } from "../../../src/contract/json.ts"

export interface Forgery {
  readonly what: string
  readonly line: JsonObject
}

type Path = readonly (string | number)[]
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const FRESH = "01a1c4d3-13a9-73f5-8f3d-d5a42c60610b"
const DIGEST = `sha256:${"e".repeat(64)}`

/** Other values that could replace a value. @param ids ids that mean something in the Room */
function others(value: Json, ids: readonly string[]): Json[] {
  if (typeof value === "number") return [value + 1, -1, String(value)]
  if (typeof value === "boolean") return [!value]
  if (value === null) return ["x", 0, {}]
  if (typeof value === "string") {
    if (uuid.test(value)) return [FRESH, ...ids.filter((id) => id !== value).slice(0, 3), null]
    if (value.startsWith("sha256:")) return [DIGEST]
    if (/^\d{4}-\d\d-\d\dT/.test(value)) return [`2019${value.slice(4)}`]
    return [`${value}x`, "", value.toUpperCase(), null].filter((other) => other !== value)
  }
  if (Array.isArray(value)) return [[...value, ...value.slice(0, 1), "x"], value.slice(0, -1), value.toReversed()]
  return [{ ...value, added: "x" }, {}]
}

function* places(value: Json, path: Path = []): Generator<{ readonly path: Path; readonly value: Json }> {
  yield { path, value }
  if (isObject(value))
    for (const [name, held] of Object.entries(value))
      yield* places(held, [...path, Array.isArray(value) ? Number(name) : name])
}

/** Returns a copy with the value at a path replaced, or removed if no value is given. */
function changed(line: JsonObject, path: Path, value?: Json): JsonObject {
  const copy = structuredClone(line)
  const holder = path
    .slice(0, -1)
    .reduce<Record<string | number, Json>>((within, name) => within[name] as never, copy as never)
  const last = path.at(-1) ?? ""
  if (value !== undefined) holder[last] = value
  else if (Array.isArray(holder)) holder.splice(Number(last), 1)
  else delete holder[last]
  return copy
}

/** Yields the line with each member changed or removed, and with one added. */
export function* forgeriesOf(line: JsonObject, ids: readonly string[]): Generator<Forgery> {
  yield { what: "a member more", line: { ...line, added: "x" } }
  for (const { path, value } of places(line)) {
    if (path.length === 0) continue
    const where = path.join("/")
    yield { what: `${where} taken away`, line: changed(line, path) }
    for (const other of others(value, ids))
      if (!isDeepStrictEqual(other, value))
        yield { what: `${where} is ${JSON.stringify(other)}`, line: changed(line, path, other) }
  }
}

/** Members of `given` that the service once believed, or stores for its own writes. */
export const claims = (contentDigest: string): Readonly<Record<string, Json>> => ({
  contentDigest,
  requestDigest: contentDigest,
  warnings: [{ code: "names_retracted", message: "It names H1, which is retracted.", label: "H1", versionId: FRESH }],
  foreseen: {
    similar: [
      ["hypothesis", FRESH, "current", "H9", FRESH, FRESH, "x", FRESH, "mallory", "2019-01-01T00:00:00.000Z", null],
    ],
  },
  labelledBy: FRESH,
  named: FRESH,
  prepared: { x: "x" },
  tokens: ["x"],
})
