/**
 * Code that only moves changes no page. The demo with fixed ids and times is walked along its links by a stranger, a
 * visitor, a member and an owner: pages, their documents and feeds, and the JSON behind them. `pinned.txt` has a line
 * for each answer, with a digest of its content and of the frame around it (test/support/pinned.ts).
 */
import { join } from "node:path"
import t from "tap"
import { holdPinned, openSameDemo, openSameStudy, steady, UUID } from "../support/pinned.ts"

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

const answers = new Map<string, string>()

const mainOf = (page: string): string => /<main[\s\S]*<\/main>/.exec(page)?.[0] ?? ""

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
    answers.set(name, whole)
    waiting.push(...linksIn(text, baseUrl + address))
    if (cookie === "" && mainOf(whole) !== "" && !/\?|\.md$/.test(address)) waiting.push(`${address}.md`)
  }
}

t.test("a stranger, a visitor, a member and an owner meet what they met before", async (t) => {
  const { baseUrl, people, signIn } = await openSameDemo(t)
  await walk(baseUrl, "stranger", "", OF_ONE_FORM)
  for (const who of ["visitor", "member", "owner"] as const) await walk(baseUrl, who, await signIn(people[who]))
  const { own } = await openSameStudy(t)
  await walk(own.baseUrl, "reader", "", OF_ONE_FORM)
  t.ok(answers.size > 100, `${answers.size} answers`)
  holdPinned(t, join(import.meta.dirname, "pinned.txt"), answers, (page) => {
    const main = mainOf(page)
    return [main, page.replace(main, "")]
  })
})
