/** What the check concludes from GitHub's answers. The stand-in gives them as GitHub does. */
import { type Test, test } from "tap"
import * as v from "valibot"
import { type RepositoryAnswer, type RepositorySource, githubCheck } from "../../src/repositories/configured.ts"
import { GitHubApi } from "../../src/repositories/github/api.ts"
import { Clock } from "./clock.ts"
import { GitHubStandIn, type Mishap, said } from "./github-stand-in.ts"

const COMMIT = "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d"
const OTHER = "0123456789abcdef0123456789abcdef01234567"
const NOT_PUBLIC = "GitHub shows no public repository octo/maze."

/** A stand-in and its checks, with and without its token. */
async function github(t: Test, timeout = 10_000) {
  const { now } = new Clock()
  const host = await GitHubStandIn.start(now)
  const checks = {
    anonymous: githubCheck({ api: host.url, token: null, now, timeout }),
    authorized: githubCheck({ api: host.url, token: host.token, now, timeout }),
  }
  t.teardown(() => host.close())
  return { host, ...checks }
}

const ask = (source: RepositorySource, fullName: string, commit = COMMIT) =>
  source.check({ url: `https://github.com/${fullName}`, commit })
const reason = (answer: RepositoryAnswer | null) => (answer === null || answer.ok ? null : answer.reason)

test("two requests confirm a commit of a public repository", async (t) => {
  const { host, anonymous, authorized } = await github(t)
  host.add("octo/maze", { commits: [COMMIT] })

  t.same(await ask(anonymous, "octo/maze"), { ok: true })
  t.same(
    host.asked.map(({ path }) => path),
    ["/repos/octo/maze", `/repos/octo/maze/git/commits/${COMMIT}`],
  )
  for (const { headers } of host.asked) {
    t.match(headers, {
      accept: "application/vnd.github+json",
      "x-github-api-version": "2026-03-10",
      "user-agent": "research-room",
    })
    t.notOk("authorization" in headers, "without a token no header")
  }
  t.same(await ask(authorized, "octo/maze"), { ok: true })
  t.equal(host.asked.at(-1)?.headers.authorization, `Bearer ${host.token}`)
})

test("a commit that GitHub does not have is a no", async (t) => {
  const { host, anonymous } = await github(t)
  host.add("octo/maze", { commits: [COMMIT] })
  host.add("octo/new")

  t.same(await ask(anonymous, "octo/maze", OTHER), { ok: false, reason: "GitHub finds no such commit in octo/maze." })
  t.equal((await ask(anonymous, "octo/new"))?.ok, false, "an empty repository: 409")
  t.equal(host.asked.at(-1)?.status, 409)
  host.next(
    { status: 200, body: { private: false, visibility: "public" } },
    said(422, `No commit found for SHA: ${OTHER}`, "rest/commits/commits#get-a-commit"),
  )
  t.equal((await ask(anonymous, "octo/maze", OTHER))?.ok, false, "422 is a no as well")
  host.next({ status: 200, body: { private: false, visibility: "public" } }, { status: 200, body: { sha: COMMIT } })
  t.equal((await ask(anonymous, "octo/maze", OTHER))?.ok, false, "an answer about another commit proves nothing")
  t.equal(
    (await ask(anonymous, "octo/maze", COMMIT.padEnd(64, "0")))?.ok,
    false,
    "an id of SHA-256 is looked up like any other",
  )
})

