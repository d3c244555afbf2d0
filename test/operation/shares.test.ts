/** One caller of costly work has one place in its queue, whatever it asks for. */
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { Refusal } from "../../src/contract/refusals.ts"
import { Pool, Turns } from "../../src/jobs/pool.ts"
import { startOwn } from "../support/service.ts"

const job = {
  name: "image",
  bounds: { seconds: 10, megabytes: 64 },
  output: 1_000,
  tooCostly: () => new Refusal("content_too_large", "It takes too much."),
}
const given = { bytes: "", mediaType: "image/png", encode: false }

test("a caller that asks for much waits for itself, and others for one piece of its work", async (t) => {
  const pool = new Pool({ processes: 1, waiting: 2 })
  t.teardown(() => pool.close())
  const done: string[] = []
  const ask = (caller: string) => pool.run(job, given, caller).then(() => done.push(caller))
  const greedy = ["ada", "ada", "ada"].map(ask)
  await t.rejects(ask("ada"), { code: "temporarily_unavailable" }, "its own turns are bounded")
  const others = ["bob", "cleo"].map(ask)
  await t.rejects(ask("dora"), { code: "temporarily_unavailable" }, "the queue is bounded as before")
  await Promise.all([...greedy, ...others])
  t.strictSame(done.slice(0, 3), ["ada", "bob", "cleo"])
  await ask("dora")
  t.equal(done.length, 6, "no place is lost")
})

test("a caller whose work is refused does not lose its turn", async (t) => {
  const pool = new Pool({ processes: 1, waiting: 1 })
  t.teardown(() => pool.close())
  const running = pool.run(job, given, "ada")
  const waiting = pool.run(job, given, "bob")
  await t.rejects(pool.run(job, given, "cleo"), { code: "temporarily_unavailable" })
  await Promise.all([running, waiting])
  await t.resolves(pool.run(job, given, "cleo"))
})

/** The processes that this one has. */
const children = () =>
  readdirSync("/proc/self/task").flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, "utf8").split(" ").filter(Boolean),
  )
const linux = process.platform === "linux" ? false : "processes are counted in /proc"

test("where memory is short, the processes of all pools run one after the other", { skip: linux }, async (t) => {
  const most = async (turns?: Turns) => {
    const pools = [1, 2, 3].map(() => new Pool({ processes: 2, waiting: 2, turns }))
    const before = new Set(children())
    let [isOver, found] = [false, 0]
    const work = Promise.all(pools.flatMap((pool) => [pool.run(job, given), pool.run(job, given)]))
    void work.then(() => (isOver = true))
    for (; !isOver; await pause(2)) found = Math.max(found, children().filter((id) => !before.has(id)).length)
    for (const pool of pools) pool.close()
    await work
    return found
  }
  t.ok((await most()) > 1, "else they run beside each other")
  t.equal(await most(new Turns()), 1)
})

test("pasted papers have a place for each user: one who pastes much does not take those of the others", async (t) => {
  const own = await startOwn()
  t.teardown(() => own.close())
  const [ada, bob] = [await own.setUp(), await own.person("bob")]
  const text = Array.from({ length: 200 }, (_, n) => `@misc{a${n}, title={Paper ${n}}, doi={10.1000/paper.${n}}}`)
  const paste = async (browser: typeof ada) => {
    const body = { schemaVersion: 1, requestId: crypto.randomUUID(), text: text.join("\n") }
    return (await browser.request("POST", "/api/library/import_papers", body)).status
  }
  const greedy = Array.from({ length: 2 * limits.parsingWaiting }, () => paste(ada))
  const [others, hers] = [await paste(bob), await Promise.all(greedy)]
  t.equal(others, 200, "another user's is read")
  t.ok(hers.includes(200) && hers.includes(503), `her own are read in turn, and refused beyond: ${hers.join(" ")}`)
})
