/** A receipt without what its sender knows or seldom needs, for agents that pay for each byte they read. */
import * as v from "valibot"
import { isObject } from "../json.ts"
import { limits } from "../limits.ts"
import { shape } from "../schema/fields.ts"
import { shortened } from "../text.ts"
import { count, id, said } from "./fields.ts"
import type { Receipt } from "./index.ts"
import { target } from "./parts.ts"

const some = v.exactOptional
const near = v.array(shape({ label: v.string(), status: v.string(), says: said }))

/** Each member stands where it stands in the whole receipt. */
export const smallReceipt = shape({
  operation: v.string(),
  requestId: some(id),
  clientMessageId: some(id),
  target,
  /** Left out where it stands in `target` or `result`. */
  targetId: some(v.string()),
  /** Without the label, which stands in `target`, and without what is null. */
  result: v.record(v.string(), v.unknown()),
  entry: some(shape({ sequence: count })),
  activity: some(shape({ sequence: count })),
  warnings: some(v.array(shape({ code: v.string(), message: v.string() }))),
  sameExecution: some(near),
  similar: some(near),
  /** How many items of a list are left out here; the whole receipt has them. */
  more: some(v.record(v.string(), count)),
  replayed: some(v.literal(true)),
  credentialChanged: some(v.literal(true)),
  rehearsed: some(v.literal(true)),
  current: some(v.record(v.string(), v.unknown())),
})
export const smallBatchAnswer = shape({ schemaVersion: v.number(), receipts: v.array(smallReceipt) })

/** Characters of a text in a result, and of a sentence: as long as there is room for. */
const WORDS = 60
const sentences = [200, 100, 60]

/** The single values of an object. */
const single = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(isObject(value) ? value : {}).filter(([, inner]) => inner !== null && typeof inner !== "object"))

const nearly = ({ label, status, says }: NonNullable<Receipt["similar"]>[number]) => ({ label, status, says })

/** An item with its texts cut. */
const cutTo = (item: unknown, characters: number): unknown =>
  typeof item === "string"
    ? shortened(item, characters)
    : Object.fromEntries(
        Object.entries(isObject(item) ? item : {}).map(([name, text]) => [
          name,
          typeof text === "string" ? shortened(text, characters) : text,
        ]),
      )

type Members = Record<string, unknown>
/** A list of a receipt, by where it goes. */
type Place = readonly [holder: Members, name: string, items: readonly unknown[]]

/** Bytes that are kept free for what is said of items left out. */
const RESERVE = 70

/** Puts in as many items of each list as there is room for, and counts the others. */
function fill(small: Members, places: readonly Place[]): Members {
  const more: Record<string, number> = {}
  for (const [holder, name, items] of places) {
    const told: unknown[] = []
    for (const item of items) {
      const fits = sentences
        .map((characters) => cutTo(item, characters))
        .find((cut) => {
          holder[name] = [...told, cut]
          return Buffer.byteLength(JSON.stringify(small)) <= limits.smallReceiptBytes - RESERVE
        })
      if (fits === undefined) break
      told.push(fits)
    }
    if (told.length > 0) holder[name] = told
    else delete holder[name]
    if (told.length < items.length) more[name] = items.length - told.length
  }
  return Object.keys(more).length === 0 ? small : { ...small, more }
}

/** The small form of a receipt: at most `limits.smallReceiptBytes`, of which its lists take what the rest leaves. */
export function smallReceiptOf(receipt: Receipt): Members {
  const { operation, requestId, clientMessageId, target: made, targetId, entry, activity, replayed, credentialChanged, rehearsed } = receipt
  const results = Object.entries(receipt.result).filter(([name, value]) => name !== "label" && value !== null)
  const result: Members = {}
  for (const [name, value] of results) if (!Array.isArray(value)) result[name] = typeof value === "string" ? shortened(value, WORDS) : value
  const small: Members = {
    operation,
    requestId,
    clientMessageId,
    target: made,
    targetId: [made.id, ...Object.values(result)].includes(targetId) ? undefined : targetId,
    result,
    entry: entry === null ? undefined : { sequence: entry.sequence },
    activity: activity === null ? undefined : { sequence: activity.sequence },
    replayed,
    credentialChanged,
    rehearsed,
    current: receipt.current === undefined ? undefined : single(receipt.current),
  }
  return fill(small, [
    ...results.flatMap(([name, value]): Place[] => (Array.isArray(value) ? [[result, name, value]] : [])),
    [small, "warnings", receipt.warnings.map(({ code, message }) => ({ code, message }))],
    [small, "sameExecution", receipt.sameExecution?.map(nearly) ?? []],
    [small, "similar", receipt.similar?.map(nearly) ?? []],
  ])
}
