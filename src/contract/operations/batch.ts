/** Several writes in one request: all are admitted in order, in one transaction, or none is (protocol, section 13). */
import * as v from "valibot"
import { receipt } from "../answers/index.ts"
import type { Operation } from "../definitions/operation.ts"
import { isJsonObject, isObject, type Json, type JsonObject } from "../json.ts"
import { limits } from "../limits.ts"
import { type Issue, Refusal } from "../refusals/refusal.ts"
import { dictionary, key, list, oneOf, plain, shape } from "../schema/fields.ts"
import { check, pointer } from "../schema/validation.ts"
import { operationNamed, operations } from "./index.ts"

/** Whether an operation may stand in a batch. */
export const isBatched = ({ family, surface }: Operation): boolean => family === "research" && surface === "agent"
const names = operations.filter(isBatched).map(({ name }) => name)

/** What a batch takes. A value of a body or of `params` may be `{"$from": "a", "path": "/targetId"}`: a part of the receipt of write `a`. */
export const batchBody = shape({
  writes: list(
    shape({
      as: v.exactOptional(key),
      operation: oneOf(names),
      params: v.exactOptional(dictionary(v.unknown(), plain(100))),
      body: dictionary(v.unknown(), v.string()),
    }),
    limits.batchWrites,
    1,
  ),
})

export const batchAnswer = shape({ schemaVersion: v.number(), receipts: v.array(receipt) })

/** How it is called. Each write keeps its own delivery id, so a retry of the whole replays each. */
export const batch = {
  name: "batch",
  method: "POST",
  path: "/api/agent/research/batch",
  browserPath: "/api/research-actions/batch",
  summary: `Does up to ${limits.batchWrites} writes of one Room in order, in one transaction, or none of them.`,
  example: {
    writes: [
      { as: "thread", operation: "create_thread", params: {}, body: { title: "A Thread and its first message" } },
      { operation: "post_message", params: { threadId: { $from: "thread", path: "/targetId" } }, body: { text: "Begun in one request." } },
    ],
  },
} as const

/** One write of a batch, with its parts as they were sent. */
export interface BatchedWrite {
  readonly as: string | null
  readonly operation: Operation
  readonly params: JsonObject
  readonly body: JsonObject
}

/** Reads a batch: its shape, the names in it, and that each reference is to an earlier write. @throws Refusal 422 with every place */
export function readBatch(input: unknown): readonly BatchedWrite[] {
  const checked = check(batchBody, input)
  if (!checked.ok) throw invalid(checked.issues)
  const known = new Set<string>()
  const issues: Issue[] = []
  let references = 0
  const writes = checked.value.writes.map(({ as = null, operation: name, params = {}, body }, index): BatchedWrite => {
    const at = pointer(["writes", index])
    const named = referencesIn({ params, body })
    references += named.length
    if (references > limits.batchReferences)
      throw invalid([{ path: at, message: `at most ${limits.batchReferences} values of a batch may come from receipts` }])
    for (const [path, { $from }] of named)
      if (!known.has($from)) issues.push({ path: `${at}${path}`, message: `names ${$from}, which is no earlier write of this batch` })
    if (as !== null && known.has(as)) issues.push({ path: `${at}/as`, message: "is the name of an earlier write" })
    if (as !== null) known.add(as)
    const operation = operationNamed(name)
    if (operation === undefined) throw new Error(`${name} is no operation`)
    return { as, operation, params: jsonObject(params), body: jsonObject(body) }
  })
  if (issues.length > 0) throw invalid(issues)
  return writes
}

const invalid = (issues: Issue[]): Refusal =>
  new Refusal("invalid_schema", "The batch is not as it must be. Nothing was stored.", { issues })

/** What was read of a request is JSON. */
export function jsonObject(value: unknown): JsonObject {
  if (isJsonObject(value)) return value
  throw new Error("an object was read, and is none")
}

interface Reference {
  readonly $from: string
  readonly path: string
}

const isReference = (value: unknown): value is Reference =>
  isObject(value) && typeof value.$from === "string" && typeof value.path === "string" && Object.keys(value).length === 2

/** Every reference in a value, by its JSON Pointer. */
function referencesIn(value: unknown, at: readonly (string | number)[] = []): [string, Reference][] {
  if (isReference(value)) return [[pointer(at), value]]
  if (Array.isArray(value)) return value.flatMap((item, index) => referencesIn(item, [...at, index]))
  return isObject(value) ? Object.entries(value).flatMap(([name, item]) => referencesIn(item, [...at, name])) : []
}

/** The value with each reference replaced. @param found what stands for one, at a JSON Pointer */
export function resolved(value: Json, found: (reference: Reference, at: string) => Json, at: readonly (string | number)[] = []): Json {
  if (isReference(value)) return found(value, pointer(at))
  if (Array.isArray(value)) return value.map((item, index) => resolved(item, found, [...at, index]))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, resolved(item, found, [...at, name])]))
}

/** The part of a receipt at a JSON Pointer; undefined where there is none. */
export function partAt(receipt: Json, path: string): Json | undefined {
  if (path !== "" && !path.startsWith("/")) return undefined
  const names = path.split("/").slice(1)
  return names.reduce<Json | undefined>((value, name) => {
    const member = name.replaceAll("~1", "/").replaceAll("~0", "~")
    return isJsonObject(value) && Object.hasOwn(value, member) ? value[member] : undefined
  }, receipt)
}

/**
 * The refusal of one write as the refusal of its batch: it says which, and its issues stand where they are in the batch.
 * @param from what the issues' paths begin at within the write
 */
export function refusedIn(writes: readonly BatchedWrite[], index: number, refusal: Refusal, from = "/body"): Refusal {
  const { as, operation } = writes[index] ?? {}
  const issues = refusal.details.issues ?? []
  const at = pointer(["writes", index])
  return new Refusal(
    refusal.code,
    `Write ${index + 1} of ${writes.length} (${as === null || as === undefined ? "" : `${as}: `}${operation?.name}) was refused, and nothing of the batch was stored: ${refusal.message}`,
    {
      ...refusal.details,
      issues:
        issues.length === 0
          ? [{ path: at, message: refusal.message }]
          : issues.map(({ path, message }) => ({ path: `${at}${from}${path}`, message })),
    },
  )
}
