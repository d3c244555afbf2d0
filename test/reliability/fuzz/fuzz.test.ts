/**
 * The short form of the fuzz: the same cases each time, against the built executable as a process of its own. The long
 * form, with new cases each time, is prove.ts beside this file; its failures are kept in seeds.json and fail here too.
 */
import tap, { test } from "tap"
import { appOf, openLedger } from "../../support/lab.ts"
import { endAll } from "../../support/program.ts"
import { routePatterns } from "../../../src/edge/edge.ts"
import { type Answer, readAnswer } from "./answers.ts"
import { campaign } from "./campaign.ts"
import { judge } from "./judge.ts"
import { shot } from "./shot.ts"
import { targets } from "./targets.ts"
import type { Outcome } from "./wire.ts"

tap.teardown(endAll)

test("every route of the application is attacked", async (t) => {
  const app = appOf((await openLedger(t)).instance, "http://127.0.0.1:1")
  const attacked = new Set(
    targets.flatMap(({ method, path }) => routePatterns(path).map((pattern) => `${method} ${pattern}`)),
  )
  const served = app["~routes"].filter(
    ({ method, route }) => method && method !== "HEAD" && route && !route.includes("*"),
  )
  t.ok(served.length > 200)
  // One page serves all operations there; here it is attacked once for each. For events see targets.ts.
  const missed = served.map(({ method, route }) => `${method} ${route}`).filter((each) => !attacked.has(each))
  t.strictSame(missed.sort(), ["GET /api/research/rooms/:roomId/events", "GET /do/:operation", "POST /web/:operation"])
})

