/**
 * What a table was read as is said before anything is kept: `research-room metrics` asks at its terminal and reports
 * nothing without a yes, and an agent sees it in a rehearsal over MCP.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { overHttp } from "../../mcp/agent.ts"
import { missing, python } from "../../runs/place.ts"
import { temporaryFolder } from "../../support/service.ts"

/** Runs a command at a terminal of its own and types each line that is given, once the command has asked. */
const AT_A_TERMINAL = `import os, pty, sys
child, terminal = pty.fork()
if child == 0: os.execv(sys.argv[2], sys.argv[2:])
said, typed = b"", False
while True:
    try: piece = os.read(terminal, 4096)
    except OSError: break
    if not piece: break
    said += piece
    if b"[y/N] " in said and not typed:
        typed = True
        os.write(terminal, sys.argv[1].encode() + b"\\n")
sys.stdout.buffer.write(said)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))`

const house = await startResearchRoom()
t.teardown(() => house.close())
const client = house.client("member_all")
const { roomId, openingThreadId: threadId } = house.rooms.empty
const { url, commit } = house.repositories.public
const proposal = { roomId, threadId, question: "Does it?", scope: "Here.", hypotheses: [] }
const { experimentId } = (await client.write("propose_experiment", proposal)).result
await client.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
const attemptId = crypto.randomUUID()
await client.write("register_attempt", {
  ...{ attemptId, experimentId, expectedRevision: 2, expectedStatus: "claimed", intent: "exploratory" },
  ...{ repository: { url, commit }, argv: ["run"], configuration: {}, inputs: [] },
})
const { affordances } = await client.read("attempt", { attemptId })
const reportedAt = new Date().toISOString()
await client.write("report_attempt_event", { attemptId, event: "started", ...affordances.expected, reportedAt })
const csv = "key,value,step,timestamp\nloss,0.5,3,1700000000000\nloss,0.25,4,1700000000001\n"
const kept = async () => (await client.read("attempt", { attemptId })).metrics.map(({ value }) => value)

t.test("over MCP, a rehearsal says it", async (t) => {
  const agent = await overHttp(house.baseUrl, house.credentials.member_all.token)
  t.teardown(agent.close)
  const { expected } = (await client.read("attempt", { attemptId })).affordances
  const input = { attemptId, event: "progress", ...expected, reportedAt, table: { csv } }
  const { body } = await agent.call("rehearse", { operation: "report_attempt_event", input })
  const metrics = [{ column: "loss", values: 2, missing: 0 }]
  t.match(body, { rehearsed: true, readAs: { metrics, dimensions: [], step: "step", ignored: ["timestamp"] } })
  t.strictSame(await kept(), [])
})

const lacks = missing() ?? (process.platform === "win32" ? "there are no such terminals on Windows" : null)
t.test("at a terminal, the command says it and asks", { skip: lacks ?? false }, async (t) => {
  const file = join(temporaryFolder(), "values.csv")
  writeFileSync(file, csv)
  async function answered(answer: string) {
    const program = [process.execPath, "--conditions=research-room-source", "src/main.ts", "metrics", attemptId, file]
    const asked = [...program, "--url", house.baseUrl, "--token", house.credentials.member_all.token]
    const child = spawn(python, ["-c", AT_A_TERMINAL, answer, ...asked], { cwd: join(import.meta.dirname, "../../..") })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (piece) => (said += piece))
    const [code] = await once(child, "close")
    return { code, said, values: await kept() }
  }
  for (const no of ["", "n", "yes please"]) {
    const refused = await answered(no)
    t.match(refused.said, /values\.csv: loss: metric, 2 values; step from step; timestamp: ignored\r?\n.*Report these/)
    t.match(refused.said, /Nothing was reported\./)
    t.match([refused.code, refused.values], [1, []], `"${no}" is no yes`)
  }
  t.match(
    await answered("yes"),
    { code: 0, said: /2 values of A1 are reported/, values: [0.25] },
    "and a yes keeps them",
  )
})
