/** The order of system calls, seen by strace: whether the log was synchronised before a write was acknowledged. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { message } from "../../support/bodies.ts"
import type { Agent, Ground } from "../support/ground.ts"
import { written } from "../support/journal.ts"
import { Line } from "../support/line.ts"
import { found } from "./disk.ts"

const CALLS = "pwrite64,fdatasync,fsync,write,writev,sendto,sendmsg"

/**
 * @returns null if the machine has no strace or does not allow it; else the problems, and the number of answers checked
 */
export async function synchronisedFirst(
  ground: Ground,
  data: string,
  writes: number,
): Promise<{ problems: string[]; answers: number } | null> {
  const strace = found("strace")
  if (strace === null) return null
  ground.copy(data)
  const trace = join(ground.place.folder, `${data}.strace`)
  const started = ground.serve(data, { shell: `exec ${strace} -f -y -s 4096 -e trace=${CALLS} -o ${trace} "$0" "$@"` })
  const service = await started.catch(() => null)
  if (service === null) return null

  const agent = ground.agents.find(({ room, permissions }) => room !== null && permissions.has("post_thread")) as Agent
  const line = new Line(service.baseUrl)
  for (let n = 0; n < writes; n += 1) {
    const threadId = agent.room?.openingThreadId as string
    await line.send(written(agent, { name: "post_message", params: { threadId }, body: message(`Message ${n}.`) }))
  }
  line.close()
  // The started process is strace, which blocks signals, and ends with the service.
  process.kill(Number(readFileSync(join(ground.place.folder, data, "serve.pid"), "utf8")), "SIGTERM")
  await service.ended()
  return inOrder(readFileSync(trace, "utf8").split("\n"), writes)
}

/**
 * A frame of the log is a header of 24 bytes and a page. Bytes 5 to 8 of the header are 0 except in the last frame of a
 * transaction.
 */
const HEADER = /pwrite64\(\d+<[^>]*-wal>, "(?:\\\d{1,3}|\\.|[^\\]){4}((?:\\\d{1,3}|\\.|[^\\]){4}).*, 24, \d+/
const PAGE = /pwrite64\(\d+<[^>]*-wal>/
const SYNC = /^(?<thread>\d+) +f(?:data)?sync\(\d+<[^>]*-wal>(?:\) += (?<result>-?\d+)| <unfinished)/
const SYNC_ENDED = /^(?<thread>\d+) +<\.\.\. f(?:data)?sync resumed>\) += (?<result>-?\d+)/
const ANSWER = /(?:write|writev|sendto|sendmsg)\(\d+<(?:socket|TCP)[^>]*>.*HTTP\/1\.1 200/

/**
 * Reads a trace: the n-th answer must come after a synchronisation of the log that began after the transaction with the
 * n-th message was whole in the log. The search index is written soon after a write, so other transactions may be under
 * way when it is answered.
 */
export function inOrder(trace: readonly string[], writes: number): { problems: string[]; answers: number } {
  const problems: string[] = []
  const [written, committed, synchronised] = [new Set<number>(), new Set<number>(), new Set<number>()]
  /** What was whole in the log when a thread began to synchronise it. */
  const covered = new Map<string, readonly number[]>()
  let [answers, isLastFrame] = [0, false]
  for (const call of trace) {
    const header = HEADER.exec(call)
    const sync = SYNC.exec(call)
    if (header !== null) isLastFrame = !/^(?:\\0|\\000){4}$/.test(header[1] ?? "")
    else if (PAGE.test(call)) {
      for (const [, n] of call.matchAll(/Message (\d+)\./g)) written.add(Number(n))
      if (isLastFrame) for (const n of written) committed.add(n)
      isLastFrame = false
    } else if (ANSWER.test(call)) {
      const missing = !written.has(answers) ? "written to" : "synchronised in"
      if (!synchronised.has(answers))
        problems.push(`Message ${answers} was acknowledged before it was ${missing} the log: ${call.slice(0, 300)}`)
      answers += 1
    }
    const { thread = "", result } = (sync ?? SYNC_ENDED.exec(call))?.groups ?? {}
    if (sync !== null) covered.set(thread, [...committed])
    if (result === undefined) continue
    if (result === "0") for (const n of covered.get(thread) ?? []) synchronised.add(n)
    covered.delete(thread)
  }
  if (answers < writes) problems.push(`The trace shows ${answers} of ${writes} answers.`)
  return { problems, answers }
}
