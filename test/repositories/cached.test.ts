/** The shared cache window, shown by counting the requests that reach the stand-in. */
import { type Test, test } from "tap"
import { type RepositorySource, githubCheck, cached } from "../../src/repositories/configured.ts"
import { Clock } from "./clock.ts"
import { GitHubStandIn, said } from "./github-stand-in.ts"

const COMMIT = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d"
const OTHER = "0123456789abcdef0123456789abcdef01234567"

async function window(t: Test, { limit = 5000 } = {}) {
  const clock = new Clock()
  const host = await GitHubStandIn.start(clock.now)
  host.limits.authorized = limit
  const repository = host.add("octo/maze", { commits: [COMMIT] })
  const source = cached(githubCheck({ api: host.url, token: host.token, now: clock.now }), clock.now)
  t.teardown(() => host.close())
  return { clock, host, repository, source }
}

const ask = (source: RepositorySource, commit = COMMIT, url = "https://github.com/octo/maze") =>
  source.check({ url, commit })

// shows: A success of a reference check is reused for two minutes, then revalidated; concurrent checks share one
//   request.
test("sixteen callers at once share two requests", async (t) => {
  const { host, source } = await window(t)
  const answers = await Promise.all(Array.from({ length: 16 }, () => ask(source)))
  t.same(
    answers,
    Array.from({ length: 16 }, () => ({ ok: true })),
  )
  t.equal(host.asked.length, 2)
})

// shows: A success of a reference check is reused for two minutes, then revalidated; concurrent checks share one
//   request.
test("a success is reused for two minutes, then revalidated", async (t) => {
  const { clock, host, source } = await window(t)
  await ask(source)
  clock.pass(119)
  t.same(await ask(source), { ok: true })
  t.equal(host.asked.length, 2, "still the same window")
  clock.pass(1)
  t.same(await Promise.all([ask(source), ask(source)]), [{ ok: true }, { ok: true }])
  t.same(
    host.asked.slice(2).map(({ status }) => status),
    [304, 304],
  )
  for (const { headers } of host.asked.slice(2)) t.match(headers["if-none-match"], /^W\/"[0-9a-f]{64}"$/)
  clock.pass(119)
  await ask(source)
  t.equal(host.asked.length, 4, "and that starts the next window")
})

test("revalidating notices changes", async (t) => {
  const { clock, repository, source } = await window(t)
  t.same(await ask(source), { ok: true })
  repository.visibility = "private"
  t.same(await ask(source), { ok: true }, "not within the window")
  clock.pass(120)
  t.match(await ask(source), { ok: false, reason: /no public repository/ })
  clock.pass(120)
  repository.visibility = "public"
  repository.commits.delete(COMMIT)
  t.match(await ask(source), { ok: false, reason: /no such commit/ })
})

test("each commit and each repository has its own window, however the address is written", async (t) => {
  const { host, repository, source } = await window(t)
  repository.commits.add(OTHER)
  await ask(source)
  await ask(source, OTHER)
  t.equal(host.asked.length, 4)
  await ask(source, COMMIT, "https://github.com/octo/maze.git")
  await ask(source, COMMIT, "https://GITHUB.com/octo/maze")
  t.equal(host.asked.length, 4)
  t.match(await ask(source, COMMIT, "https://github.com/octo/other"), { ok: false })
  t.equal(host.asked.length, 5)
})

test("only a success is reused: a commit pushed a second later is found", async (t) => {
  const { clock, host, repository, source } = await window(t)
  t.same(await ask(source, OTHER), { ok: false, reason: "GitHub finds no such commit in octo/maze." })
  repository.commits.add(OTHER)
  clock.pass(1)
  t.same(await ask(source, OTHER), { ok: true })
  clock.pass(100)
  t.same(await ask(source, OTHER), { ok: true })
  t.equal(host.asked.length, 4, "and that success is reused")
})

test("a failure is never taken for a success, and the host is asked again at once", async (t) => {
  const { host, source } = await window(t)
  host.next(said(502, "Server Error", "rest"))
  t.same(await ask(source), { ok: null, reason: "GitHub could not answer (status 502).", retryAfter: null })
  t.same(await ask(source), { ok: true })
  t.equal(host.asked.length, 3)
})

test("the request budget holds under a storm of failures", async (t) => {
  const { clock, host, source } = await window(t, { limit: 60 })
  for (let asked = 0; asked < 300; asked += 1) {
    await Promise.all([ask(source, OTHER), ask(source, OTHER)])
    clock.pass(1)
  }
  const counted = host.asked.filter(({ status }) => status !== 304).length
  t.ok(counted <= 60, `${counted} requests that count for 600 questions; revalidating is free`)
  t.match(await ask(source, OTHER), { ok: null, reason: /used up/ }, "and later callers learn when to ask again")
})

test("a host that gives no visibility is not public", async (t) => {
  const { host, source } = await window(t)
  host.next({ words: JSON.stringify({ private: false }) })
  t.match(await ask(source), { ok: false, reason: /no public repository/ })
})

test("a success that cannot be revalidated is dropped", async (t) => {
  const { clock, host, source } = await window(t)
  await ask(source)
  clock.pass(120)
  host.next("cut")
  t.match(await ask(source), { ok: null })
  clock.pass(120)
  t.same(await ask(source), { ok: true })
})

test("a limit that lasts longer than the window gives its own end", async (t) => {
  const { host, source } = await window(t)
  host.next(said(403, "You have exceeded a secondary rate limit.", "rest", { "retry-after": "600" }))
  t.match(await ask(source), { ok: null, retryAfter: 600 })
})

test("an answer without a request delays nobody", async (t) => {
  const { clock, host, source } = await window(t, { limit: 3 })
  await ask(source, OTHER)
  clock.pass(3590)
  t.match(await ask(source), { ok: null, retryAfter: 10 })
  clock.pass(10)
  t.same(await ask(source), { ok: true }, "ten seconds later, and not two minutes")
  t.equal(host.asked.length, 4)
})

// shows: At most two requests a commit in each window.
test("any two minutes see at most two requests for an existing commit, however often it is asked for", async (t) => {
  const { clock, host, source } = await window(t)
  const times: number[] = []
  for (let step = 0; step < 400; step += 1) {
    const before = host.asked.length
    await Promise.all([ask(source), ask(source), ask(source)])
    times.push(...Array.from({ length: host.asked.length - before }, clock.now))
    clock.pass(1 + (step % 13) * 3)
  }
  t.ok(times.length > 50, `${times.length} requests in all`)
  for (const time of times) t.ok(times.filter((other) => other >= time && other < time + 120_000).length <= 2)
})

test("a source that does not know the repository, or fails by mistake, is asked again", async (t) => {
  const { now } = new Clock()
  const answers = [() => null, () => Promise.reject(new RangeError("a mistake")), () => ({ ok: true }) as const]
  const source = cached({ check: async () => answers.shift()?.() ?? null }, now)
  t.equal(await ask(source), null)
  await t.rejects(ask(source), /a mistake/)
  t.same(await ask(source), { ok: true })
})
