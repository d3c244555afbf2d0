/** The front page of a Room is its brief: the first screen of a desktop answers seven questions in half a minute. */
import { Browser } from "research-room/testing"
import t from "tap"
import { makeMeasured } from "./measured.ts"
import { demoInBrowser } from "./scene.ts"
import { signIn } from "./pages.ts"

t.setTimeout(120_000)
const { demo, browser, at } = await demoInBrowser()
const [ada, grace] = await Promise.all(
  (["owner", "member"] as const).map((who) => Browser.signIn({ baseUrl: demo.baseUrl }, demo.people[who])),
)
const measured = await makeMeasured(demo, ada as Browser, grace as Browser)
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
await signIn(page, demo, "member")

/** The words of an element that are visible without scrolling. */
const seen = (place: string): Promise<string> =>
  page.evaluate(`[...document.querySelectorAll(${JSON.stringify(place)})]
    .filter((each) => each.getBoundingClientRect().height > 0 && each.getBoundingClientRect().bottom <= innerHeight)
    .map((each) => each.innerText.replace(/\\s+/g, " ")).join(" | ")`)

t.test("seven of seven questions are answered on the first screen of the demo's Room", async (t) => {
  await page.goto(at(`/rooms/${demo.rooms.main.roomId}`))
  t.match(
    await seen("#main h1, .asks"),
    /Does RL add solutions.*solve what it could not solve before/,
    "what is asked?",
  )
  t.match(
    await seen(".answer"),
    /GRPO finds faster what was there.*So far.*grace.*rests on F1 corrected F6/,
    "what is the answer, and on what does it rest?",
  )
  t.match(
    await seen("#live-where .left-out"),
    /^1 conclusion no longer holds: F3, which it cites, is retracted\.$/,
    "what no longer holds?",
  )
  t.match(await seen(".also li"), /^Concluded Teaching adds .* narrows it to 0\.\d+.*ada/, "what do others answer?")
  const isCut = `[...document.querySelectorAll(".also li")].some((each) => each.scrollHeight > each.clientHeight + 1 ||
    each.scrollWidth > each.clientWidth + 1)`
  t.equal(await page.evaluate(isCut), false, "whole, with every digit")
  const beliefs = await seen("#live-hypotheses tr")
  t.match(
    beliefs,
    /H4 A penalty .*contested from 1 other person F7 F6/,
    "what is believed, by whom, and what speaks against it?",
  )
  t.match(await seen("#live-found li"), /F10 positive .*H8.*F9 negative .*H7.*F8 negative/, "what was found?")
  t.match(
    await seen("#live-failed li"),
    /A29 allocation: Out of memory.*A26, A25, A24 training: NaN/,
    "what failed, and why?",
  )
  t.match(await seen("#live-next li"), /Take E7 .*Take it/, "what is next?")
})

t.test("an effect has its interval, and work shows who holds it and since when", async (t) => {
  await page.goto(at(`/rooms/${measured.roomId}`))
  t.match(await seen("#live-hypotheses tr"), /H1 A shift lowers .*supported from 1 other person F2 F1/)
  t.match(await seen(".whiskers tr"), /shift .*−3\.\d+.* −\d\.\d+ to −\d\.\d+/, "in the picture")
  t.match(await seen("#live-next li"), /In hand E1 .*ada ?since just now/)
  t.equal((await page.locator(".asks math").count()) > 0, true, "the formulas of the question are rendered")
  t.match(await seen("#live-where"), /No answer yet Write the answer/)
})

t.test("a finding appears at once, linked or not", async (t) => {
  const wording = "With 800 labels nothing is left of it."
  const role = { role: "cause", definition: "What differs.", value: { type: "text", value: "a shift" } } as const
  await (ada as Browser).write("publish_finding", {
    ...{
      kind: "finding",
      roomId: measured.roomId,
      threadId: measured.threadId,
      scope: "One model.",
      outcome: "negative",
      retrospective: false,
    },
    assertion: { wording, predicate: { type: "concept", key: "leaves" }, roles: [role, { ...role, role: "effect" }] },
    concepts: { leaves: { label: "leaves", definition: "Is there afterwards." } },
    ...{ evidence: [], materials: [], references: [], provenance: { papers: [] } },
  })
  await page.reload()
  t.match(await seen("#live-found li"), /^F5 negative With 800 labels nothing is left of it\. answers nothing yet ?ada/)
})
