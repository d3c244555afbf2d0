/**
 * Which repository an attempt is pinned to: git is asked, and no user or password of its address leaves the machine.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { endAll } from "../support/program.ts"
import { machine, missing } from "./place.ts"

const SECRET = "glpat-SECRET"

/** Everything in the files of a folder. */
const textsIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n")

const lacks = missing()
if (lacks !== null) t.comment(`${lacks}: no origin was tried`)
else {
  const here = await machine()
  t.teardown(async () => {
    endAll()
    await here.close()
  })
  const pinned = async (env: Readonly<Record<string, string>> = {}) => {
    const experimentId = await here.experiment("Where does the code come from?")
    const { code, err } = await here.program(["run", "--experiment", experimentId, "--", "true"], env).ended()
    const [attempt] = await here.attempts(experimentId)
    return { code, err, url: attempt && (await here.attempt(attempt.attemptId)).repository.url }
  }
  const origin = (address: string) => here.git("config", "remote.origin.url", address)

  for (const address of [
    "ssh://git@example.org:2222/lab/train.git",
    "gitea@example.org:lab/train.git",
    "gh:lab/train",
    `http://oauth2:${SECRET}@example.org/lab/train.git`,
    `ssh://user:${SECRET}@example.org/lab/train`,
    `https://user:p@ss${SECRET}@example.org/lab/train.git/`,
    "git://example.org/lab/train",
  ])
    t.test(`an origin ${address.replace(SECRET, "…")} is the public address`, async (t) => {
      here.git("config", "url.https://example.org/.insteadOf", "gh:")
      origin(address)
      const { code, err, url } = await pinned()
      t.equal(code, 0, err)
      t.equal(url, here.address)
    })

  t.test("a password is not stored while the service is away", async (t) => {
    origin(`http://oauth2:${SECRET}@example.org/lab/train.git`)
    const experimentId = await here.experiment("Is it kept?")
    await here.cut()
    const { code } = await here.program(["run", "--experiment", experimentId, "--", "true"]).ended()
    t.equal(code, 0)
    t.match(textsIn(here.spool), "example.org/lab/train")
    t.notMatch(textsIn(here.spool), SECRET)
    await here.mend()
    t.match(await here.program(["deliver"]).ended(), { code: 0, out: /is delivered: succeeded/ })
  })

  t.test("an address that cannot be public is refused without naming it", async (t) => {
    for (const address of [`/home/${SECRET}/train`, `file:///home/${SECRET}`, `https://user:${SECRET}/x@example.org`]) {
      origin(address)
      const { code, err } = await pinned()
      t.not(code, 0)
      t.notMatch(err, SECRET)
      t.match(err, /^research-room: [^\n]+\n$/)
    }
  })

  t.test("where git refuses, its own reason is given", async (t) => {
    here.git("remote", "rename", "origin", "upstream")
    t.match(await pinned(), { code: 2, err: /No such remote 'origin'.*--repository and --commit/ })
    here.git("remote", "rename", "upstream", "origin")
    origin("https://example.org/lab/train")
    const owned = await pinned({ GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" })
    t.match(owned, { code: 2, err: /dubious ownership.*safe\.directory/ })
  })

  t.test("a delivery that another program makes is not made twice", async (t) => {
    const experimentId = await here.experiment("Who delivers?")
    await here.cut()
    await here.program(["run", "--experiment", experimentId, "--", "true"]).ended()
    await here.mend()
    const both = await Promise.all([here.program(["deliver"]).ended(), here.program(["deliver"]).ended()])
    // One may send what the other keeps for its run. Then the next one says how the run ended.
    const told = [...both, await here.program(["deliver"]).ended()]
    t.ok(
      told.some(({ out }) => out.includes("is delivered: succeeded")),
      JSON.stringify(told),
    )
    const [attempt, ...more] = await here.attempts(experimentId)
    t.strictSame([attempt?.status, more.length], ["succeeded", 0])
  })

  t.test("writes of the Python client and reports of runs are one spool, in order", async (t) => {
    const { openingThreadId: threadId } = await here.client.read("room", { roomId: here.roomId })
    const script = `import os, research_room as r
room = r.Room(os.environ["RESEARCH_ROOM_URL"], retries=0)
try:
    room.post_message(thread_id="${threadId}", text="Said while nobody answers.")
except r.Undelivered as kept:
    print(kept.spooled is not None)`
    const file = join(here.folder, "says.py")
    writeFileSync(file, script)
    await here.cut()
    const env = {
      ...process.env,
      RESEARCH_ROOM_URL: here.url,
      RESEARCH_ROOM_TOKEN: here.token,
      RESEARCH_ROOM_SPOOL: here.spool,
    }
    t.equal(spawnSync("python3", [file], { encoding: "utf8", env }).stdout.trim(), "True")
    t.match(await here.program(["deliver"]).ended(), { code: 1, err: /post_message waits/ })
    await here.mend()
    t.match(await here.program(["deliver"]).ended(), { code: 0, out: /^1 write is delivered\.\n$/ })
    t.match(await here.program(["deliver"]).ended(), { code: 0, out: "There is nothing to deliver.\n" })
    const { items } = await here.client.read("thread_timeline", { threadId, kinds: ["message"] })
    t.equal(items.at(-1)?.message?.text, "Said while nobody answers.")
  })
}
