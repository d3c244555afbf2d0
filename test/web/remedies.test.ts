/** What a page says after a refusal: what a person can do next, without a name of the interface. */
import { pattern } from "../support/pattern.ts"
import { startResearchRoom } from "research-room/testing"
import t from "tap"
import { Refusal, refusals } from "../../src/contract/refusals.ts"
import { refusedPage } from "../../src/web/pages/making.ts"

const setting = { basePath: "", now: 0 }
const said = (code: keyof typeof refusals, isReading: boolean, committed: false | null = false) =>
  refusedPage(new Refusal(code, "It went wrong.", { status: 409, committed }), isReading, "/sign-in").body.write(
    setting,
  )

t.test("No page shows a name of the interface after a refusal", (t) => {
  for (const code of Object.keys(refusals) as (keyof typeof refusals)[])
    t.notMatch(
      said(code, false),
      pattern(
        /retryAfter|expectations|same id|credential|issues|\bcurrent\.|current and|version id|Allow\b/,
        /|Content-Type|manifest/,
      ),
      code,
    )
  t.end()
})

t.test("After a refused read the page does not mention storing", (t) => {
  t.notMatch(said("temporarily_unavailable", true, null), /stored/)
  t.match(said("temporarily_unavailable", false, null), "It is not known whether anything was stored.")
  t.match(said("state_conflict", false), "Nothing was stored.")
  t.end()
})

t.test("At a wrong address the page names neither a read nor its parameters", async (t) => {
  const service = await startResearchRoom()
  t.teardown(() => service.close())
  const asked = await fetch(`${service.baseUrl}/search?query=x&kinds=bogus`, { headers: { accept: "text/html" } })
  t.equal(asked.status, 422)
  const page = await asked.text()
  t.match(page, "Something in this address is wrong")
  t.notMatch(page, /query parameter|cited_claim/)
})