// shows: A repository that is not public, or a commit that does not resolve, is 422, whatever a token could read.
test(
  "a repository that is not public is a no, whatever the token can read, " + "and its existence is not revealed",
  async (t) => {
    const { host, anonymous, authorized } = await github(t)
    const repository = host.add("octo/maze", { visibility: "private", commits: [COMMIT] })

    t.equal(reason(await ask(anonymous, "octo/maze")), NOT_PUBLIC)
    t.equal(host.asked.at(-1)?.status, 404)
    t.equal(reason(await ask(authorized, "octo/maze")), NOT_PUBLIC)
    t.equal(host.asked.at(-1)?.status, 200, "the token could read it")
    repository.visibility = "internal"
    t.equal(reason(await ask(authorized, "octo/maze")), NOT_PUBLIC)
    for (const body of [
      { private: true, visibility: "public" },
      { private: false, visibility: "private" },
    ]) {
      host.next({ status: 200, body })
      t.equal(reason(await ask(authorized, "octo/maze")), NOT_PUBLIC, "both must say public")
    }
    t.equal(reason(await ask(authorized, "octo/nowhere")), "GitHub shows no public repository octo/nowhere.")
    t.notOk(
      host.asked.some(({ path }) => path.includes("commits")),
      "no request asked for a commit in it",
    )
  },
)

test("a repository that was taken down is a no", async (t) => {
  const { host, anonymous } = await github(t)
  const repository = host.add("octo/maze", { commits: [COMMIT] })
  repository.blocked = "tos"
  t.equal((await ask(anonymous, "octo/maze"))?.ok, false)
  t.equal(host.asked.at(-1)?.status, 403)
  repository.blocked = "dmca"
  t.equal((await ask(anonymous, "octo/maze"))?.ok, false)
  t.equal(host.asked.at(-1)?.status, 451)
  host.next(said(410, "Gone", "rest"))
  t.equal((await ask(anonymous, "octo/maze"))?.ok, false)
})

test("a renamed repository is found under its old name", async (t) => {
  const { host, authorized } = await github(t)
  const repository = host.add("octo/maze", { commits: [COMMIT] })
  host.rename(repository, "labyrinth")

  t.same(await ask(authorized, "octo/maze"), { ok: true })
  t.same(
    host.asked.map(({ path, status }) => `${status} ${path}`),
    [
      "301 /repos/octo/maze",
      `200 /repositories/${repository.id}`,
      `200 /repositories/${repository.id}/git/commits/${COMMIT}`,
    ],
  )
  for (const status of [302, 307, 308]) {
    host.next({ status, headers: { location: "/repos/octo/labyrinth" } })
    t.same(await ask(authorized, "octo/elsewhere"), { ok: true }, `${status} too, and a relative address`)
  }
})

test("a redirect to another server is not followed, nor an endless one", async (t) => {
  const { host, authorized } = await github(t)
  const { host: stranger } = await github(t)
  for (const location of [`${stranger.url}/repos/octo/maze`, "//example.org/", "http://", undefined]) {
    host.next({ status: 301, headers: location === undefined ? {} : { location } })
    t.match(await ask(authorized, "octo/maze"), { ok: null, reason: /another server/ })
  }
  t.equal(stranger.asked.length, 0, "so the token stays here")

  const before = host.asked.length
  host.next(...Array.from({ length: 9 }, (): Mishap => ({ status: 301, headers: { location: "/repos/octo/maze" } })))
  t.match(await ask(authorized, "octo/maze"), { ok: null, reason: /circles/ })
  t.equal(host.asked.length - before, 4)
})

test("if GitHub cannot answer, the result is unknown", async (t) => {
  const { host, authorized } = await github(t)
  host.add("octo/maze", { commits: [COMMIT] })
  const mishaps: [string, RegExp, Mishap][] = [
    ["a fault of its own", /status 500/, said(500, "Server Error", "rest")],
    [
      "a fault on the way",
      /status 502/,
      { status: 502, headers: { "content-type": "text/html" }, body: "<html>Unicorn!</html>" },
    ],
    ["words that are no JSON", /understood/, { words: '{"private": fal' }],
    ["JSON about something else", /understood/, { status: 200, body: { message: "hello" } }],
    ["an endless answer", /too long/, { words: `"${"x".repeat(2 * 1024 * 1024)}"` }],
    ["a cut line", /reached/, "cut"],
    ["not modified, without having been asked for that", /status 304/, { status: 304 }],
    [
      "a refusal that has nothing to do with the repository",
      /status 403/,
      said(
        403,
        "Resource protected by organization SAML enforcement. You must grant your Personal Access token access to " +
          "this organization.",
        "articles/authenticating-to-a-github-organization-with-saml-single-sign-on/",
      ),
    ],
    ["an API version that is no longer there", /status 400/, said(400, "Unsupported API version", "rest")],
  ]
  for (const [what, sentence, mishap] of mishaps) {
    host.next(mishap)
    t.match(await ask(authorized, "octo/maze"), { ok: null, reason: sentence, retryAfter: null }, what)
  }
  host.next({ status: 200, body: { private: false, visibility: "public" } }, "cut")
  t.match(await ask(authorized, "octo/maze"), { ok: null }, "between the two requests")
  t.same(await ask(authorized, "octo/maze"), { ok: true }, "and then it works again")
})

