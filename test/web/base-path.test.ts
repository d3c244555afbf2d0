/** The app under a sub-path and without a script: every link of every page works, and forms work as plain forms. */
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import t from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { built } from "./built.ts"
import { launch } from "./browser.ts"

built()

// The walk opens more than a thousand addresses, which takes minutes on a busy machine.
const timeout = 420_000
t.setTimeout(timeout)

/** Opened addresses, ignoring the values of their query: orders, times and choices would multiply every page. */
const MOST_ALIKE = 12

/** Returns a port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const port = await freePort()
const origin = `http://127.0.0.1:${port}`
const demo = await startDemo({
  host: "127.0.0.1",
  port,
  baseUrl: `${origin}/lab/rooms`,
  kept: process.env.TOLD_DEMO,
  log: openLog("silent"),
})
t.teardown(() => demo.close())

t.test("every address on every page lies under the base path and is answered", { timeout }, async (t) => {
  const seen = new Set<string>()
  const alike = new Map<string, number>()
  const queue = ["/lab/rooms/", `/lab/rooms/rooms/${demo.rooms.main.roomId}`]
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    if (path.includes("?")) {
      const shape = path.replace(/[0-9a-f-]{36}/g, "id").replace(/=[^&]*/g, "=")
      const count = (alike.get(shape) ?? 0) + 1
      alike.set(shape, count)
      if (count > MOST_ALIKE) continue
    }
    const response = await fetch(`${origin}${path}`)
    if (response.status !== 200) t.fail(`${path} is answered ${response.status}`)
    if (!(response.headers.get("content-type") ?? "").startsWith("text/html")) {
      // One caller has one export at a time: this one is read to its end before the next is asked for.
      await response.arrayBuffer()
      continue
    }
    const text = await response.text()
    for (const [, kind, found = ""] of text.matchAll(/(href|src|action)="(\/[^"#]*)/g)) {
      if (!found.startsWith("/lab/rooms/")) t.fail(`${found} on ${path} leaves the base path`)
      const next = found.replaceAll("&amp;", "&")
      // Forms are sent, not opened; sign-in links, folded parts and choices of a comparison would multiply every page.
      if (kind !== "action" && !/\/sign-in\?|[?&]show=|[?&]entry=|view=groups&|\/replies\//.test(next)) queue.push(next)
    }
  }
  t.ok(seen.size > 1_000, `${seen.size} addresses`)
})

t.test("an unknown address answers people with a page and programs with a refusal", async (t) => {
  const page = await fetch(`${origin}/lab/rooms/nothing/here`, { headers: { accept: "text/html" } })
  t.equal(page.status, 404)
  t.match(await page.text(), /<h1>Nothing found here<\/h1>/)
  const refusal = await fetch(`${origin}/lab/rooms/nothing/here`)
  t.equal(refusal.status, 404)
  t.match(await refusal.json(), { refusal: "unknown_operation" })
  const wrong = await fetch(`${origin}/lab/rooms/web/sign-in`, { headers: { accept: "text/html" } })
  t.equal(wrong.status, 405)
})

t.test("assets may be cached for long and pages not at all, and the policy allows nothing inline", async (t) => {
  const page = await fetch(`${origin}/lab/rooms/`)
  t.equal(page.headers.get("cache-control"), "no-store")
  const policy = page.headers.get("content-security-policy") ?? ""
  t.match(policy, /default-src 'none'/)
  t.notMatch(policy, /unsafe|https?:|\*|data:/)
  const style = /href="([^"]*style-[^"]*\.css)"/.exec(await page.text())?.[1] ?? ""
  const asset = await fetch(`${origin}${style}`)
  t.equal(asset.headers.get("cache-control"), "public, max-age=31536000, immutable")
  for (const name of ["../manifest.json", "manifest.json", "%2e%2e%2fmain.js", "constructor", "__proto__"])
    t.equal((await fetch(`${origin}/lab/rooms/assets/${name}`)).status, 404, name)
})

t.test("without a script a person signs in, writes, adds an item to a list and sees what is wrong", async (t) => {
  const browser = await launch()
  t.teardown(() => browser.close())
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await page.goto(`${origin}/lab/rooms/sign-in`)
  await page.getByLabel("Name").fill(demo.people.member.username)
  await page.getByLabel("Password").fill(demo.people.member.password)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(`${origin}/lab/rooms/`)
  await page.goto(`${origin}/lab/rooms/threads/${demo.rooms.empty.openingThreadId}`)
  await page.getByLabel("Write in this Thread").fill("Said without a script.")
  await page.getByRole("button", { name: "Post" }).click()
  t.match(await page.locator("#timeline").textContent(), /Said without a script/)
  await page.locator("#timeline .chosen").getByRole("button", { name: "Reply" }).click()
  t.match(await page.locator(".about").textContent(), /In answer to .*: Said without a script/)
  await page.getByLabel("Your reply").fill("Answered without one.")
  await page.getByRole("button", { name: /^Post/ }).click()
  t.match(
    await page.locator("#timeline .chosen").textContent(),
    /In reply to .*: Said without a script\.[^]*Answered without one/,
  )

  const experiment = (await (
    await fetch(`${origin}/lab/rooms/api/research/experiments?roomId=${demo.rooms.main.roomId}`)
  ).json()) as {
    items: [{ experimentId: string }]
  }
  await page.goto(
    `${origin}/lab/rooms/do/register_attempt?experimentId=${experiment.items[0].experimentId}&intent=reproduction`,
  )
  await page.getByText("Input materials").first().click()
  await page.getByRole("button", { name: "Add an input" }).click()
  await page.waitForLoadState()
  t.equal(await page.getByLabel("Name in the run").count(), 2, "the part in which a row was added stays open")
  await page.getByLabel("Name in the run").last().fill("counts")
  await page.getByRole("button", { name: "Register the attempt" }).click()
  t.equal(await page.getByLabel("Name in the run").inputValue(), "counts", "typed text stays")
  t.ok((await page.locator(".fault").count()) >= 3, "each field shows its own fault")
})

// shows: Browser routes take writes with the exact Origin and a session only.
t.test("a page of another site cannot send a form, and a sign-in redirects to no other site", async (t) => {
  const body = new URLSearchParams({
    username: demo.people.owner.username,
    password: demo.people.owner.password,
    next: "//evil.example/",
  })
  const foreign = await fetch(`${origin}/lab/rooms/web/sign-in`, {
    method: "POST",
    body,
    headers: { origin: "https://evil.example" },
    redirect: "manual",
  })
  t.equal(foreign.status, 403)
  t.equal(foreign.headers.get("set-cookie"), null)
  const own = await fetch(`${origin}/lab/rooms/web/sign-in`, {
    method: "POST",
    body,
    headers: { origin },
    redirect: "manual",
  })
  t.equal(own.status, 303)
  t.equal(own.headers.get("location"), "/lab/rooms/")
})
