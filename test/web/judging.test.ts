/**
 * A reader judges a hypothesis, and a conclusion, from its page alone: whether it is believed, how strongly and by
 * whom, what failed, what is disputed and why, what would fall with it, and what has changed since a moment they
 * remember.
 */
import { pattern } from "../support/pattern.ts"
import type { Locator } from "playwright-core"
import { Browser } from "research-room/testing"
import t, { type Test } from "tap"
import { violations } from "./axe.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const { roomId } = demo.rooms.main
interface Context {
  readonly hypotheses: readonly { versionId: string; label: string; wording: string }[]
  readonly publications: readonly { versionId: string; label: string }[]
  readonly conclusions: readonly {
    checkpointId: string
    threadId: string
    conclusion: string
    staleReasons: readonly { label: string }[]
  }[]
  readonly activityWatermark: number
}
const context = (await (await fetch(at(`/api/research/rooms/${roomId}/research-context`))).json()) as Context
const idOf = (label: string): string =>
  [...context.hypotheses, ...context.publications].find((each) => each.label === label)?.versionId ?? ""
const { page, context: seen, troubles } = await watched(browser, demo.baseUrl)
t.teardown(() => seen.close())

const said = async (place: Locator): Promise<string> => ((await place.innerText()) ?? "").replace(/\s+/g, " ").trim()
const section = (name: string) => page.getByRole("region", { name, exact: true })
/** A part that is folded to a line, opened. */
async function folded(id: string): Promise<Locator> {
  const fold = page.locator(`#${id}`)
  if ((await fold.getAttribute("open")) === null) await fold.locator("summary").first().click()
  return fold
}
/** The words above the fold: what a reader has to read to answer. */
const wordsUntil = (heading: string) =>
  page.evaluate(`(() => {
    const all = document.querySelector("#main").innerText
    return all.slice(0, all.indexOf(${JSON.stringify(heading)})).split(/\\s+/).length
  })()`) as Promise<number>
async function isWhole(t: Test, name: string) {
  t.same(await violations(page), [], `${name} has no violation`)
  t.same(troubles(), [])
}

t.test(
  "the page of a contested hypothesis names who supports and contradicts it, what was checked, and what would fall",
  async (t) => {
    await page.goto(at(`/records/${idOf("H4")}`))
    t.equal(
      await page.locator("h1").innerText(),
      context.hypotheses.find(({ label }) => label === "H4")?.wording,
      "the claim",
    )
    const strength = await said(section("How strong"))
    t.match(strength, /Contested/, "is it believed?")
    t.match(strength, /1 supports by its author alone; runs of 1 commit/, "how strong is the support, and whose is it?")
    t.match(strength, /1 contradicts by 1 person, independent of its author; runs of 1 commit/, "and against it?")
    t.match(strength, /6 attempts in 1 experiment: 6 succeeded/, "on how much work?")
    const evidence = section("For and against it").getByRole("listitem")
    t.match(
      await said(evidence.nth(0)),
      pattern(
        /supports F7 .* Its number holds, 0\.062.*2 of 2 output hashes match.*uses 2 of 6 attempts.*/,
        /by the author/,
      ),
    )
    t.match(
      await said(evidence.nth(1)),
      /contradicts F6 .* Its last half fails: less was learned\..*ada, another person/,
    )
    t.equal(await evidence.count(), 2)
    await page.getByText("2 retracted or superseded").click()
    t.match(
      await said(evidence.last()),
      /does not count: F5 is superseded/,
      "what does not count is folded, with the reason",
    )
    await page.getByText("2 retracted or superseded").click()
    t.match(await said(page.locator(".nothing")), /^No attempt failed\.$/, "empty parts share one line")
    t.match(
      await said(section("What is disputed or withdrawn, and why")),
      /F5, which bears on it: It compares a run .*ada disputed it/,
    )
    t.match(await said(await folded("downstream")), /H5 disputed The penalty only slows learning down/)
    const order = await page.locator("#main h2").allInnerTexts()
    t.strictSame(order, ["How strong", "For and against it", "What is disputed or withdrawn, and why"])
    // A careful reader reads 200 words a minute; this allows two minutes.
    const read = await wordsUntil("Premises it rests on")
    t.ok(read < 500, `${read} words to the end of what is needed`)
    await isWhole(t, "contested")
  },
)

t.test("failures are listed with their reason, equal ones once, and so is an abandoned line of work", async (t) => {
  await page.goto(at(`/records/${idOf("H7")}`))
  t.match(
    await said(section("How strong")),
    /Contradicted so far.*1 contradicts by its author alone.*5 attempts in 1 experiment: 2 succeeded, 3 failed/,
  )
  const failed = (await folded("failed")).getByRole("listitem")
  t.equal(await failed.count(), 1)
  t.match(
    await said(failed.first()),
    /failed A26 of E6: training: NaN at step 24\. .* The same apart from numbers: A25, A24\./,
  )
  await page.goto(at(`/records/${idOf("H3")}`))
  t.match(await said(await folded("failed")), /given up E3: H3 rests on F3, which is retracted/)
  t.match(
    await said(section("What is disputed or withdrawn, and why")),
    /retracts F3, which it rests on: A7 did not begin from the base policy/,
  )
  t.match(await said(await folded("downstream")), /The answer of “Do larger groups find new ways\?”/)
  await isWhole(t, "failing")
})

