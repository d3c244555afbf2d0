/**
 * Turns the violations of a schema into the issues of a refusal, each with its JSON Pointer, up to a limit that people
 * would read.
 */
import * as v from "valibot"
import { limits } from "../limits.ts"
import type { Issue } from "../refusals/refusal.ts"

// Adds a description to a part of a schema, for the documents.

export const described = <const S extends v.GenericSchema>(schema: S, words: string) =>
  v.pipe(schema, v.description(words))

/** The most characters of a pointer. The sender chooses the names, and a refusal that lists many must stay small. */
const LONGEST_POINTER = 1_000

/** A JSON Pointer (RFC 6901) to `path`, or to an ancestor of it if it would be very long. */
export function pointer(path: readonly (string | number)[]): string {
  let made = ""
  for (const step of path) {
    const longer = `${made}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`
    if (longer.length > LONGEST_POINTER) break
    made = longer
  }
  return made
}

function sentence(issue: v.BaseIssue<unknown>): string {
  const last = issue.path?.at(-1)
  if (last !== undefined && "origin" in last && last.origin === "key") {
    if (issue.expected === "never") return "is not a property of this object"
    return "is required"
  }
  if (issue.type === "literal") return `must be exactly ${issue.expected}`
  if (issue.type === "variant")
    return issue.expected === "Object" ? "must be an object" : `must be one of ${issue.expected}`
  if (issue.kind === "schema" && issue.message.startsWith("Invalid")) return "must be an object"
  return issue.message
}

export type Checked<T> = { ok: true; value: T } | { ok: false; issues: Issue[] }

/** Checks all of `input`. Issues never repeat a value: it may be a secret. */
export function check<S extends v.GenericSchema>(schema: S, input: unknown): Checked<v.InferOutput<S>> {
  const result = v.safeParse(schema, input)
  if (result.success) return { ok: true, value: result.output }
  const issues = result.issues.slice(0, limits.issues).map((issue) => ({
    path: pointer((issue.path ?? []).map(({ key }) => (typeof key === "number" ? key : String(key)))),
    message: sentence(issue),
  }))
  if (result.issues.length > issues.length) issues.push({ path: "", message: "has more faults than are listed here" })
  return { ok: false, issues }
}