/** Answers that a healthy service never gives, and the violation each must produce. */
const given = (target: string, isSound = true) =>
  shot({
    attack: "made up",
    target: targets.find(({ name }) => name === target) ?? null,
    path: targets.find(({ name }) => name === target)?.path ?? null,
    pieces: [Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    methods: ["GET"],
    isSound,
    ending: "keep",
  })
const outcome = (...answers: Answer[]): Outcome => ({ answers, fault: null, end: "open", finishedFirst: false })

test("the judge detects wrong answers", async (t) => {
  const app = appOf((await openLedger(t)).instance, "http://127.0.0.1:1")
  const response = await app.request("http://127.0.0.1:1/api/research/rooms?limit=0", {
    headers: { host: "127.0.0.1" },
  })
  const text = await response.text()
  const right: Answer = { status: response.status, headers: [...response.headers], body: Buffer.from(text) }
  const wrong = (change: Partial<Answer>) => judge(given("rooms"), outcome({ ...right, ...change })).join("; ")
  const body = (change: object) => ({ body: Buffer.from(JSON.stringify({ ...JSON.parse(text), ...change })) })
  t.equal(wrong({}), "", "a correct refusal is accepted")
  t.match(wrong({ status: 500 }), /status 500/)
  t.match(wrong({ status: 404 }), /comes with 422/)
  t.match(wrong({ headers: [] }), /without any header/)
  t.match(
    wrong({ headers: right.headers.filter(([name]) => name !== "x-content-type-options") }),
    /x-content-type-options is \[\]/,
  )
  t.match(wrong({ body: Buffer.from("Bad Request") }), /JSON/)
  t.match(wrong(body({ refusal: "no_such_code" })), /no_such_code/)
  t.match(wrong(body({ schemaVersion: 1 })), /family/)
  t.match(wrong({ ...body({ refusal: "unknown_material", issues: [] }), status: 404 }), /its document does not name/)
  t.match(wrong(body({ error: "SQLITE_ERROR: no such column: x." })), /the inside of the program/)
  t.match(wrong(body({ error: "It failed at openApp (/work/x/src/app.ts:12:3)." })), /the inside of the program/)
  t.match(wrong(body({ error: `${"It is long. ".repeat(30_000)}` })), /a refusal of [0-9]{6} characters/)
  t.match(judge(given("rooms"), outcome()).join(), /0 answers to 1 requests/)
  t.match(judge(given("rooms"), { ...outcome(), end: "stuck" }).join(), /neither an answer nor an end/)
  t.match(judge(given("rooms"), outcome(right, right)).join(), /2 answers to 1 requests/)
  const away: Answer = { ...right, status: 303, headers: [...right.headers, ["location", "//evil.example/"]] }
  t.match(judge(given("page /"), outcome(away)).join(), /sends on to/)
  const page = (html: string): Answer => ({
    ...right,
    headers: right.headers.map(([n, v]) => [n, n === "content-type" ? "text/html; charset=utf-8" : v]),
    body: Buffer.from(html),
  })
  t.match(judge(given("page /"), outcome(page("<p>no document"))).join(), /no document/)
  const document = (of: string, body: string, type = "text/markdown") => {
    // A page is not for other origins, as the read is.
    const headers = right.headers
      .filter(([name]) => !name.startsWith("access-control-"))
      .map(([name, value]): [string, string] => [name, name === "content-type" ? `${type}; charset=utf-8` : value])
    return judge(given(of), outcome({ ...right, headers, body: Buffer.from(body) })).join("; ")
  }
  const refusedDocument = "# 422: invalid_parameter\n\nquery is missing.\n"
  t.equal(document("page /search.md", refusedDocument), "", "a page's document is refused as a document")
  t.match(document("page /search.md", refusedDocument.replace("422", "404")), /the status in the heading/)
  t.match(document("page /search.md", text, "application/json"), /document of a page is refused with application/)
  t.match(document("rooms as Markdown", refusedDocument), /the media type/)
  t.equal(document("rooms as Markdown", text, "application/json"), "", "a read is refused in its envelope")
  t.match(judge(given("page /"), outcome(page("<!doctype html><fuzz onload=1>"))).join(), /markup of its visitor/)
  t.match(judge(given("rooms"), outcome(page("<!doctype html>"))).join(), /an address of the API answers with a page/)
})

test("answers are parsed strictly", async (t) => {
  const read = (text: string, over = false) => readAnswer(Buffer.from(text), "GET", over)
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
  t.match(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc"), {
    answer: { status: 200, body: Buffer.from("ab") },
    rest: Buffer.from("c"),
  })
  t.match(read(`${chunked}2\r\nab\r\n1\r\nc\r\n0\r\n\r\n`), { answer: { body: Buffer.from("abc") } })
  t.match(read(`${chunked}2\r\nab\r\n`), { more: true })
  t.match(read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), {
    answer: { status: 200 },
  })
  for (const [text, over] of [
    ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na", true],
    ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n", false],
    ["HTTP/1.1 200 OK\r\nno colon\r\n\r\n", false],
    ["ICY 200 OK\r\n\r\n", false],
    [`${chunked}zz\r\n`, false],
    [`${chunked}2\r\nab\r\n`, true],
  ] as const)
    t.match(read(text, over), { fault: /./ }, JSON.stringify(text))
})

test("more than three thousand cases over every route", async (t) => {
  const report = await campaign({ cases: 4_000, seed: 20_261_121, endlessBodies: false, progress: () => undefined })
  for (const { what, attack, replay, request } of report.violations)
    t.fail(`${attack}: ${what}`, { replay, request: request.slice(0, 500) })
  t.equal(report.violations.length, 0, "no violation")
  t.ok(report.cases >= 4_000, `${report.cases} cases`)
  t.ok(report.reached > report.routes * 0.95, `${report.reached} of ${report.routes} routes answered`)
  t.ok(report.stored > 100, `${report.stored} writes were accepted and stored`)
  for (const status of ["200", "303", "401", "403", "404", "405", "409", "413", "415", "421", "422"])
    t.ok((report.statuses.get(status) ?? 0) > 0, `some cases were answered ${status}`)
})
