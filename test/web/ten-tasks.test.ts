/**
 * Ten tasks, done in the browser on a desktop screen and counted by the keystroke-level model: none takes longer than
 * it did before the pages had a next action, and a finding with its verdict takes less than 25 seconds after the
 * attempt.
 */
import type { Page } from "playwright-core"
import { Browser } from "research-room/testing"
import t, { type Test } from "tap"
import { startOwn } from "../support/service.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { secondsBefore, type TaskName } from "./ten-tasks/before.ts"
import { Klm } from "./ten-tasks/klm.ts"
import { makeSixteen } from "./ten-tasks/sixteen.ts"

interface Published {
  readonly versionId: string
  readonly kind: string
  readonly status: string
  readonly author: { readonly username: string }
}

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const open = async () => (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
const { owner, member } = demo.people
const house = { baseUrl: demo.baseUrl }
const page = await open()
await signIn(page, demo, "owner")
const room = `/rooms/${demo.rooms.empty.roomId}`

const done = (operation: string, of: Page = page) => of.waitForURL(new RegExp(`done=${operation}`))
const link = (name: string | RegExp, of: Page = page) =>
  of.getByRole("link", { name, exact: typeof name === "string" }).first()
const button = (name: string | RegExp, of: Page = page) =>
  of.getByRole("button", { name, exact: typeof name === "string" }).first()
/** The one next action under the title of a page. */
const next = (name: string | RegExp) =>
  page.locator(".next-act").first().locator("a, button").filter({ hasText: name }).first()
const rail = (name: string) => page.getByRole("navigation", { name: "Room" }).getByRole("link", { name })

const lines: string[] = []
/** The most clicks until each task is done. What is pressed after its answer is on the page is not counted. */
const MOST_CLICKS: Readonly<Record<TaskName, number>> = {
  "set-up to credential": 5,
  "join and reply": 6,
  hypothesis: 2,
  "experiment to reported attempt": 11,
  "finding with verdict": 4,
  "compare 16, say which arm is best and why": 3,
  "read of a Room, seven questions": 0,
  "file any paper into a shared Collection": 1,
  withhold: 3,
  "catch up since yesterday": 0,
}
/** What is done to an experiment with a plan until its outcome is reported. */
const MOST_CLICKS_OF_AN_OUTCOME = 8

/** Compares what a task takes with what it took before, and holds it to its clicks, none of which was refused. */
function took(t: Test, name: TaskName, ...people: readonly Klm[]): number {
  const clicks = people.reduce((sum, each) => sum + each.clicks, 0)
  const fields = people.reduce((sum, each) => sum + each.fields, 0)
  t.ok(clicks <= MOST_CLICKS[name], `${name}: ${clicks} clicks, at most ${MOST_CLICKS[name]}`)
  t.same(
    people.flatMap((each) => each.refused),
    [],
    `${name}: nothing was refused`,
  )
  const sums = people.map((klm) => klm.sum())
  const [seconds, slowly] = (["seconds", "slowly"] as const).map((speed) =>
    sums.reduce((sum, each) => sum + each[speed], 0),
  )
  const [was, now, slow] = [secondsBefore[name], seconds, slowly].map((value = Number.NaN) => value.toFixed(1))
  lines.push(
    [
      name.padEnd(41),
      ...[was, now, slow].map((text = "") => text.padStart(9)),
      `${clicks}`.padStart(8),
      `${fields}`.padStart(8),
      `  ${sums.map((each) => each.operators).join(" and ")}`,
    ].join(""),
  )
  t.ok(Number(now) <= Number(was), `${name}: ${now} s, before ${was} s`)
  return Number(now)
}

t.test("1. from the set-up link to a credential", async (t) => {
  const own = await startOwn()
  const page = await open()
  t.teardown(() => own.close())
  await page.goto(own.setUpLink ?? "")
  const klm = new Klm(page)
  await klm.write(page.getByLabel("Name"), "ada")
  await klm.write(page.getByLabel("Password"), "a long password of ada")
  await klm.enter()
  await klm.press(link("Create a Room", page))
  await klm.write(page.getByLabel("Title"), "Does warm-up matter?")
  await klm.enter()
  await klm.press(page.getByText("Bring an agent", { exact: true }))
  await klm.write(page.getByLabel("The agent's name"), "sweep agent")
  await klm.enter()
  const token = (await page.locator("section[aria-labelledby=token] pre").innerText()).trim()
  klm.isAnswered()
  t.match(await page.locator("section[aria-labelledby=environment] pre").innerText(), token, "lines to paste")
  await klm.press(button("Copy the token", page))
  took(t, "set-up to credential", klm)
})

t.test("2. somebody joins, is let in, and replies", async (t) => {
  const theirs = await open()
  await signIn(theirs, demo, "visitor")
  const [mary, ada] = [new Klm(theirs), new Klm(page)]
  await mary.press(theirs.locator(`main a[href="${room}"]`).first())
  await mary.press(link("Ask to join", theirs))
  await mary.press(button("Ask to join", theirs))
  await done("request_to_join", theirs)
  await page.goto(at("/"))
  await ada.press(button(/^Accept /))
  await page.locator(".done").waitFor()
  await theirs.goto(at(room))
  await mary.press(theirs.locator("#live-threads a").first())
  await mary.write(theirs.getByLabel("Write in this Thread"), "Which seeds were these?")
  await mary.press(button("Post", theirs))
  await done("post_message", theirs)
  took(t, "join and reply", mary, ada)
  await theirs.context().close()
})

t.test("3. a hypothesis", async (t) => {
  await page.goto(at(room))
  const ada = new Klm(page)
  await ada.press(link(/^(Write down a hypothesis|Publish a hypothesis)$/))
  await ada.write(page.getByLabel("What do you claim?"), "A linear warm-up lowers the loss.")
  await ada.write(page.getByLabel("Where does it hold?"), "Small models.")
  await page.locator("[data-structure] .tag").first().waitFor()
  await ada.press(button("Publish the hypothesis"))
  await done("publish_hypothesis")
  took(t, "hypothesis", ada)
})

t.test("4. from a hypothesis to an attempt that succeeded", async (t) => {
  const { url, commit } = demo.repositories.public
  const ada = new Klm(page)
  await ada.press(next("Propose an experiment"))
  await ada.write(page.getByLabel("What do you want to find out?"), "Is the loss lower with a warm-up?")
  await ada.write(page.getByLabel("On what?"), "One model.")
  await ada.press(button("Propose the experiment"))
  await done("propose_experiment")
  await ada.press(next("Take it"))
  await done("take_experiment")
  await ada.press(next("Pin the plan"))
  await ada.paste(page.getByLabel("Public repository"), url)
  await ada.paste(page.getByLabel("Commit"), commit)
  await ada.write(page.getByLabel("How will it be done?"), "Two arms.")
  await ada.press(page.getByText("Arms and what would count as success"))
  await ada.write(page.locator("[name='/protocol/arms/0/name']"), "warm-up")
  await ada.write(page.locator("[name='/protocol/arms/0/argv']"), "python train.py --warmup 400")
  await ada.press(button("Pin the plan"))
  await done("accept_plan")
  const planned = ada.clicks
  await ada.press(next("Register an attempt: warm-up"))
  await ada.press(button("Register the attempt"))
  await done("register_attempt")
  await ada.press(next("Report what happened"))
  await ada.press(page.getByLabel("It succeeded"))
  await ada.press(button("Report it"))
  await done("report_attempt_event")
  const clicks = ada.clicks - planned
  t.ok(clicks <= MOST_CLICKS_OF_AN_OUTCOME, `the outcome of a planned experiment: ${clicks} clicks`)
  took(t, "experiment to reported attempt", ada)
})

t.test("5. the finding of that attempt, with its verdict", async (t) => {
  const ada = new Klm(page)
  await ada.press(next("Publish a finding"))
  await ada.write(page.getByLabel("What did you find?"), "With a linear warm-up the loss is lower by 0.07 nats.")
  await ada.choose(page.getByLabel("How did it come out?"), "positive")
  await page.locator("[data-structure] .tag").first().waitFor()
  await ada.choose(page.locator("select[name='/says/towardHypothesis/0/verdict']"), "supports")
  await ada.choose(page.locator("select[name='/says/towardQuestion/verdict']"), "answers it")
  await ada.press(button("Publish the finding"))
  await done("publish_finding")
  t.match((await page.locator(".steps").innerText()).replace(/\s+/g, " "), /Verdict: supports/)
  const seconds = took(t, "finding with verdict", ada)
  t.ok(seconds < 25, `${seconds} s after the attempt`)
})

t.test("6. which of four arms of sixteen attempts is best, and why", async (t) => {
  const { roomId } = await makeSixteen(demo, await Browser.signIn(house, owner))
  await page.goto(at(`/rooms/${roomId}`))
  const ada = new Klm(page)
  await ada.press(rail("Attempts"))
  await ada.press(link("Select all 16"))
  await ada.press(button("Compare 16"))
  const best = page.getByRole("region", { name: "Which is best" }).getByRole("listitem")
  t.match(
    await ada.read(best),
    /^shift is best: error 11\.\d+ %, lower than smoothing by 0\.\d+ % \(9\d.*told apart.*not noise\. Noise: sd/,
    "which is best, and whether it is noise",
  )
  ada.isAnswered()
  const bold = page.getByRole("group", { name: "Settings and results" }).locator("tr", { has: page.locator("strong") })
  t.match(await bold.first().innerText(), /^shift\s.*11\.\d+ ±/s, "and it alone is bold")
  took(t, "compare 16, say which arm is best and why", ada)
})

/** The questions of half a minute's reading in the demo's Room, where each answer is, and what it says. */
const QUESTIONS = [
  ["what is the question?", "#main .asks", /solve what it could not solve before/],
  [
    "what is the newest valid answer, with its numbers?",
    ".answer",
    /GRPO finds faster what was there: held-out pass@1 rises by 0\.103.*falls by 0\.122.*So far.*F1 corrected.*F6/,
  ],
  [
    "how do the hypotheses stand?",
    "#live-hypotheses tbody tr",
    /^H\d.* (supported|contradicted|contested|inconclusive).* from /,
  ],
  ["what was found?", "#live-found li", /^F10 positive /],
  ["what failed, and why?", "#live-failed li", /A29 allocation: Out of memory/],
  ["what is next, and who has it?", "#live-next li", /(Answer|Take|Renew|Review)/],
  [
    "what no longer holds?",
    "#live-where .left-out",
    /^1 conclusion no longer holds: F3, which it cites, is retracted\.$/,
  ],
] as const

t.test("7. half a minute's read of a Room: seven of seven answers are on its first screen", async (t) => {
  await page.goto(at(`/rooms/${demo.rooms.main.roomId}`))
  const ada = new Klm(page)
  for (const [question, place, answer] of QUESTIONS) {
    t.match(await ada.read(page.locator(place)), answer, question)
    const box = await page.locator(place).first().boundingBox()
    t.ok(
      box !== null && box.y >= 0 && box.y + box.height <= 900 && box.x + box.width <= 1440,
      `${question} The answer is on the screen.`,
    )
  }
  t.equal(await page.evaluate("scrollY"), 0, "nothing was scrolled")
  t.ok(took(t, "read of a Room, seven questions", ada) < 30)
})

t.test("8. a paper that has a DOI goes into a shared Collection", async (t) => {
  await page.goto(at("/library"))
  const ada = new Klm(page)
  await ada.paste(page.getByLabel("Add papers"), "10.1145/359545.359563")
  await ada.choose(page.getByLabel("and add to"), "Warm-up, clipping and early loss")
  await ada.press(button("Save"))
  t.match(await page.locator("#pasted").innerText(), /1 paper/)
  took(t, "file any paper into a shared Collection", ada)
})

t.test("9. a message is withheld", async (t) => {
  const grace = await Browser.signIn(house, member)
  await grace.write("post_message", {
    threadId: demo.rooms.empty.openingThreadId,
    text: "The token is hf_kT9sQ2mV7xLp.",
  })
  await page.goto(at(`/threads/${demo.rooms.empty.openingThreadId}`))
  const ada = new Klm(page)
  const entry = page.locator(`[data-entry]`, { hasText: "hf_kT9" })
  await ada.press(entry.locator(".menu"))
  await ada.press(entry.getByRole("link", { name: /^Withhold/ }))
  await ada.choose(page.getByLabel("Why"), "A secret that gives access")
  await ada.write(page.getByLabel("In a sentence"), "A token, revoked since.")
  await ada.press(button("Withhold it for good"))
  await page.getByRole("heading", { name: "The text was withheld" }).waitFor()
  took(t, "withhold", ada)
})

t.test("10. what others did since yesterday, in every Room", async (t) => {
  const grace = await Browser.signIn(house, member)
  const { roomId, openingThreadId: threadId } = demo.rooms.main
  const context = await (await fetch(at(`/api/research/rooms/${roomId}/research-context`))).json()
  const own = (context as { publications: Published[] }).publications.find(
    ({ kind, status, author }) => kind === "finding" && status === "current" && author.username === member.username,
  )
  await grace.write("post_message", { threadId, text: "The fall is smaller than the noise." })
  await grace.write("assert_retraction", {
    targetVersionId: own?.versionId ?? "",
    explanation: "The wrong split was read.",
  })
  await grace.write("post_message", { threadId: demo.rooms.empty.openingThreadId, text: "The sweep is done." })
  await page.goto(at("/"))
  const ada = new Klm(page)
  const item = (words: string) => page.locator("main li", { hasText: words })
  t.match(await ada.read(item("The wrong split was read.")), /grace retracted F\d+/)
  t.match(await ada.read(item("The fall is smaller than the noise.")), /grace/)
  t.match(await ada.read(item("The sweep is done.")), /grace/)
  took(t, "catch up since yesterday", ada)
})

t.test("the table of all tasks", async (t) => {
  t.comment(
    [
      "seconds at 55 words a minute".padEnd(41),
      ...["before", "after", "40 wpm"].map((text) => text.padStart(9)),
      ...["clicks", "fields"].map((text) => text.padStart(8)),
      "  what is counted after",
    ].join(""),
  )
  for (const line of lines) t.comment(line)
})
