/**
 * Several writes in one request. They are admitted in order, in one transaction, or not at all (protocol, section 13).
 */
import * as v from "valibot"
import { receipt } from "../answers/receipts.ts"
import type { Operation } from "../definitions/operation.ts"
import { smallReceipt } from "./receipts.ts"
import { referencesIn } from "../definitions/references.ts"
import { isObject, type JsonObject, jsonObject } from "../json.ts"
import { limits } from "../limits.ts"
import { type Issue, Refusal } from "../refusals.ts"
import { dictionary, key, list, oneOf, plain, shape } from "../schema/fields.ts"
import { check, pointer } from "../schema/validation.ts"
import { schemaVersions } from "../service.ts"
import { operationNamed, operations } from "./index.ts"

/** Whether a batch may contain an operation. */
export const isBatched = ({ family, surface }: Operation): boolean => family === "research" && surface === "agent"
const names = operations.filter(isBatched).map(({ name }) => name)

/**
 * The body of a batch. An `expectedWatermark`, and what a checkpoint covers, may be `{"$after": 57}`: 57, as it was
 * read, and what this batch itself wrote before in that Thread. A value in a body or in `params` may be
 * `{"$from": "a", "path": "/targetId"}`: a part of the receipt of write `a`.
 */
export const batchBody = shape({
  /** Of each of its writes that gives none. */
  schemaVersion: v.exactOptional(v.literal(schemaVersions.research)),
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
export const smallBatchAnswer = shape({ schemaVersion: v.number(), receipts: v.array(smallReceipt) })

/** The route. Each write keeps its own delivery id, so a retry of the whole batch replays each of them. */
export const batch = {
  name: "batch",
  method: "POST",
  path: "/api/agent/research/batch",
  browserPath: "/api/research-actions/batch",
  summary:
    `Makes up to ${limits.batchWrites} writes to one Room in order, in one transaction. ` +
    "If one is refused, none is stored.",
  example: {
    writes: [
      { as: "thread", operation: "create_thread", params: {}, body: { title: "A Thread and its first message" } },
      {
        operation: "post_message",
        params: { threadId: { $from: "thread", path: "/targetId" } },
        body: { text: "Started in one request." },
      },
    ],
  },
} as const

/** One write of a batch, as it was sent. */
export interface BatchedWrite {
  readonly as: string | null
  readonly operation: Operation
  readonly params: JsonObject
  readonly body: JsonObject
}

/**
 * Reads a batch and checks its shape, its names, and that each reference is to an earlier write. @throws Refusal 422
 * that lists every fault
 */
export function readBatch(input: unknown): readonly BatchedWrite[] {
  const checked = check(batchBody, input)
  if (!checked.ok) throw invalid(checked.issues)
  const known = new Set<string>()
  const issues: Issue[] = []
  let [references, effects] = [0, 0]
  const { schemaVersion } = checked.value
  const writes = checked.value.writes.map(({ as = null, operation: name, params = {}, body }, index): BatchedWrite => {
    const place = pointer(["writes", index])
    const named = referencesIn({ params, body })
    references += named.length
    if (references > limits.batchReferences)
      throw invalid([
        { path: place, message: `at most ${limits.batchReferences} values of a batch may come from receipts` },
      ])
    effects += countIn(body.effects) + (isObject(body.reproduction) ? countIn(body.reproduction.repeats) : 0)
    if (effects > limits.batchEffects)
      throw invalid([{ path: place, message: `at most ${limits.batchEffects} effects may be in one batch` }])
    for (const [path, { $from }] of named)
      if (!known.has($from))
        issues.push({ path: `${place}${path}`, message: `names ${$from}, which is not an earlier write of this batch` })
    if (as !== null && known.has(as)) issues.push({ path: `${place}/as`, message: "is the name of an earlier write" })
    if (as !== null) known.add(as)
    const operation = operationNamed(name)
    if (operation === undefined) throw new Error(`${name} is not an operation`)
    const whole = schemaVersion === undefined ? body : { schemaVersion, ...body }
    return { as, operation, params: jsonObject(params), body: jsonObject(whole) }
  })
  if (issues.length > 0) throw invalid(issues)
  return writes
}

/** The number of effects: a finding has a list of them, and a reproduction repeats one or a list. */
const countIn = (effects: unknown): number => (Array.isArray(effects) ? effects.length : effects === undefined ? 0 : 1)

const invalid = (issues: Issue[]): Refusal =>
  new Refusal("invalid_schema", "The batch breaks its schema. Nothing was stored.", { issues })

/** A watermark as it was read; the batch adds the entries that it writes before in that Thread. */
interface After {
  readonly $after: number
}
const isAfter = (value: unknown): value is After =>
  isObject(value) && Number.isSafeInteger(value.$after) && Object.keys(value).length === 1

/**
 * Replaces the watermarks of a body that are told as they were read. @param written returns how many entries the batch
 * wrote before in a Thread
 */
export function watermarked(body: JsonObject, written: (threadId: string) => number): JsonObject {
  const { expectedWatermark, coversThrough, threadId } = body
  const before = typeof threadId === "string" ? written(threadId.toLowerCase()) : 0
  return {
    ...body,
    ...(isAfter(expectedWatermark) && { expectedWatermark: expectedWatermark.$after + before }),
    ...(isAfter(coversThrough) && { coversThrough: coversThrough.$after + before }),
  }
}

/**
 * Turns the refusal of one write into the refusal of its batch: it says which write, and the paths of its issues begin
 * at the batch.
 * @param from where in the write the issues' paths begin
 */
export function refusedIn(writes: readonly BatchedWrite[], index: number, refusal: Refusal, from = "/body"): Refusal {
  const { as, operation } = writes[index] ?? {}
  const issues = refusal.details.issues ?? []
  const at = pointer(["writes", index])
  return new Refusal(
    refusal.code,
    `Write ${index + 1} of ${writes.length} (${as === null || as === undefined ? "" : `${as}: `}${operation?.name}) ` +
      `was refused, and nothing of the batch was stored: ${refusal.message}`,
    {
      ...refusal.details,
      issues:
        issues.length === 0
          ? [{ path: at, message: refusal.message }]
          : issues.map(({ path, message }) => ({ path: `${at}${from}${path}`, message })),
    },
  )
}