test("no check waits for ever", async (t) => {
  const { host, authorized } = await github(t, 20)
  host.next("silence")
  t.same(await ask(authorized, "octo/maze"), { ok: null, reason: "GitHub did not answer in time.", retryAfter: null })
})

test("a token that GitHub does not know, and a host that does not exist", async (t) => {
  const { host } = await github(t)
  host.add("octo/maze", { commits: [COMMIT] })
  const mistyped = githubCheck({ api: host.url, token: "ghp_mistyped" })
  t.match(await ask(mistyped, "octo/maze"), { ok: null, reason: "GitHub does not accept the token of this server." })
  const gone = githubCheck({ api: host.url, token: null })
  host.close()
  t.match(await ask(gone, "octo/maze"), { ok: null, reason: "GitHub could not be reached." })
})

test("only github.com is asked, and only for names that fit into its paths", async (t) => {
  const { host, anonymous } = await github(t)
  host.add("octo/maze", { commits: [COMMIT] })
  for (const url of [
    "https://gitlab.com/octo/maze",
    "https://api.github.com/octo/maze",
    "http://github.com/octo/maze",
    "https://github.com/octo/%2e%2e",
    "https://github.com/../maze",
    "https://github.com/octo/maze?x",
  ]) {
    t.equal(await anonymous.check({ url, commit: COMMIT }), null, url)
  }
  t.equal(host.asked.length, 0)
  t.same(await anonymous.check({ url: "https://GitHub.com/octo/maze.git", commit: COMMIT }), { ok: true })
})

test("an API below a path, with a slash at its end, is asked there", async (t) => {
  const paths: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    paths.push(String(input))
    return Response.json({ private: false, visibility: "public", sha: COMMIT })
  }
  for (const api of ["https://proxy.example/github", "https://proxy.example/github/"]) {
    t.same(await ask(githubCheck({ api, token: null, fetch }), "octo/maze"), { ok: true })
    t.same(paths.splice(0), [
      "https://proxy.example/github/repos/octo/maze",
      `https://proxy.example/github/repos/octo/maze/git/commits/${COMMIT}`,
    ])
  }
})

test("closing aborts what is under way", async (t) => {
  const { host, anonymous } = await github(t, 60_000)
  host.next("silence")
  const answer = ask(anonymous, "octo/maze")
  anonymous.close?.()
  t.match(await answer, { ok: null })
})

test("of the addresses that were read, the last ten thousand are asked only whether they changed", async (t) => {
  const headersSent: RequestInit["headers"][] = []
  const api = new GitHubApi({
    api: "https://api.example.org",
    token: "token",
    fetch: async (_address, { headers } = {}) => {
      headersSent.push(headers)
      return new Response("{}", { headers: { etag: '"first"' } })
    },
  })
  const { signal } = new AbortController()
  const read = async (of: number) => {
    await api.get(`repositories/${of}`, v.object({}), { signal, needs: 1, sent: 0 })
    return new Headers(headersSent.at(-1)).get("if-none-match")
  }
  for (let of = 0; of <= 10_000; of += 1) await read(of)
  t.equal(await read(10_000), '"first"')
  t.equal(await read(0), null, "the oldest was forgotten")
})
