/**
 * Admits a write for every interface (HTTP, MCP, pages) and counts it; and the HTTP routes of all operations, for
 * agents with a credential and for people in the browser, with the same bodies and checks.
 */
import * as v from "valibot"
import type { H3Event } from "h3"
import type { ReadAs } from "../../contract/answers/parts.ts"
import { table } from "../../contract/definitions/work.ts"
import { isObject, extendJson, trusted } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { type Issue, Refusal } from "../../contract/refusals.ts"
import { readTable } from "../../research/measurements/read-table.ts"
import { type Operation, browserPath } from "../../contract/definitions/operation.ts"
import { batch, type BatchedWrite, readBatch } from "../../contract/operations/batch.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { type Edge, pathParams } from "../edge.ts"
import type { WriteOutcome } from "../telemetry/metrics.ts"
import { contextOf } from "../limits/request-context.ts"
import type { Receipt } from "../../contract/answers/receipts.ts"
import { smallReceiptOf } from "../../contract/operations/receipts.ts"
import { checkParameters } from "./reads.ts"
import { type WriteParameters, writeParameters } from "../../contract/definitions/parameters.ts"
import { operations } from "../../contract/operations/index.ts"
import { shape } from "../../contract/schema/fields.ts"
import { schemaVersions } from "../../contract/service.ts"
import { json } from "../answers/answer.ts"
import { readJsonBody } from "../limits/body.ts"
import { agentCaller, countWrite, pageCaller, writingAgent } from "../identity/callers.ts"
import type { Routes } from "./routes.ts"

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

// The routes of operations.

const parameters = shape(writeParameters)

/** The query parameters of a write. @throws Refusal `invalid_parameter` */
const parametersOf = (event: H3Event, name: string): WriteParameters =>
  event.url.searchParams.size === 0
    ? {}
    : checkParameters({ name, query: parameters }, event.url.searchParams, "a write")

const sized = (receipt: string, { receipt: form }: WriteParameters): string =>
  form === "small" ? JSON.stringify(smallReceiptOf(trusted<Receipt>(receipt))) : receipt

async function admit(edge: Edge, operation: Operation, actor: Actor, event: H3Event) {
  let requested: WriteParameters = {}
  const receipt = await sendWrite(edge, event, operation, actor, async () => {
    requested = parametersOf(event, operation.name)
    return { params: pathParams(event), body: await readJsonBody(event), rehearse: requested.rehearse !== undefined }
  })
  return json(sized(receipt, requested))
}

/** Each write of a batch counts against the caller's rate. */
async function admitBatch(edge: Edge, actor: Actor, event: H3Event) {
  let requested: WriteParameters = {}
  const receipts = await sendBatch(edge, event, actor, async () => {
    requested = parametersOf(event, batch.name)
    const writes = readBatch(await readJsonBody(event))
    for (const _ of writes.slice(1)) countWrite(edge, actor, event)
    return { writes, rehearse: requested.rehearse !== undefined }
  })
  return json(
    `{"schemaVersion":${schemaVersions.research},"receipts":[` +
      `${receipts.map((receipt) => sized(receipt, requested)).join(",")}]}`,
  )
}

/** Adds the operations of the registry, and the batch. */
export function writeRoutes(edge: Edge, routes: Routes): void {
  routes.add(batch.method, batch.path, (event) => admitBatch(edge, agentCaller(edge, "research", event), event))
  routes.add(batch.method, batch.browserPath, (event) => admitBatch(edge, pageCaller(edge, event), event))
  for (const operation of operations) {
    const { method, path, family, surface } = operation
    if (surface === "agent")
      routes.add(method, path, (event) =>
        writingAgent(edge, family, event, (actor) => admit(edge, operation, actor, event)),
      )
    routes.add(method, browserPath(operation), (event) => admit(edge, operation, pageCaller(edge, event), event))
  }
}
