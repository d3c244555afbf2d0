/**
 * Hostile texts over HTTP: nothing is rendered for a stranger, and a Thread full of the costliest texts delays nobody
 * else.
 */
import { setImmediate as turn } from "node:timers/promises"
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { definitions, texts } from "../reliability/hostile/texts.ts"

const demo = await startDemo({
  host: "127.0.0.1",
  port: 0,
  kept: process.env.TOLD_DEMO,
  log: openLog("silent"),
})
t.teardown(() => demo.close())
const { baseUrl, rooms, credentials, people } = demo
const threadId = rooms.empty.openingThreadId
const origin = new URL(baseUrl).origin

const form = (operation: string, fields: Record<string, string>, cookie?: string) =>
  fetch(`${baseUrl}/web/${operation}`, {
    method: "POST",
    redirect: "manual",
    headers: {
      origin,
      "content-type": "application/x-www-form-urlencoded",
      ...(cookie === undefined ? {} : { cookie }),
    },
    body: new URLSearchParams(fields),
  })

async function signedIn(): Promise<string> {
  const answer = await fetch(`${baseUrl}/api/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ username: people.member.username, password: people.member.password }),
  })
  t.equal(answer.status, 200, "the member signs in")
  return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? ""
}

t.test("nothing is previewed, added or removed for a signed-out reader", async (t) => {
  const doubling = `$${definitions[0]?.text}$`
  for (const asked of [{ _preview: "1" }, { _add: "/concepts" }, { _remove: "/concepts/0" }]) {
    const answer = await form("post_message", { threadId, "/text": doubling, ...asked })
    const page = await answer.text()
    t.equal(answer.status, 401, JSON.stringify(asked))
    t.notMatch(page, /xxxxxxxx/, "and nothing of what was sent is returned")
  }
})

t.test(
  "for a signed-in person a preview accepts no more than the field does, and a form no more than its operation",
  async (t) => {
    const cookie = await signedIn()
    const preview = async (text: string) =>
      await (await form("post_message", { threadId, "/text": text, _preview: "1" }, cookie)).text()
    t.match(await preview("**bold**"), /<strong>bold<\/strong>/)
    for (const { name, text } of definitions) {
      const page = await preview(`$${text}$`)
      t.match(page, /formulas cannot define commands/, name)
      t.ok(page.length < 60_000, `${name}: ${page.length}`)
    }
    t.match(await preview("**x** ".repeat(3_400)), /longer than 20,000 characters/)
    t.notMatch(await preview("**x** ".repeat(3_400)), /<strong>x/)
    t.equal((await form("post_message", { threadId, "/text": "x".repeat(300_000), _preview: "1" }, cookie)).status, 413)
    const items = await form(
      "publish_finding",
      { "#/evidence": "200", "#/concepts": "200", "#/assertion/roles": "200", _add: "/evidence" },
      cookie,
    )
    t.ok((await items.text()).length < limits.pageBytes, "nor does a form grow beyond a page")
  },
)

t.test("a Thread of the costliest texts is read to its end, page by page, and delays nobody", async (t) => {
  const costly = texts().slice(0, 80)
  for (const { name, text } of costly) {
    const sent = await fetch(`${baseUrl}/api/agent/threads/${threadId}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${credentials.owner_all.token}`, "content-type": "application/json" },
      body: JSON.stringify({ schemaVersion: 3, clientMessageId: crypto.randomUUID(), text }),
    })
    t.equal(sent.status, 200, name)
  }
  // A small read waits for the serving thread's turns before it. The longest turn is measured in processor time of this
  // thread, which a busy machine does not change; `waited` is wall-clock time, which it does.
  let [longest, waited, isReading] = [0, 0, true]
  const turns = (async () => {
    for (let start = process.threadCpuUsage(); isReading; start = process.threadCpuUsage()) {
      await turn()
      const { user, system } = process.threadCpuUsage(start)
      longest = Math.max(longest, (user + system) / 1_000)
    }
  })()
  const bystander = (async () => {
    while (isReading) {
      const start = performance.now()
      await (await fetch(`${baseUrl}/api/health`)).text()
      waited = Math.max(waited, performance.now() - start)
      await turn()
    }
  })()
  const seen = new Set<string>()
  let path: string | undefined = `/threads/${threadId}?after=0`
  let [pages, largest] = [0, 0]
  while (path !== undefined) {
    const page: string = await (await fetch(`${baseUrl}${path}`)).text()
    for (const [, id = ""] of page.matchAll(/id="entry-([0-9a-f-]{36})"/g)) seen.add(id)
    largest = Math.max(largest, Buffer.byteLength(page))
    pages += 1
    path = /<a href="([^"]+)" rel="next">/.exec(page)?.[1]?.replaceAll("&amp;", "&")
  }
  isReading = false
  await Promise.all([turns, bystander])
  t.comment({ pages, largest, longest, waited, entries: seen.size })
  t.ok(pages > 1 && pages < 20, `${pages} pages`)
  t.ok(largest <= limits.pageBytes, `the largest has ${largest} bytes`)
  t.ok(seen.size >= costly.length, `${seen.size} entries were seen`)
  t.ok(longest < 125, `the longest turn took ${longest} ms: a small read, which needs two, waits less than 250 ms`)
  const last = [...seen].at(-1)
  const linked = await (await fetch(`${baseUrl}/threads/${threadId}?entry=${last}`)).text()
  t.match(linked, new RegExp(`id="entry-${last}"`), "a permalink shows its entry, however much is before it")
})
