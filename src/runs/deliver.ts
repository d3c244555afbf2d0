/** Delivers what could not be delivered when it was said: letters of the Python client, and runs, those too whose watcher was killed. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { RefusedError } from "../client/errors.ts"
import { Transport } from "../client/transport.ts"
import { batch } from "../contract/operations/batch.ts"
import { operationNamed } from "../contract/operations/index.ts"
import { isAlive, makeFolder, markOf, markOfProcess, namesIn, placeOf, type ProcessMark, readBack, runsIn, writeWhole } from "./files.ts"
import { tokenPrefixes } from "../people/tokens.ts"
import { files, type Kept } from "./keeper.ts"
import { Report } from "./report.ts"
import { trusted } from "../contract/json.ts"

export interface Delivered {
  /** Sentences of what was done. */
  readonly told: string[]
  /** Sentences of what waits or was refused. */
  readonly trouble: string[]
}

interface Place {
  readonly url: string
  readonly token: string
  readonly spool: string
}

/** A letter as the Python client keeps it. */
interface ReportRequest {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly body: string
  readonly credential: string
}

/** Delivers everything of one service. Ends where nobody answers: what comes after waits too. */
export async function deliverAll({ url, token, spool }: Place): Promise<Delivered> {
  const delivered: Delivered = { told: [], trouble: [] }
  const transport = new Transport({ baseUrl: url, timeout: 20, longestWait: 5 })
  const place = placeOf(spool, url)
  if (!(await deliverLetters(place, transport, token, delivered))) return delivered
  for (const name of namesIn(runsIn(place))) {
    const folder = join(runsIn(place), name)
    const owner = readBack<ProcessMark>(files(folder).owner)
    if (owner !== null && isAlive(owner)) {
      delivered.told.push(`Attempt ${name} is running; its program says what becomes of it.`)
      continue
    }
    if (!(await deliverRun(folder, transport, token, delivered))) return delivered
  }
  return delivered
}

/** @returns whether anybody answers */
async function deliverRun(folder: string, transport: Transport, token: string, { told, trouble }: Delivered): Promise<boolean> {
  writeWhole(files(folder).owner, markOfProcess(process.pid))
  const report = Report.opened(folder)
  // Nothing was ever said of it.
  if (report === null) return true
  report.say({ abandoned: true })
  const { status: delivery, why } = await report.send(transport, token)
  trouble.push(...new Set(report.trouble.map((sentence) => `${report.name}: ${sentence}`)))
  if (delivery === "waiting") {
    trouble.push(`${report.name} waits: ${why}`)
    return false
  }
  if (delivery === "refused") {
    report.forget()
    return true
  }
  const { said, status } = report.state
  if (said !== "ended") {
    const kept = readBack<Kept>(files(folder).kept)
    told.push(`${report.name} is still running${kept === null ? "" : ` (process ${kept.keeper.pid})`}; what it said so far is delivered.`)
    return true
  }
  told.push(`${report.name} is delivered: ${status === "started" ? "how it ended is not known" : status.replaceAll("_", " ")}.`)
  report.forget()
  return true
}

/** Whether the credential alone that sent it may send it again. */
function isBound({ operation, body }: ReportRequest): boolean {
  const writes: readonly Pick<ReportRequest, "operation">[] =
    operation === batch.name ? trusted<{ writes: Pick<ReportRequest, "operation">[] }>(body).writes : [{ operation }]
  return writes.some((write) => operationNamed(write.operation)?.receiptOf === "credential")
}

/** The Python client's letters, as that client delivers them. @returns whether anybody answers */
async function deliverLetters(place: string, transport: Transport, token: string, { told, trouble }: Delivered): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const family = token.startsWith(tokenPrefixes.personalKey) ? "library" : "research"
  let sent = 0
  for (const name of namesIn(place).filter((each) => each.endsWith(".json") && each.includes(`-${family}-`))) {
    const file = join(place, name)
    const letter = trusted<ReportRequest>(readFileSync(file, "utf8"))
    if (letter.credential !== markOf(token) && isBound(letter)) continue
    const result = await transport.persist({ method: letter.method, path: letter.path, body: letter.body, headers, retries: 1 })
    if ("value" in result) {
      rmSync(file)
      sent += 1
      continue
    }
    const { failure, uncertain } = result
    const isFinal = failure instanceof RefusedError && !uncertain && !failure.retryable && failure.status !== 401 && failure.status < 500
    const why = failure instanceof Error ? failure.message : String(failure)
    trouble.push(`${letter.operation} ${isFinal ? "was not taken" : "waits"}: ${why}`)
    if (!isFinal) return false
    const aside = join(place, "refused")
    makeFolder(aside)
    writeFileSync(join(aside, name.replace(/json$/, "txt")), why)
    renameSync(file, join(aside, name))
  }
  if (sent > 0) told.push(`${sent} ${sent === 1 ? "write is" : "writes are"} delivered.`)
  return true
}
