/**
 * The small form of a receipt, without what its sender knows or seldom needs, for agents that pay for each byte they
 * read.
 */
import * as v from "valibot"
import { isObject } from "../json.ts"
import { limits } from "../limits.ts"
import { shape } from "../schema/fields.ts"
import { shortened } from "../text.ts"
import { count, id, freeText } from "./fields.ts"
import type { Receipt } from "./index.ts"
import { target, readAs } from "./parts.ts"

const optional = v.exactOptional
const similarItems = v.array(shape({ label: v.string(), status: v.string(), says: freeText }))

/** Each member is in the same place as in the whole receipt. */
export const smallReceipt = shape({
  operation: v.string(),
  requestId: optional(id),
  clientMessageId: optional(id),
  target,
  /** Absent if `target` or `result` has it. */
  targetId: optional(v.string()),
  /** Without the label, which is in `target`, and without members that are null. */
  result: v.record(v.string(), v.unknown()),
  entry: optional(shape({ sequence: count })),
  activity: optional(shape({ sequence: count })),
  warnings: optional(v.array(shape({ code: v.string(), message: v.string() }))),
  readAs: optional(readAs),
  effects: optional(v.array(shape({ sentence: freeText, verdict: optional(v.nullable(v.string())) }))),
  sameExecution: optional(similarItems),
  similar: optional(similarItems),
  /** How many items of a list are left out here; the whole receipt has all of them. */
  more: optional(v.record(v.string(), count)),
  replayed: optional(v.literal(true)),
  credentialChanged: optional(v.literal(true)),
  rehearsed: optional(v.literal(true)),
  current: optional(v.record(v.string(), v.unknown())),
})

/** Characters of a text in a result. Then those of a sentence: the first length that fits. */
const WORDS = 60
const sentences = [200, 100, 60]

/** The members of an object that are neither null, nor a list or an object. */
const single = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).filter(([, inner]) => inner !== null && typeof inner !== "object"),
  )

const similarItemOf = ({ label, status, says }: NonNullable<Receipt["similar"]>[number]) => ({ label, status, says })

const effectOf = ({ sentence, verdict }: NonNullable<Receipt["effects"]>[number]) =>
  verdict === undefined ? { sentence } : { sentence, verdict }

const shortenedItem = (item: unknown, characters: number): unknown =>
  typeof item === "string"
    ? shortened(item, characters)
    : Object.fromEntries(
        Object.entries(isObject(item) ? item : {}).map(([name, text]) => [
          name,
          typeof text === "string" ? shortened(text, characters) : text,
        ]),
      )

type Members = Record<string, unknown>
type Place = readonly [holder: Members, name: string, items: readonly unknown[]]

/** The lists of a result that come before the others: a sender who reads nothing else must know of them. */
const FIRST = ["unreadable", "readAs"]
/** Bytes kept free for `more`. */
const RESERVE = 70

/** Adds as many items of each list as there is room for, and counts the others. */
function fill(small: Members, places: readonly Place[]): Members {
  const more: Record<string, number> = {}
  for (const [holder, name, items] of places) {
    const kept: unknown[] = []
    for (const item of items) {
      const fits = sentences
        .map((characters) => shortenedItem(item, characters))
        .find((cut) => {
          holder[name] = [...kept, cut]
          return Buffer.byteLength(JSON.stringify(small)) <= limits.smallReceiptBytes - RESERVE
        })
      if (fits === undefined) break
      kept.push(fits)
    }
    if (kept.length > 0) holder[name] = kept
    else delete holder[name]
    if (kept.length < items.length) more[name] = items.length - kept.length
  }
  return Object.keys(more).length === 0 ? small : { ...small, more }
}

/** Makes the small form: at most `limits.smallReceiptBytes`. The lists get the bytes that the other members leave. */
export function smallReceiptOf(receipt: Receipt): Members {
  const {
    operation,
    requestId,
    clientMessageId,
    target: made,
    targetId,
    entry,
    activity,
    readAs: columns,
    replayed,
    credentialChanged,
    rehearsed,
  } = receipt
  const rank = ([name]: readonly [string, unknown]) => FIRST.indexOf(name) + 1 || FIRST.length + 1
  const results = Object.entries(receipt.result)
    .filter(([name, value]) => name !== "label" && value !== null)
    .toSorted((one, other) => rank(one) - rank(other))
  const result: Members = {}
  for (const [name, value] of results)
    if (!Array.isArray(value)) result[name] = typeof value === "string" ? shortened(value, WORDS) : value
  const small: Members = {
    operation,
    requestId,
    clientMessageId,
    target: made,
    targetId: [made.id, ...Object.values(result)].includes(targetId) ? undefined : targetId,
    result,
    entry: entry === null ? undefined : { sequence: entry.sequence },
    activity: activity === null ? undefined : { sequence: activity.sequence },
    readAs: columns,
    replayed,
    credentialChanged,
    rehearsed,
    current: receipt.current === undefined ? undefined : single(receipt.current),
  }
  return fill(small, [
    ...results.flatMap(([name, value]): Place[] => (Array.isArray(value) ? [[result, name, value]] : [])),
    [small, "warnings", receipt.warnings.map(({ code, message }) => ({ code, message }))],
    [small, "effects", receipt.effects?.map(effectOf) ?? []],
    [small, "sameExecution", receipt.sameExecution?.map(similarItemOf) ?? []],
    [small, "similar", receipt.similar?.map(similarItemOf) ?? []],
  ])
}
