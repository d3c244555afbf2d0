/** Hostile Markdown: rendered, and checked in a real browser's DOM. */
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { rendered } from "../../src/renderer/markdown.ts"
import { html } from "../../src/web/html.ts"
import { markdown } from "../../src/web/markdown.ts"
import { allowedAttributes, allowedElements, attacks } from "./attacks.ts"
import { built } from "./built.ts"
import { launch } from "./browser.ts"
import { watched } from "./watched.ts"

function write(text: string): string {
  const page = markdown(text)
  return page.write({
    basePath: "",
    now: 0,
    texts: new Map(page.texts.map((each) => [each, rendered(each.text, each.kind)])),
  })
}

t.test("a value written into a template becomes text", async (t) => {
  t.equal(
    html`<p title="${'"><script>'}">${"<b>&'"}</p>`.write({ basePath: "", now: 0 }),
    '<p title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&amp;&#39;</p>',
  )
})

t.test("Markdown and math come out as people mean them", async (t) => {
  t.match(
    write("a *b* **c** [d](https://e.example)"),
    /<em>b<\/em> <strong>c<\/strong> <a href="https:\/\/e\.example" rel="nofollow noopener ugc">d<\/a>/,
  )
  t.match(write("$x_1$"), /<math>.*<msub>/s)
  t.match(write("$$\\frac12$$"), /<math .*display="block".*<mfrac>/s)
  t.notMatch(write("It costs $5, not $6."), /<math/)
  t.match(write("\\$x\\$"), /\$x\$/)
  t.notMatch(write(attacks.join("\n\n")), / style=/)
})

t.test("a table is one up to its bound of cells, whatever stands below it", async (t) => {
  const table = (rows: number) => `| a | b |\n|---|---|\n${"| 1 | 2 |\n".repeat(rows)}`
  const below = `\n${"So on.\n".repeat(limits.tableCells / 3)}`
  t.match(write(table(3) + below), /<table>/)
  t.match(write(`Before it.\n\n${table(3)}${below}`), /<table>/)
  t.notMatch(write(table(limits.tableCells / 3)), /<table>/)
})

t.test("no attack becomes an element, an attribute, an address or a request of its own", async (t) => {
  built()
  const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
  const browser = await launch()
  t.teardown(async () => {
    await browser.close()
    await demo.close()
  })
  const { token, roomId } = demo.credentials.owner_all
  for (const [index, text] of attacks.entries()) {
    const sent = await fetch(`${demo.baseUrl}/api/agent/threads/${demo.rooms.empty.openingThreadId}/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({
        schemaVersion: 3,
        clientMessageId: `0198f3a0-5b1e-7c44-9d8e-${String(index).padStart(12, "0")}`,
        text,
      }),
    })
    t.equal(sent.status, 200, JSON.stringify(text.slice(0, 60)))
  }
  const { page, troubles } = await watched(browser, demo.baseUrl)
  await page.goto(`${demo.baseUrl}/threads/${demo.rooms.empty.openingThreadId}`)
  t.equal(await page.locator("#timeline > li").count(), attacks.length, roomId)
  const strangers = await page.evaluate(`[...document.querySelectorAll(".prose *")].flatMap((element) => {
    const math = element.namespaceURI === "http://www.w3.org/1998/Math/MathML"
    const found = math || ${JSON.stringify(allowedElements)}.includes(element.tagName) ? [] : \
["element " + element.tagName]
    for (const { name, value } of element.attributes) {
      if (/^on|^style$|^src|href$|^id$/i.test(name) && name !== "href") found.push("attribute " + name)
      if (!math && !${JSON.stringify(allowedAttributes)}.includes(name)) found.push("attribute " + name + " of " + \
element.tagName)
      if (name === "href" && !/^(https?:\\/\\/[^\\s]|mailto:)/.test(value)) found.push("address " + value)
      if (name === "href" && element.rel !== "nofollow noopener ugc") found.push("unmarked link " + value)
    }
    return found
  })`)
  t.same(strangers, [])
  t.equal(await page.locator(".prose img, .prose script, .prose iframe, .prose svg, .prose form").count(), 0)
  for (const query of ["alert", "evil", "script"]) {
    await page.goto(`${demo.baseUrl}/search?query=${query}`)
    t.ok((await page.locator("#record").locator("xpath=../..").locator("li").count()) > 0, `the search finds ${query}`)
    t.same(
      await page.evaluate(
        "[...document.querySelectorAll('main .cards *')].map(({ tagName }) => tagName).filter((name) => !['LI', " +
          "'P', 'SPAN', 'A', 'MARK', 'TIME'].includes(name))",
      ),
      [],
      `and shows it as text`,
    )
  }
  t.same(troubles(), [])
})
