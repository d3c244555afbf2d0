/** The walk with curl and what the README shows of it run as they stand, line by line as a person pastes them. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startResearchRoom } from "research-room/testing"
import tap, { type Test } from "tap"
import { startOwn } from "./support/service.ts"

const root = join(import.meta.dirname, "..")
const text = (file: string) => readFileSync(join(root, file), "utf8")
/** What stands in the first block of shell under a heading. */
const block = (file: string, heading: string): string =>
  new RegExp(`^## ${heading}[^]*?\`\`\`sh\\n([^]*?)\`\`\``, "m").exec(text(file))?.[1] ?? ""

const hasAll = ["curl", "bash", "node"].every((program) => spawnSync(program, ["--version"]).status === 0)

async function pasted(t: Test, script: string, given: Readonly<Record<string, string>>): Promise<string> {
  t.ok(script.length > 100, "there is something to run")
  const folder = mkdtempSync(join(tmpdir(), "research-room-walk-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const told = spawn("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env: { ...process.env, ...given } })
  let [out, failed] = ["", ""]
  told.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece))
  told.stderr.setEncoding("utf8").on("data", (piece: string) => (failed += piece))
  const [code] = (await once(told, "close")) as [number]
  t.strictSame([code, failed], [0, ""], "it runs", { out })
  t.notMatch(out, /"refusal":"/, "and nothing is refused")
  return out
}
/** The same lines, at the address where this test serves. */
const at = (baseUrl: string, script: string): string => script.replace(/^B=http:\/\/127\.0\.0\.1:\d+$/m, `B=${baseUrl}`)

if (!hasAll) tap.comment("curl, bash or node is missing on this machine: the walk was not gone")
else {
  const setUp = block(".github/walk.md", "From set-up to the first hypothesis")

  tap.test("from set-up to the first hypothesis", async (t) => {
    const own = await startOwn()
    t.teardown(() => own.close())
    const out = await pasted(t, at(own.baseUrl, setUp), { TOKEN: own.instance.accounts.openSetUp() ?? "" })
    t.match(out, /"replayed":true/)
    t.match(out, /"kind":"room_created"/)
    t.match(out, /"label":"H1"/)
  })

  tap.test("the working half, with what the first half defines", async (t) => {
    const house = await startResearchRoom()
    t.teardown(() => house.close())
    const { url, commit } = house.repositories.public
    const helpers = setUp
      .split("\n")
      .filter((line) => /^(?:field|id|agent)\(\)/.test(line))
      .join("\n")
    const given = {
      B: house.baseUrl,
      KEY: house.credentials.member_all.token,
      ROOM: house.rooms.empty.roomId,
      THREAD: house.rooms.empty.openingThreadId,
      REPOSITORY: JSON.stringify({ url, commit }),
    }
    const out = await pasted(t, `${helpers}\n${block(".github/walk.md", "The working half")}`, given)
    t.match(out, /"argvComparedWith":"with"/)
    t.match(out, /"status":"succeeded"/)
  })

  tap.test("the Library of one person", async (t) => {
    const house = await startResearchRoom()
    t.teardown(() => house.close())
    const given = { BASE: house.baseUrl, PERSONAL_KEY: house.keys.all.token }
    t.match(await pasted(t, block(".github/walk.md", "The Library of one person"), given), /"saved":\["1706\.03762"|"alreadySaved":\["1706/)
  })

  tap.test("the README's way in with curl", async (t) => {
    const house = await startResearchRoom()
    t.teardown(() => house.close())
    const { roomId: ROOM, openingThreadId: THREAD } = house.rooms.empty
    const given = { ROOM, THREAD, TOKEN: house.credentials.member_all.token }
    const out = await pasted(t, at(house.baseUrl, block("README.md", "With curl")), given)
    t.match(out, /Let us write the prediction down\./, "and reads what it wrote")
    t.match(out, new RegExp(`"threadId":"${THREAD}"`))
  })
}
