/** What the system is asked, in order, seen by strace: whether the log was synchronised before a write was acknowledged. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { message } from "../../support/bodies.ts"
import type { Agent, Ground } from "../support/ground.ts"
import { written } from "../support/journal.ts"
import { Line } from "../support/line.ts"
import { found } from "./disk.ts"

const CALLS = "pwrite64,fdatasync,fsync,write,writev,sendto,sendmsg"

/** @returns null where the machine has no strace or does not let it; else what was wrong, and how many answers were looked at */
export async function synchronisedFirst(
  ground: Ground,
  data: string,
  writes: number,
): Promise<{ problems: string[]; answers: number } | null> {
  const strace = found("strace")
  if (strace === null) return null
  ground.copy(data)
  const trace = join(ground.place.folder, `${data}.strace`)
  const started = ground.serve(data, { shell: `exec ${strace} -f -y -s 40 -e trace=${CALLS} -o ${trace} "$0" "$@"` })
  const service = await started.catch(() => null)
  if (service === null) return null

  const agent = ground.agents.find(({ room, permissions }) => room !== null && permissions.has("post_thread")) as Agent
  const line = new Line(service.baseUrl)
  for (let n = 0; n < writes; n += 1) {
    const threadId = agent.room?.openingThreadId as string
    await line.send(written(agent, { name: "post_message", params: { threadId }, body: message(`Message ${n}.`) }))
  }
  line.close()
  // What was started is strace, which blocks signals, and ends with the service.
  process.kill(Number(readFileSync(join(ground.place.folder, data, "serve.pid"), "utf8")), "SIGTERM")
  await service.ended()
  return inOrder(readFileSync(trace, "utf8").split("\n"), writes)
}

/** Reads a trace: each answer must come after a synchronisation of the log that comes after the last write to it. */
export function inOrder(trace: readonly string[], writes: number): { problems: string[]; answers: number } {
  const problems: string[] = []
  let [dirty, wroteLog, answers] = [false, false, 0]
  for (const call of trace) {
    if (/pwrite64\(\d+<[^>]*-wal>/.test(call)) [dirty, wroteLog] = [true, true]
    else if (/f(?:data)?sync\(\d+<[^>]*-wal>/.test(call)) dirty = false
    else if (/(?:write|writev|sendto|sendmsg)\(\d+<(?:socket|TCP)[^>]*>.*HTTP\/1\.1 200/.test(call)) {
      answers += 1
      if (dirty) problems.push(`An answer was sent before the log was synchronised: ${call}`)
      if (!wroteLog) problems.push(`An answer was sent and nothing was written to the log: ${call}`)
      wroteLog = false
    }
  }
  if (answers < writes) problems.push(`The trace shows ${answers} of ${writes} answers.`)
  return { problems, answers }
}
