/** How many requests are sent to GitHub, and when none is. */
import { type Test, test } from "tap"
import { type RepositorySource, githubCheck } from "../../src/repositories/configured.ts"
import { type ApiResponse, Budget } from "../../src/repositories/github/api.ts"
import { Clock } from "./clock.ts"
import { GitHubStandIn, said } from "./github-stand-in.ts"

/** The commit with this number; the stand-in's repository has all of them. */
const commit = (number: number) => number.toString(16).padStart(40, "0")
const ask = (source: RepositorySource, number: number) =>
  source.check({ url: "https://github.com/octo/maze", commit: commit(number) })

async function github(t: Test) {
  const clock = new Clock()
  const host = await GitHubStandIn.start(clock.now)
  host.add("octo/maze", { commits: Array.from({ length: 200 }, (_, number) => commit(number)) })
  t.teardown(() => host.close())
  return { clock, host, check: (token: string | null) => githubCheck({ api: host.url, token, now: clock.now }) }
}

// shows: An exhausted budget is 503 with retryAfter.
// shows: Sixty requests an hour without a token; with one, its own limit.
test("without a token, sixty requests an hour are sent and no more", async (t) => {
  const { clock, host, check } = await github(t)
  const source = check(null)
  for (let number = 0; number < 30; number += 1) t.same(await ask(source, number), { ok: true })
  t.equal(host.asked.length, 60, "revalidating the repository counts without a token")

  clock.pass(600)
  t.match(await ask(source, 30), { ok: null, reason: /used up/, retryAfter: 3000 })
  t.equal(host.asked.length, 60, "nothing was sent")
  clock.pass(2999)
  t.match(await ask(source, 30), { ok: null, retryAfter: 1 })
  clock.pass(1)
  t.same(await ask(source, 30), { ok: true }, "a new hour")
})

test("a host that reports no limits is still asked at most sixty times an hour", async (t) => {
  const clock = new Clock()
  let requests = 0
  const fetch: typeof globalThis.fetch = async (input) => {
    requests += 1
    return Response.json({ private: false, visibility: "public", sha: String(input).slice(-40) })
  }
  const source = githubCheck({ api: "https://api.example", token: null, fetch, now: clock.now })
  for (let number = 0; number < 40; number += 1) await ask(source, number)
  t.equal(requests, 60)
  t.match(await ask(source, 1), { ok: null, retryAfter: 3600 })
  clock.pass(3600)
  t.same(await ask(source, 1), { ok: true })
})

test("failed requests count too", async (t) => {
  let requests = 0
  const fetch = async () => {
    requests += 1
    throw new TypeError("fetch failed")
  }
  const { now } = new Clock()
  const source = githubCheck({ api: "https://api.example", token: null, fetch, now })
  for (let number = 0; number < 80; number += 1) await ask(source, number)
  t.equal(requests, 59, "the sixtieth is not used, since no check fits into it")
})

// shows: Sixty requests an hour without a token; with one, its own limit.
test("with a token, its own limit is read from the answers, and revalidating is free", async (t) => {
  const { clock, host, check } = await github(t)
  host.limits.authorized = 11
  const source = check(host.token)
  for (let number = 0; number < 9; number += 1) t.same(await ask(source, number), { ok: true })
  t.equal(host.asked.filter(({ status }) => status === 304).length, 8, "the repository was read once")
  t.match(await ask(source, 9), { ok: null, retryAfter: 3600 }, "one request is left, and a check may need two")
  t.equal(host.asked.length, 18)
  clock.pass(3600)
  t.same(await ask(source, 9), { ok: true })
})

test("requests by others from the same address count", async (t) => {
  const { host, check } = await github(t)
  const [ours, theirs] = [check(null), check(null)]
  for (let number = 0; number < 28; number += 1) await ask(theirs, number)
  t.same(await ask(ours, 50), { ok: true })
  t.same(await ask(ours, 51), { ok: true })
  t.match(await ask(ours, 52), { ok: null })
  t.match(await ask(theirs, 53), { ok: null }, "a process that does not know yet learns it from the refusal")
  t.equal(host.asked.at(-1)?.status, 403)
  const before = host.asked.length
  t.match(await ask(theirs, 53), { ok: null, retryAfter: 3600 })
  t.equal(host.asked.length, before)
})

test("concurrent checks do not spend the budget twice", async (t) => {
  const { host, check } = await github(t)
  host.limits.authorized = 20
  const source = check(host.token)
  await ask(source, 0)
  const answers = await Promise.all(Array.from({ length: 40 }, (_, number) => ask(source, number + 1)))
  t.notOk(
    host.asked.some(({ status }) => status === 403),
    "GitHub never had to refuse",
  )
  t.ok(answers.filter((answer) => answer?.ok).length >= 8, "and the budget was used")
})

test("a secondary limit stops all requests for as long as it says", async (t) => {
  const { clock, host, check } = await github(t)
  const source = check(host.token)
  const page = "rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
  const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
  for (const [refusal, seconds] of [
    [said(403, secondary, page, { "retry-after": "30" }), 30],
    [said(429, secondary, page, { "retry-after": "7" }), 7],
    [said(403, secondary, page), 60],
    [said(429, "Too many requests", page), 60],
    [said(429, "Too many requests", page, { "retry-after": "999999999" }), 3600],
  ] as const) {
    host.next(refusal)
    t.same(await ask(source, 1), {
      ok: null,
      reason: "The rate limit of GitHub for this server is used up for now.",
      retryAfter: seconds,
    })
    const before = host.asked.length
    clock.pass(seconds - 1)
    t.match(await ask(source, 2), { ok: null, retryAfter: 1 }, "another commit waits as well")
    t.equal(host.asked.length, before)
    clock.pass(1)
    t.same(await ask(source, 2), { ok: true })
  }
})

test("a wrong clock here does no harm", async (t) => {
  const { host } = await github(t)
  host.limits.anonymous = 2
  for (const wrong of [-86_400_000, 86_400_000]) {
    const { now } = new Clock()
    const source = githubCheck({ api: host.url, token: null, now: () => now() + wrong })
    await ask(source, 1)
    t.match(await ask(source, 2), { ok: null, retryAfter: 3600 })
  }
})

test("the budget as it is believed to be", (t) => {
  const clock = new Clock()
  const seconds = clock.now() / 1000
  const answer = (remaining: number, reset: number): ApiResponse => ({
    status: 200,
    text: "",
    headers: new Headers({
      "x-ratelimit-remaining": String(remaining),
      "x-ratelimit-reset": String(reset),
      date: new Date(clock.now()).toUTCString(),
    }),
  })
  const budget = new Budget(clock.now, true)
  const settle = (answered: ApiResponse | null) => {
    budget.take()
    budget.settle(answered)
  }
  t.equal(budget.wait(2), 0, "with a token nothing is assumed")
  settle(answer(5, seconds + 100))
  settle(answer(7, seconds + 100))
  t.equal(budget.wait(6), 100, "an answer that was overtaken gives nothing back")
  t.equal(budget.wait(5), 0)
  settle(answer(5000, seconds - 5000))
  t.equal(budget.wait(6), 100, "nor does one from an earlier hour")
  settle(answer(0, seconds + 1_000_000))
  t.equal(budget.wait(4), 0, "an hour that lasts eleven days is not believed")
  t.equal(budget.wait(5), 100, "but the request is counted")
  settle(answer(9, seconds + 200))
  t.equal(budget.wait(9), 0, "a new hour is")
  t.equal(budget.wait(10), 200)
  t.end()
})
