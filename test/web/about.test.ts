/**
 * What programs read from pages: linked data, previews, citations, Link headers and feeds. Checked in a real browser,
 * under the policy.
 */
import { createRequire } from "node:module"
import { startResearchRoom } from "research-room/testing"
import t, { test } from "tap"
import { hypothesis } from "../support/bodies.ts"
import { launch } from "./browser.ts"

type Statement = { readonly [member: string]: unknown }
// It ships without types.
const jsonld = createRequire(import.meta.url)("jsonld") as { expand(document: object): Promise<Statement[]> }

const house = await startResearchRoom()
const browser = await launch()
t.teardown(async () => {
  await browser.close()
  await house.close()
})
const { roomId } = house.rooms.main
const { roomId: emptyId, openingThreadId: threadId } = house.rooms.empty
const page = await browser.newPage()
const complaints: string[] = []
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()))

interface Head {
  readonly metas: [string, string][]
  readonly canonical: string | undefined
  readonly feeds: string[]
  readonly data: string[]
  readonly scripts: number
}

/** The contents of a page's head, as a browser parses it. */
async function head(path: string) {
  const response = await page.goto(house.baseUrl + path)
  const found = await page.evaluate<Head>(`({
    metas: [...document.querySelectorAll("meta[content]")].map((each) => [
      each.getAttribute("name") ?? each.getAttribute("property") ?? "",
      each.getAttribute("content"),
    ]),
    canonical: document.querySelector("link[rel=canonical]")?.getAttribute("href"),
    feeds: [...document.querySelectorAll("link[rel=alternate][title]")].map((each) => each.getAttribute("href")),
    data: [...document.querySelectorAll('script[type="application/ld+json"]')].map((each) => each.textContent),
    scripts: document.querySelectorAll("script").length,
  })`)
  return { ...found, metas: new Map(found.metas), link: response?.headers().link ?? "" }
}

const publications = async (kind: string) => {
  const found = await fetch(`${house.baseUrl}/api/research/rooms/${roomId}/publications?kinds=${kind}`)
  return (
    (await found.json()) as {
      items: { versionId: string; wording: string; label: string; status: string; author: { username: string } }[]
    }
  ).items
}

/** The statements of a page, as a JSON-LD processor reads them; it fetches no context. */
async function statements(text: string): Promise<Statement[]> {
  const whole = JSON.parse(text) as { "@context": string }
  t.equal(whole["@context"], "https://schema.org")
  return jsonld.expand({ ...whole, "@context": { "@vocab": "https://schema.org/" } })
}

