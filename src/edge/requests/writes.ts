/** Admits a write for every interface (HTTP, MCP, pages) and counts it, and stores uploaded pictures. */
import { setTimeout as pause } from "node:timers/promises"
import * as v from "valibot"
import type { ReadAs } from "../../contract/answers/parts.ts"
import { table } from "../../contract/definitions/work.ts"
import { isObject, extendJson } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { type Issue, Refusal } from "../../contract/refusals.ts"
import { readTable } from "../../research/measurements/read-table.ts"
import type { H3Event } from "h3"
import type { UploadedFigure } from "../../contract/definitions/attachments.ts"
import type { UploadedLog } from "../../contract/definitions/attachments.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { batch, type BatchedWrite } from "../../contract/operations/batch.ts"
import { figureTypeOf, uploaded } from "../../attachments/image.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import type { StoredLog } from "../../ledger/journal/attachments.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Edge } from "../edge.ts"
import type { WriteOutcome } from "../telemetry/metrics.ts"
import { contextOf } from "../limits/request-context.ts"

// Reads a table of values in a report as its metrics, for every interface, before the write is checked.

const unread = (issues: Issue[]): Refusal =>
  new Refusal("invalid_schema", "The table could not be read as it stands. Nothing was stored.", { issues })

interface Read<B> {
  readonly body: B
  readonly readAs?: ReadAs
}

/**
 * Replaces the table of a report by the metrics in it. A table that breaks its schema is left to the check of the body.
 * @param place the JSON Pointer of the body
 * @throws Refusal 422 with the lines that could not be read
 */
function withTableRead<B>(operation: string, body: B, place = ""): Read<B> {
  if (operation !== "report_attempt_event" || !isObject(body)) return { body }
  const given = v.safeParse(table, body.table)
  if (!given.success) return { body }
  if (body.metrics !== undefined) throw unread([{ path: `${place}/table`, message: "cannot be combined with metrics" }])
  const { csv, ...hints } = given.output
  const { points, readAs, faults } = readTable(csv, hints)
  const issues = faults.map(({ line, message }) => ({ path: `${place}/table/csv`, message: `line ${line} ${message}` }))
  if (points.length > limits.metricsOfEvent)
    issues.push({
      path: `${place}/table/csv`,
      message: `has ${points.length} values, but a report takes ${limits.metricsOfEvent}: report it in parts`,
    })
  if (issues.length > 0) throw unread(issues)
  const read = { ...body, metrics: points }
  Reflect.deleteProperty(read, "table")
  return { body: read, readAs }
}

export interface Decoded {
  readonly params: Readonly<Record<string, string>>
  readonly body: unknown
  readonly rehearse?: boolean
}

export interface DecodedBatch {
  readonly writes: readonly BatchedWrite[]
  readonly rehearse: boolean
}

/**
 * The outcome of a write, from the last members of its receipt. Text of the write cannot contain these strings: its
 * quotes are escaped.
 */
const outcomeOf = (receipt: string): WriteOutcome =>
  receipt.includes('"rehearsed":true') ? "rehearsed" : receipt.includes('"replayed":true') ? "replayed" : "accepted"

/** Runs a write, and counts it if it is refused. One that cannot be decoded counts too. */
async function counted<T>({ metrics }: Edge, event: H3Event, name: string, write: () => Promise<T>): Promise<T> {
  contextOf(event).operation = name
  try {
    return await write()
  } catch (error) {
    metrics?.wrote(name, "refused", error instanceof Refusal ? error.code : "temporarily_unavailable")
    throw error
  }
}

/** Adds to a receipt what a table was read as. */
const withReadAs = (receipt: string, readAs: ReadAs | undefined): string =>
  readAs === undefined ? receipt : extendJson(receipt, { readAs })

/** Admits a write. @returns the receipt as JSON text @throws Refusal */
export const sendWrite = (
  edge: Edge,
  event: H3Event,
  operation: Operation,
  actor: Actor,
  decode: () => Decoded | Promise<Decoded>,
): Promise<string> =>
  counted(edge, event, operation.name, async () => {
    const decoded = await decode()
    const { body, readAs } = withTableRead(operation.name, decoded.body)
    const receipt = await edge.instance.ledger.admit({ operation, actor, ...decoded, body })
    edge.metrics?.wrote(operation.name, outcomeOf(receipt))
    return withReadAs(receipt, readAs)
  })

/**
 * Admits a batch. Each of its writes counts as if sent alone.
 * @returns the receipts as JSON texts, in order
 * @throws Refusal of the first write that is refused
 */
export const sendBatch = (
  edge: Edge,
  event: H3Event,
  actor: Actor,
  decode: () => Promise<DecodedBatch>,
): Promise<string[]> =>
  counted(edge, event, batch.name, async () => {
    const decoded = await decode()
    const read = decoded.writes.map(({ operation, body }, index) =>
      withTableRead(operation.name, body, `/writes/${index}/body`),
    )
    const writes = decoded.writes.map((write, index) => ({ ...write, body: read[index]?.body ?? write.body }))
    const receipts = await edge.instance.ledger.admitBatch({ actor, ...decoded, writes })
    receipts.forEach((receipt, index) =>
      edge.metrics?.wrote(decoded.writes[index]?.operation.name ?? batch.name, outcomeOf(receipt)),
    )
    return receipts.map((receipt, index) => withReadAs(receipt, read[index]?.readAs))
  })

/** Milliseconds between two parts of a log: together they would hold the disk for as long as the whole. */
const BETWEEN_PARTS = 20

/**
 * Stores an uploaded log until an event of an attempt names it, a part at a time: nobody's write waits for all of it.
 * @param mustStillBe refuses an uploader whose credential or session ended while the log arrived
 */
export async function keepLog(
  { instance: { ledger, tables, world } }: Edge,
  { userId }: Pick<Actor, "userId">,
  log: StoredLog,
  mustStillBe: () => void,
): Promise<Omit<UploadedLog, "schemaVersion">> {
  const { digest } = log
  const { attachments } = tables
  try {
    if (attachments.logIndex(digest) === undefined)
      for (const part of log.parts.keys()) {
        await ledger.transact(() => {
          mustStillBe()
          attachments.keepPart(log, part)
        })
        await pause(BETWEEN_PARTS)
      }
    await ledger.transact(() => {
      mustStillBe()
      attachments.keepLog(log, userId, isoTime(world.now()))
    })
  } catch (error) {
    // Where that fails too, the first upload after the next start does it.
    await ledger.transact(() => attachments.dropParts(digest)).catch(() => undefined)
    throw error
  }
  const { bytes, lines, cut } = log.log
  return { digest, bytes, lines, cut }
}

/**
 * Stores an uploaded picture until a write names it. The same picture sent again keeps its digest. @throws Refusal 422
 * if it is not a picture of that type
 */
export async function keepFigure(
  { instance: { ledger, tables, world } }: Edge,
  { userId }: Pick<Actor, "userId">,
  bytes: Uint8Array,
  contentType: string | null,
  mustStillBe: () => void,
): Promise<UploadedFigure> {
  const figure = await uploaded(bytes, figureTypeOf(contentType), userId)
  await ledger.transact(() => {
    mustStillBe()
    tables.attachments.keep(figure, userId, isoTime(world.now()))
  })
  const { digest, width, height } = figure
  return { digest, width, height }
}