t.test("a claim that is supported although something contradicts it says why", async (t) => {
  await page.goto(at(`/records/${idOf("C1")}`))
  t.match(
    await said(section("How strong")),
    /Supported so far Only evidence with measured effects decides\. 2 support .* 1 contradicts .*no run behind it/,
  )
})

t.test("a hypothesis that is itself disputed says so first; one that stands says how strongly", async (t) => {
  await page.goto(at(`/records/${idOf("H5")}`))
  t.match(
    await said(page.getByRole("note", { name: "Standing" })),
    /Disputed .* grace disputed it .*could explain away most of any effect/,
  )
  t.match(await said(section("How strong")), /Contested.*1 supports by its author alone/)
  await page.goto(at(`/records/${idOf("H2")}`))
  t.match(
    await said(section("How strong")),
    pattern(
      /Supported so far by measured effects; newest: F4 .* 3 support by 2 people, 1 of them /,
      /independent of its author; /,
      /runs of 2 commits 10 attempts in 2 experiments/,
    ),
  )
  t.match(await said(await folded("downstream")), /H4 .*H5 .* through H4/)
})

t.test(
  "a Room's conclusion lists what it rests on and the standing of each, what failed, what was withdrawn, " +
    "and what is open",
  async (t) => {
    await page.goto(at(`/rooms/${roomId}`))
    const [first] = context.conclusions
    await page.getByText(/1 conclusion no longer holds: F3/).click()
    await page
      .getByRole("listitem")
      .filter({ hasText: first?.conclusion ?? "" })
      .getByRole("link", { name: "what it rests on" })
      .first()
      .click()
    t.equal(await page.locator("h1").innerText(), first?.conclusion)
    t.match(
      await said(page.getByRole("note", { name: "Stale" })),
      /F3, which it cites, is retracted/,
      "is it still believed?",
    )
    t.match(
      await said(section("What it rests on")),
      /retracted F3 .* stands H3 .*1 contradicts \(from its author alone\)/,
    )
    t.match(await said(await folded("failed")), /given up E3/)
    t.match(
      await said(section("What is disputed or withdrawn, and why")),
      /retracts F3, which it cites: A7 did not begin/,
    )
    t.match(await said(page.locator(".nothing")), /No open questions/)
    await isWhole(t, "conclusion")
  },
)

t.test(
  "as of an earlier entry both pages say what counted then, how it stands now, and what has happened since",
  async (t) => {
    const note = page.getByRole("note", { name: "An earlier moment" })
    const path = (await page.getByRole("link", { name: "as it was posted" }).getAttribute("href")) ?? ""
    await page.goto(new URL(path, demo.baseUrl).href)
    await note.getByText("name this or what it rests on").click()
    t.match(await said(note), /Now: it is stale.*2 name this or what it rests on.*grace retracted F\d+/s)
    t.equal(await page.getByRole("note", { name: "Stale" }).count(), 0)
    t.match(await said(section("What it rests on")), /positive F3/, "it was not withdrawn yet")
    const posted = Number(new URL(page.url()).searchParams.get("at"))
    t.match(await said(page.locator(".nothing")), /Nothing is disputed or withdrawn/)
    await page.goto(at(`/records/${idOf("H3")}?at=${posted}`))
    t.match(await said(section("How strong")), /Not yet checked by anyone/)
    t.match(await said(note), /Now: .*1 contradicts/s)
    await isWhole(t, "then")
  },
)

t.test("what reviewers did is a list of marks, and so is what nobody did", async (t) => {
  const [first] = context.conclusions
  const path = at(`/checkpoints/${first?.checkpointId}`)
  await page.goto(path)
  t.equal(await page.getByRole("list", { name: "What reviewers did" }).count(), 0, "nobody has reviewed it")
  const reviewer = await Browser.signIn({ baseUrl: demo.baseUrl }, demo.people.owner)
  await reviewer.write("submit_review", {
    ...{ target: first?.checkpointId, verdict: "agrees", checked: ["wording", "rerun"], explanation: "It is so." },
  } as never)
  await page.goto(path)
  await folded("reviews")
  const marks = page.getByRole("list", { name: "What reviewers did" }).getByRole("listitem")
  t.match(await marks.allInnerTexts(), [
    /ran it again\s+\w+$/,
    /recomputed the numbers\s+nobody yet/,
    /read the code\s+nobody yet/,
    /looked at the data\s+nobody yet/,
    /read the text\s+\w+$/,
  ])
  await isWhole(t, "reviewed")
})
