/**
 * Delivers what could not be delivered earlier: writes of the Python client, and reports of runs, including runs whose
 * reporter was killed.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Transport } from "../client/transport.ts"
import { messageOf } from "../contract/faults.ts"
import { batch } from "../contract/operations/batch.ts"
import { operationNamed } from "../contract/operations/index.ts"
import {
  credentialMark,
  isAlive,
  makeFolder,
  markOfProcess,
  namesIn,
  type ProcessMark,
  readBack,
  runsIn,
  spoolFolder,
  writeWhole,
} from "./files.ts"
import { tokenPrefixes } from "../people/tokens.ts"
import { isFinal } from "./judging.ts"
import { files, type Kept } from "./keeper.ts"
import { Report } from "./report.ts"
import { trusted } from "../contract/json.ts"

export interface Delivered {
  /** Sentences on what was delivered or still runs. */
  readonly done: string[]
  /** Sentences on what still waits or was refused. */
  readonly problems: string[]
}

interface Destination {
  readonly url: string
  readonly token: string
  readonly spool: string
}

interface SpooledWrite {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly body: string
  readonly credential: string
}

/** Delivers everything for one service. Stops if the service does not answer. */
export async function deliverAll({ url, token, spool }: Destination): Promise<Delivered> {
  const delivered: Delivered = { done: [], problems: [] }
  const transport = new Transport({ baseUrl: url, timeout: 20, longestWait: 5 })
  const spooled = spoolFolder(spool, url)
  if (!(await deliverWrites(spooled, transport, token, delivered))) return delivered
  for (const name of namesIn(runsIn(spooled))) {
    const folder = join(runsIn(spooled), name)
    const owner = readBack<ProcessMark>(files(folder).owner)
    if (owner !== null && isAlive(owner)) {
      delivered.done.push(`Attempt ${name} is running; its program reports it.`)
      continue
    }
    if (!(await deliverRun(folder, transport, token, delivered))) return delivered
  }
  return delivered
}

/** @returns false if the service does not answer */
async function deliverRun(
  folder: string,
  transport: Transport,
  token: string,
  { done, problems }: Delivered,
): Promise<boolean> {
  writeWhole(files(folder).owner, markOfProcess(process.pid))
  const report = Report.open(folder)
  // The run ended before its registration was written.
  if (report === null) return true
  report.update({ abandoned: true })
  const { status: delivery, reason } = await report.send(transport, token)
  problems.push(...new Set(report.problems.map((sentence) => `${report.name}: ${sentence}`)))
  if (delivery === "waiting") {
    problems.push(`${report.name} waits: ${reason}`)
    return false
  }
  if (delivery === "refused") {
    report.forget()
    return true
  }
  const { said, status } = report.state
  if (said !== "ended") {
    const kept = readBack<Kept>(files(folder).kept)
    done.push(
      `${report.name} is still running${kept === null ? "" : ` (process ${kept.keeper.pid})`}; its reports so far are delivered.`,
    )
    return true
  }
  done.push(
    `${report.name} is delivered: ${status === "started" ? "its outcome is not known" : status.replaceAll("_", " ")}.`,
  )
  report.forget()
  return true
}

/** Whether only the credential that sent a write may retry it. */
function isBound({ operation, body }: SpooledWrite): boolean {
  const names =
    operation === batch.name
      ? trusted<{ writes: SpooledWrite[] }>(body).writes.map((write) => write.operation)
      : [operation]
  return names.some((name) => operationNamed(name)?.receiptOf === "credential")
}

/**
 * Delivers the spooled writes of the Python client, as that client does. @returns false if the service does not answer
 */
async function deliverWrites(
  folder: string,
  transport: Transport,
  token: string,
  { done, problems }: Delivered,
): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const family = token.startsWith(tokenPrefixes.personalKey) ? "library" : "research"
  let sent = 0
  for (const name of namesIn(folder).filter((each) => each.endsWith(".json") && each.includes(`-${family}-`))) {
    const file = join(folder, name)
    const write = trusted<SpooledWrite>(readFileSync(file, "utf8"))
    if (write.credential !== credentialMark(token) && isBound(write)) continue
    const { method, path, body } = write
    const result = await transport.persist({ method, path, body, headers, retries: 1 })
    if ("value" in result) {
      rmSync(file)
      sent += 1
      continue
    }
    const { failure, uncertain } = result
    const reason = messageOf(failure)
    const isRefused = isFinal(failure) && !uncertain
    problems.push(`${write.operation} ${isRefused ? "was refused" : "waits"}: ${reason}`)
    if (!isRefused) return false
    const refused = join(folder, "refused")
    makeFolder(refused)
    writeFileSync(join(refused, name.replace(/json$/, "txt")), reason)
    renameSync(file, join(refused, name))
  }
  if (sent > 0) done.push(`${sent} ${sent === 1 ? "write is" : "writes are"} delivered.`)
  return true
}