test("a record names its type, its author and its standing", async (t) => {
  for (const kind of ["hypothesis", "finding", "cited_claim"]) {
    const [record] = await publications(kind)
    const url = `${house.baseUrl}/records/${record?.versionId}`
    const { metas, canonical, feeds, data, link } = await head(`/records/${record?.versionId}`)
    t.equal(canonical, url)
    t.match(metas.get("citation_title"), record?.wording.slice(0, 20))
    t.equal(metas.get("citation_author"), record?.author.username)
    t.match(metas.get("citation_publication_date"), /^\d{4}\/\d{2}\/\d{2}$/)
    t.equal(metas.get("og:url"), url)
    t.equal(metas.get("og:type"), "article")
    t.match(metas.get("description"), record?.status)
    t.equal(data.length, 1)
    const [claim] = await statements(data[0] ?? "")
    t.strictSame(claim?.["@type"], ["https://schema.org/Claim"], "never a program")
    t.equal(claim?.["@id"], url)
    t.match(claim?.["https://schema.org/creativeWorkStatus"], [{ "@value": record?.status }])
    t.match(claim?.["https://schema.org/isPartOf"], [{ "@id": `${house.baseUrl}/rooms/${roomId}` }])
    if (kind === "cited_claim") {
      t.match(claim?.["https://schema.org/citation"], [
        { "https://schema.org/url": [{ "@value": /^https:\/\/arxiv\.org\/abs\// }] },
      ])
      t.match(metas.get("citation_reference"), /citation_arxiv_id=/)
    }
    const links = link
      .split(/, (?=<)/)
      .map((each) => /^<([^>]+)>; rel="([^"]+)"(?:; type="([^"]+)")?$/.exec(each)?.slice(1) ?? [each])
    t.ok(
      links.some(([href, rel]) => rel === "cite-as" && href === url),
      "Signposting",
    )
    t.ok(links.some(([href, rel]) => rel === "type" && href === "https://schema.org/Claim"))
    for (const [href = "", rel, type] of links.filter(([, each]) => each === "describedby" || each === "collection")) {
      const response = await fetch(href)
      t.match(
        [response.status, response.headers.get("content-type")],
        [200, new RegExp(`^${type?.replaceAll(/[.+]/g, "\\$&")}`)],
        `${rel} ${href}`,
      )
      await response.body?.cancel()
    }
    for (const feed of feeds) t.equal((await fetch(feed)).status, 200, feed)
  }
})

test("a long statement is shortened where other programs show it", async (t) => {
  const wording = `The loss falls, ${"and falls again, ".repeat(30)}until it stays.`
  const client = house.client("member_all")
  const { assertion } = hypothesis({ roomId: emptyId, threadId })
  const body = { ...hypothesis({ roomId: emptyId, threadId }), assertion: { ...assertion, wording } }
  const { versionId } = (await client.write("publish_hypothesis", body)).result
  const { metas } = await head(`/records/${versionId}`)
  for (const name of ["og:title", "og:description", "description"]) {
    const text = metas.get(name) ?? ""
    t.match(text, /The loss falls, and falls again/, name)
    t.ok(text.length > 200 && text.length <= 300, `${name}: ${text.length} characters`)
  }
})

test("a Room, its Threads, a search and a paper name their feeds", async (t) => {
  const { canonical, feeds, data, metas } = await head(`/rooms/${roomId}`)
  t.equal(canonical, `${house.baseUrl}/rooms/${roomId}`)
  t.equal(metas.get("og:type"), "website")
  t.ok((metas.get("citation_title") ?? "").length > 10, "a reference manager can file it")
  t.equal(metas.get("citation_author"), house.people.owner.username)
  t.match(metas.get("citation_publication_date"), /^\d{4}\/\d{2}\/\d{2}$/)
  t.match(await statements(data[0] ?? ""), [{ "@type": ["https://schema.org/Collection"] }])
  t.equal(feeds.length, 2)
  for (const path of [
    `/threads/${house.rooms.main.openingThreadId}`,
    "/search?query=coverage%20%22x%22",
    "/papers/2504.13837",
  ]) {
    const found = (await head(path)).feeds
    t.equal(found.length, 2, path)
    for (const feed of found) t.equal((await fetch(feed)).status, 200, feed)
  }
  t.strictSame(complaints, [], "the policy blocks nothing")
})

test("no text from a user escapes from the head", async (t) => {
  const hostile =
    '</script><script>document.title="taken"</script><meta name="x" content=\'"><img src=x onerror=alert(1)>'
  const member = house.client("member_all")
  const body = hypothesis({ roomId: emptyId, threadId })
  const { result } = await member.write("publish_hypothesis", {
    ...body,
    assertion: { ...body.assertion, wording: hostile },
  })
  const { metas, data, scripts } = await head(`/records/${result.versionId}`)
  const ordinary = (await head(`/rooms/${roomId}`)).scripts
  t.equal(scripts, ordinary, "no extra script")
  t.equal(metas.get("x"), undefined)
  t.equal(metas.get("citation_title"), hostile)
  t.equal((JSON.parse(data[0] ?? "") as { text: string }).text, hostile)
  t.notMatch(await page.title(), /^taken/)
})
