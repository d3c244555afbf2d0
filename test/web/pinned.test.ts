/**
 * Code that only moves changes no answer. The demo with fixed ids and times is walked along its links by a stranger, a
 * member and an owner: pages, their documents and feeds, and the JSON behind them. `pinned.txt` has a line for each
 * answer, with a digest of its content and of the frame around it. After an intended change of pages, write it again:
 * `PIN=1 npm run tap -- test/web/pinned.test.ts`. A run that fails prints the first places that differ, if an earlier
 * run of this checkout passed.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import t from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { openStudy } from "../support/study.ts"

const FILE = join(import.meta.dirname, "pinned.txt")
/** Where the texts of the last run that passed are kept. */
const KEPT = resolve("node_modules/.cache/research-room/pinned.json")
/** Addresses of one form that a stranger walks, people one: the same path and parameters, other ids and values. */
const OF_ONE_FORM = 2
/** Parameters of an address that is walked: more are only other combinations of the same ones. */
const PARAMETERS = 2
/** The headers that count as content. */
const HEADERS = ["content-type", "cache-control", "vary", "link", "content-security-policy"]
/** The administration shows the size of the files, which varies. */
const VARIES = /^\/admin\/?$/
/** What is the same for everybody. */
const FOR_ALL = /^\/api\/|[?&]at=|^\/reference\/|\.(?:atom|json)$/
/** The length of a digest in the file. */
const SHORT = 10
/** The demo's clock stands here after its story, and goes on by a millisecond at each reading. */
const NOW = /2026-11-14T09:0\d:\d\d(?:\.\d+)?Z/g
/** The clock of the study stands still, but for the hours that its story passes. */
const STUDIED = Date.parse("2026-11-14T09:00:00.000Z")
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** An address without what is particular to it: ids, names, numbers and the values of its parameters. */
function formOf(address: string): string {
  const { pathname, searchParams } = new URL(address, "http://demo")
  const path = pathname
    .replace(UUID, "*")
    .replace(
      /^(\/(?:api\/research\/)?(?:people|papers|library\/papers|reference|collections)\/).*?(\.md|\/.*)?$/,
      "$1*$2",
    )
    .replace(/[0-9a-f]{64}/g, "*")
  return `${path}?${[...new Set(searchParams.keys())].sort().join("&")}`
}

/** A text with ids and digests numbered as they come, and without the moment and the names of built files. */
function steady(text: string): string {
  const ids = new Map<string, string>()
  return text
    .replace(NOW, "now")
    .replace(UUID, (id) => ids.get(id) ?? ids.set(id, `id${ids.size}`).get(id) ?? "")
    .replace(/ni:\/\/\/sha-256;[\w-]{43}/g, "ni")
    .replace(/[0-9a-f]{7}…[0-9a-f]{5}|(?<=-[A-Z]\d+-)[0-9a-f]{8}/g, "…")
    .replace(/[0-9a-f]{64}/g, (sum) => ids.get(sum) ?? ids.set(sum, `sum${ids.size}`).get(sum) ?? "")
    .replace(/\/assets\/[^"' )]+/g, "/assets/*")
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, SHORT)

/** The addresses that an answer leads to. */
function linksIn(text: string, from: string): string[] {
  const found = [...text.matchAll(/(?:href="|"(?=\/api\/))([^"\\]+)"/g)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&").split("#", 1).join(""),
  )
  const wanted = found.filter((link) => !/^[a-z]+:|\/(?:assets|export|events|room\.sqlite)\b|wait=|\/log\b/.test(link))
  return wanted
    .flatMap((link) => (URL.canParse(link, from) ? [new URL(link, from)] : []))
    .filter(({ searchParams }) => searchParams.size <= PARAMETERS)
    .map(({ pathname, search }) => pathname + search)
}

const texts = new Map<string, string>()
const lines: string[] = []

/** Walks along the links of a service as one of its viewers. */
async function walk(baseUrl: string, viewer: string, cookie = "", most = 1): Promise<void> {
  const walked = new Map<string, number>()
  const seen = new Set<string>()
  const waiting = ["/", "/llms.txt", "/api/research/skill"]
  for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
    const form = formOf(address)
    const before = walked.get(form) ?? 0
    if (seen.has(address) || before === most || VARIES.test(address)) continue
    if (cookie !== "" && FOR_ALL.test(address)) continue
    seen.add(address)
    walked.set(form, before + 1)
    const response = await fetch(baseUrl + address, { headers: { cookie }, redirect: "manual" })
    const type = response.headers.get("content-type") ?? ""
    const text = await response.text()
    if (response.status !== 200 || !/json|text|xml/.test(type)) continue
    const name = `${viewer} ${form} ${before + 1}`
    const headers = HEADERS.map((header) => `${header}: ${response.headers.get(header) ?? ""}\n`).join("")
    const whole = steady((headers + text).replaceAll(baseUrl, ""))
    const main = /<main[\s\S]*<\/main>/.exec(whole)?.[0] ?? ""
    texts.set(name, whole)
    lines.push(`${name} ${digest(main)} ${digest(whole.replace(main, ""))}`)
    waiting.push(...linksIn(text, baseUrl + address))
    if (cookie === "" && main !== "" && !/\?|\.md$/.test(address)) waiting.push(`${address}.md`)
  }
}

t.test("a stranger, a member and an owner meet what they met before", async (t) => {
  const demo = await startDemo({ host: "127.0.0.1", port: 0, deterministic: true, log: openLog("silent") })
  t.teardown(() => demo.close())
  const signIn = async ({ username, password }: { username: string; password: string }) => {
    const headers = { "content-type": "application/json", origin: demo.baseUrl }
    const body = JSON.stringify({ username, password })
    const { headers: answered } = await fetch(`${demo.baseUrl}/api/session`, { method: "POST", headers, body })
    return answered
      .getSetCookie()
      .map((cookie) => cookie.split(";", 1)[0])
      .join("; ")
  }
  await walk(demo.baseUrl, "stranger", "", OF_ONE_FORM)
  for (const who of ["member", "owner"] as const) await walk(demo.baseUrl, who, await signIn(demo.people[who]))
  // The Room that three agents filled has more measurements, reproductions and corrections.
  const { own } = await openStudy(t, () => STUDIED)
  await walk(own.baseUrl, "reader", "", OF_ONE_FORM)

  t.ok(lines.length > 100, `${lines.length} answers`)
  if (process.env.PIN === "1") writeFileSync(FILE, `${lines.join("\n")}\n`)
  const pinned = readFileSync(FILE, "utf8").trimEnd().split("\n")
  const differ = lines.filter((line) => !pinned.includes(line))
  const kept = existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, "utf8")) as Record<string, string>) : {}
  for (const line of differ.slice(0, 10)) {
    const name = line.split(" ").slice(0, 3).join(" ")
    const [now = "", then = ""] = [texts.get(name), kept[name]]
    const at = [...now].findIndex((each, index) => each !== then[index])
    if (then !== "") t.comment(`${name}\n  was ${then.slice(at - 80, at + 80)}\n  is  ${now.slice(at - 80, at + 80)}`)
  }
  t.same(differ, [], "no answer differs")
  t.same(
    pinned.filter((line) => !lines.includes(line)),
    [],
    "and none is gone",
  )
  if (differ.length > 0) return
  mkdirSync(join(KEPT, ".."), { recursive: true })
  writeFileSync(KEPT, JSON.stringify(Object.fromEntries(texts)))
})
