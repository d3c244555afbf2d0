/** The API reference, and security.txt. */
import { startResearchRoom } from "research-room/testing"
import t, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { openApiRoutes } from "../../src/discovery/openapi-routes.ts"
import { openLog } from "../../src/log.ts"
import { startService } from "../../src/app/service.ts"
import { temporaryFolder } from "../support/service.ts"

const house = await startResearchRoom()
t.teardown(() => house.close())
const got = async (path: string) => {
  const response = await fetch(house.baseUrl + path)
  return { status: response.status, text: await response.text() }
}
const escaped = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")

test("every route of the document is in the list and has a page of its own", async (t) => {
  const { status, text } = await got("/reference")
  t.equal(status, 200)
  for (const { path, operation } of openApiRoutes()) {
    const name = String(operation.operationId)
    t.ok(text.includes(`href="/reference/${name}"`), name)
    const page = await got(`/reference/${name}`)
    t.equal(page.status, 200, name)
    t.ok(
      page.text.includes(escaped(String(operation.summary).split(".")[0] ?? "")) && page.text.includes(escaped(path)),
      "what it does, and its path",
    )
    t.ok(page.text.length < limits.pageBytes / 10, `${name}: ${page.text.length}`)
    t.notMatch(page.text, /(?:src|href)="https?:/, "nothing is loaded from elsewhere")
  }
  const one = (await got("/reference/publish_hypothesis")).text
  t.match(one, /&quot;wording&quot;/, "an example to send")
  t.match(one, /unknown_reference/, "and its refusals")
  t.match(one, /curl -sS .*publish_hypothesis/)
  t.equal((await got("/reference/nothing")).status, 404)
})

test("security.txt names the operator's contact, or nobody if none was set", async (t) => {
  const none = await got("/.well-known/security.txt")
  t.equal(none.status, 404)
  t.match(none.text, /No security contact is set here. The operator sets one with --security-contact/)
  const service = await startService({
    data: temporaryFolder(),
    host: "127.0.0.1",
    port: 0,
    baseUrl: undefined,
    log: openLog("silent"),
    repositories: { folders: [], github: null },
    securityContact: "mailto:security@example.org",
  })
  t.teardown(() => service.close())
  const response = await fetch(`${service.baseUrl}/.well-known/security.txt`)
  t.equal(response.headers.get("content-type"), "text/plain; charset=utf-8")
  const lines = new Map(
    (await response.text())
      .trim()
      .split("\n")
      .map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]),
  )
  t.equal(lines.get("Contact"), "mailto:security@example.org")
  t.equal(lines.get("Canonical"), `${service.baseUrl}/.well-known/security.txt`)
  const days = (Date.parse(lines.get("Expires") ?? "") - Date.now()) / 86_400_000
  t.ok(days > 100 && days < 365, "it expires within a year, as RFC 9116 asks")
})
