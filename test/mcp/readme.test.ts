/** What the README shows of MCP runs as it stands. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import t from "tap"

const lines = /## With MCP\n[^]*?```sh\n([^]*?)```/.exec(readFileSync(join(import.meta.dirname, "../../README.md"), "utf8"))?.[1] ?? ""
const isHere = (program: string) => spawnSync(program, ["--version"]).status === 0

if (isHere("curl") && isHere("bash")) {
  t.test("with curl", async (t) => {
    const house = await startResearchRoom()
    t.teardown(() => house.close())
    const env = { ...process.env, B: house.baseUrl, TOKEN: house.credentials.member_all.token, ROOM: house.rooms.empty.roomId }
    const told = spawn("bash", ["-ec", lines.replaceAll("}'\n", "}'; echo\n")], { env })
    let [text, failed] = ["", ""]
    told.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece))
    told.stderr.setEncoding("utf8").on("data", (piece: string) => (failed += piece))
    await once(told, "close")
    t.equal(failed, "")
    const answers = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { result: { tools?: unknown[]; content?: { text: string }[]; isError?: boolean } })
    t.equal(answers[0]?.result.tools?.length, 13)
    t.match(answers[1]?.result.content?.[0]?.text, /A Room to write in/)
    t.match(answers[2]?.result, { isError: false, content: [{ text: /"operation":"create_thread"/ }] })
  })
} else t.comment("curl or bash is missing on this machine: what the README shows of MCP was not run")
