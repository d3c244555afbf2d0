/**
 * A service that may open few files: connections stay below the system's limit, and running out of files ends nothing.
 */
import { spawn } from "node:child_process"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import t from "tap"
import { standardBudgets } from "../../src/edge/limits/budgets.ts"
import { belowLimit, openFilesLimit } from "../../src/edge/limits/budgets.ts"
import { temporaryFolder } from "../support/service.ts"

const root = join(import.meta.dirname, "../..")

/** Serves an empty folder with a limit on open files. */
async function serve(files: number) {
  const words = [
    "--conditions=research-room-source",
    "src/main.ts",
    "serve",
    "--port",
    "0",
    "--data",
    temporaryFolder(),
  ]
  const child = spawn("bash", ["-c", `ulimit -n ${files}; exec "$0" "$@"`, process.execPath, ...words], { cwd: root })
  let [said, logged] = ["", ""]
  child.stdout.on("data", (piece) => (said += piece))
  child.stderr.on("data", (piece) => (logged += piece))
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
  let isOver = false
  void ended.then(() => (isOver = true))
  while (!/http:\/\/127\.0\.0\.1:\d+/.test(said + logged) && !isOver)
    await new Promise((resolve) => setTimeout(resolve, 50))
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said + logged)?.[0] ?? ""
  return {
    address,
    log: () => logged,
    isOver: () => isOver,
    async close() {
      child.kill("SIGTERM")
      return ended
    },
  }
}

/** Opens idle connections; `end` or `close` reports those that were closed. */
const idle = (address: string, many: number): Promise<Socket[]> => {
  const { hostname, port } = new URL(address)
  return Promise.all(
    Array.from(
      { length: many },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect(Number(port), hostname, () => resolve(socket))
          socket.on("error", () => resolve(socket))
        }),
    ),
  )
}

t.test(
  "with 1,024 files and 1,100 idle connections it continues to serve, and says at its start that it takes fewer",
  async (t) => {
    const service = await serve(1_024)
    t.teardown(() => service.close())
    t.match(service.log(), /"files":1024,"connections":624/)
    const sockets = await idle(service.address, 1_100)
    // Longer than all repeated checks take.
    for (let look = 0; look < 7; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      t.equal((await fetch(`${service.address}/api/health/ready`)).status, 200)
    }
    t.match(await (await fetch(`${service.address}/metrics`)).text(), /^research_room_connections_open \d+$/m)
    t.notMatch(service.log(), /EMFILE/)
    for (const socket of sockets) socket.destroy()
    t.equal(await service.close(), 0)
  },
)

t.test("if even that exceeds the number of files, nothing ends", async (t) => {
  const service = await serve(64)
  t.teardown(() => service.close())
  const sockets = await idle(service.address, 200)
  await new Promise((resolve) => setTimeout(resolve, 7_000))
  t.notOk(service.isOver(), service.log())
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 500))
  t.equal((await fetch(`${service.address}/api/health/ready`)).status, 200)
  t.equal(await service.close(), 0)
})

t.test("the limit is found, and the number of connections stays below it", (t) => {
  t.ok((openFilesLimit() ?? 0) > 0)
  t.equal(belowLimit(standardBudgets, null), standardBudgets)
  t.same(belowLimit(standardBudgets, 1_000_000), standardBudgets)
  t.same(belowLimit(standardBudgets, 1_024).connections, { total: 624, each: 500 })
  t.same(belowLimit(standardBudgets, 100).connections, { total: 16, each: 16 })
  t.end()
})
