/**
 * What is new to a returning reader: sentences on the first page and marks in the rail, until it was read, however long
 * that takes.
 */
import { Browser } from "research-room/testing"
import { ResearchRoomClient } from "research-room/client"
import t, { type Test } from "tap"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(240_000)
const { demo, browser, at } = await demoInBrowser()
const { roomId, openingThreadId: threadId } = demo.rooms.main
const room = `/rooms/${roomId}`
const lab = new ResearchRoomClient({ baseUrl: demo.baseUrl, token: demo.credentials.main_member_all.token })
const { url, commit } = demo.repositories.public

/** An experiment of grace's agent with three runs, and what it wrote about them. */
async function works(seeds: number): Promise<void> {
  const { experimentId } = (
    await lab.write("propose_experiment", {
      roomId,
      threadId,
      question: "Does it hold?",
      scope: "Here.",
      hypotheses: [],
    })
  ).result
  await lab.write("take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
  for (let seed = 0; seed < seeds; seed += 1) {
    const attemptId = crypto.randomUUID()
    await lab.write("register_attempt", {
      ...{ attemptId, experimentId, intent: "exploratory", repository: { url, commit }, argv: ["run", String(seed)] },
      ...{ configuration: {}, inputs: [], expectedRevision: 2, expectedStatus: "claimed" },
    })
    const reportedAt = new Date().toISOString()
    await lab.write("report_attempt_event", {
      attemptId,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
      reportedAt,
    })
    await lab.write("report_attempt_event", {
      attemptId,
      event: "succeeded",
      expectedRevision: 2,
      expectedStatus: "started",
      reportedAt,
    })
  }
  for (const text of ["All seeds ran.", "The *curves* agree."]) await lab.write("post_message", { threadId, text })
}

async function comesBack(
  t: Test,
  javaScriptEnabled: boolean,
  [disputed, stale]: readonly [string, string],
): Promise<void> {
  const { page, context, troubles } = await watched(browser, demo.baseUrl, { javaScriptEnabled })
  const news = page.locator("section[aria-labelledby=news]")
  const rail = (name: string) =>
    page.getByRole("navigation", { name: "Room" }).getByRole("link", { name }).locator(".new")
  await signIn(page, demo, "owner")
  if ((await news.count()) > 0) await news.getByRole("button", { name: "Mark all as read" }).click()
  await page.waitForURL(at("/"))
  t.equal(await news.count(), 0, "what was marked as read is not new")
  t.equal(await page.locator("section[aria-labelledby=concerns]").count(), 0, "and no longer concerns anybody")

  const grace = await Browser.signIn({ baseUrl: demo.baseUrl }, demo.people.member)
  await works(3)
  await grace.write("assert_dispute", {
    targetVersionId: await finding(disputed),
    explanation: "The eighth way was in the training split.",
  })
  await page.goto(at("/"))
  const told = (await news.innerText()).replace(/\s+/g, " ")
  t.match(told, /grace · agent .+ finished A\d+ to A\d+, all succeeded\./)
  t.match(told, /wrote 2 messages, the newest: The curves agree\./, "runs of the same kind are folded")
  t.match(
    told,
    new RegExp(`grace disputed ${disputed} \\(L\\d+\\): The eighth way was in the training split\\. ${stale}`),
  )
  t.equal(await page.locator(".rooms .new").first().innerText(), "14 new", "the Room in the list has a mark")
  t.equal(await news.locator("details.run").first().getAttribute("open"), null)
  if (javaScriptEnabled) t.same(await violations(page), [])

  await page.goto(at(room))
  t.equal(await rail("Attempts").innerText(), "9 new")
  t.equal(await rail("Threads").innerText(), "2 new")
  t.equal(await rail("Findings").count(), 0, "no mark if nothing is new")
  await page.getByRole("navigation", { name: "Room" }).getByRole("link", { name: "Attempts" }).click()
  await page.waitForURL(/\/attempts$/)
  await page.goto(at(room))
  t.equal(await rail("Attempts").count(), 0, "an opened section counts as read")
  t.equal(await rail("Threads").innerText(), "2 new", "the others do not")
  await page.goto(at("/"))
  t.notMatch(await news.innerText(), /finished A/)
  t.match(await news.innerText(), /wrote 2 messages/)

  await page.goto(at(`${room}/activity`))
  const list = page.locator(".happened")
  t.match((await list.innerText()).replace(/\s+/g, " "), /disputed F\d+ .* You have read everything below /)
  t.equal(await page.locator("main .digest").count(), 0, "digests are not in the news")
  await page.getByRole("link", { name: "Verify" }).click()
  await page.waitForURL(/verify=1/)
  t.ok((await page.locator("main .digest").count()) > 10)
  if (javaScriptEnabled) t.same(await violations(page), [])
  await page.goto(at("/"))
  t.equal(await news.count(), 0, "opening the activity marks the whole Room as read")
  const ada = await Browser.signIn({ baseUrl: demo.baseUrl }, demo.people.owner)
  await ada.write("post_message", { threadId, text: "I see." })
  await page.goto(at("/"))
  t.equal(await news.count(), 0, "a person's own writes are not news")
  t.same(troubles(), [])
  await context.close()
}

async function finding(label: string): Promise<string> {
  const { items } = (await (await fetch(at(`/api/research/rooms/${roomId}/publications?limit=50`))).json()) as {
    items: { label: string; versionId: string }[]
  }
  return items.find((each) => each.label === label)?.versionId ?? ""
}

t.test("with a script", (t) => comesBack(t, true, ["F10", "The conclusion of “What does teaching add\\?” is stale\\."]))
t.test("without one", (t) => comesBack(t, false, ["F9", "just now"]))

t.test(
  "another person in the same browser has separate marks, and a reader who is not a member starts now",
  async (t) => {
    const { page, context } = await watched(browser, demo.baseUrl)
    const news = page.locator("section[aria-labelledby=news]")
    await signIn(page, demo, "owner")
    await page.goto(at(`${room}/activity`))
    await page.getByRole("button", { name: "Sign out" }).click()
    await signIn(page, demo, "visitor")
    t.equal(await news.count(), 0)
    await page.goto(at(room))
    t.equal(await page.locator(".rail .new").count(), 0, "on a first visit nothing is called new")
    await works(1)
    await page.goto(at("/"))
    t.match(await news.innerText(), /finished A\d+, which succeeded\./)
    await context.close()
  },
)

t.test("what comes after a section was opened is new there, beside what was new elsewhere before", async (t) => {
  const { page, context } = await watched(browser, demo.baseUrl)
  const rail = (name: string) =>
    page.getByRole("navigation", { name: "Room" }).getByRole("link", { name }).locator(".new").innerText()
  await signIn(page, demo, "owner")
  for (const opened of ["activity", "attempts"]) {
    await page.goto(at(`${room}/${opened}`))
    // An open page would mark each of them as read.
    await page.goto(at("/"))
    await works(1)
  }
  await page.goto(at(room))
  t.equal(await rail("Attempts"), "3 new")
  t.equal(await rail("Threads"), "4 new")
  await context.close()
})

t.test("an invalid cookie is ignored", async (t) => {
  const { page, context } = await watched(browser, demo.baseUrl)
  await signIn(page, demo, "owner")
  for (const value of ["x", `${"A".repeat(22)}.zz~~`, ".".repeat(500), "~".repeat(500)]) {
    await context.addCookies([{ name: "research_room_seen", value, url: demo.baseUrl }])
    t.equal((await page.goto(at(room)))?.status(), 200)
    t.equal((await page.goto(at("/")))?.status(), 200)
  }
  await context.close()
})

t.test("in a busy Room only the newest entries are shown, and counting stops there", async (t) => {
  const { page, context } = await watched(browser, demo.baseUrl)
  await signIn(page, demo, "owner")
  await page.goto(at(`${room}/activity`))
  // An open page would mark each of them as read.
  await page.goto(at("/"))
  const writes = Array.from({ length: 205 }, (_, at) => lab.write("post_message", { threadId, text: `Step ${at}.` }))
  await Promise.all(writes)
  await page.goto(at("/"))
  t.match(
    await page.locator("section[aria-labelledby=news]").innerText(),
    /200\+ new[^]* wrote 200 messages, the newest: Step \d+\./,
  )
  t.equal(await page.locator("details.run li").count(), 20)
  await context.close()
})
