/** Ada, who sets the Room up, invites, reviews, withholds, answers a dispute, concludes, and exports it. */
import { readFileSync } from "node:fs"
import type { Test } from "tap"
import { at, comesBy, done, known, nextAct, own, pathOf, type Person, person, roomId } from "./week.ts"

export const ada: Person = await person()
const { page } = ada

export async function setsUp(t: Test): Promise<void> {
  await comesBy(ada, own.setUpLink ?? "", "ada")
  t.match(await ada.reads(), /There are no Rooms yet/, "an empty service says what a Room is")
  await ada.meets(t, "the empty first page")
  await page.getByRole("link", { name: "Create a Room" }).click()
  await ada.meets(t, "the form of a Room")
  await page.getByLabel("Title").fill("Does a warm-up pay?")
  await page.getByLabel("Question").fill("By how much does a warm-up lower the loss of a small model?")
  await page.getByText("Licence", { exact: true }).first().click()
  await page.getByLabel("Licence").fill("CC-BY-4.0")
  await page.getByRole("button", { name: "Create the Room" }).click()
  await done(ada, "create_room")
  known.room = pathOf(ada)
  await ada.meets(t, "the new Room")
}

export async function invites(t: Test): Promise<void> {
  await page.goto(at(`${known.room}/people`))
  await ada.meets(t, "the people of the Room")
  await page.getByRole("button", { name: "Invite a new person" }).click()
  known.invitation = ((await page.locator(".command").first().textContent()) ?? "").trim()
  t.match(known.invitation, /\/invitations\//)
  await ada.meets(t, "the link of an invitation")
}

/** A link that gives a reader an account but not the Room. */
export async function invitesReader(t: Test): Promise<string> {
  await page.goto(at("/account"))
  await page.getByRole("button", { name: "Make an invitation link" }).click()
  const link = ((await page.locator(".command").first().textContent()) ?? "").trim()
  await ada.meets(t, "the link for a reader")
  return link
}

export async function predicts(t: Test): Promise<void> {
  await page.goto(at(known.room))
  await page
    .getByRole("link", { name: /^(Write down a hypothesis|Publish a hypothesis)$/ })
    .first()
    .click()
  await page.getByLabel("What do you claim?").fill("A linear warm-up lowers the loss.")
  await page.getByLabel("Where does it hold?").fill("Small models, one data set.")
  await page.locator("[data-structure] .tag").first().waitFor()
  await page.getByRole("button", { name: "Publish the hypothesis" }).click()
  await done(ada, "publish_hypothesis")
  known.hypothesis = pathOf(ada)
  t.match(await ada.reads(), /Untested/)
  await ada.meets(t, "the hypothesis")
}

export async function reviews(t: Test): Promise<void> {
  await page.goto(at("/"))
  t.match(
    await ada.reads("section[aria-labelledby=concerns]"),
    /grace related F1 to E1: it supports H1 and answers the question/,
  )
  t.match(await ada.reads("section[aria-labelledby=news]"), /grace published positive finding F1: With a warm-up/)
  await ada.meets(t, "the owner's first page")
  await page.goto(at(known.finding))
  await nextAct(ada, "Review F1").click()
  await page.getByLabel("Do you agree?").selectOption({ label: "I agree, with reservations" })
  await page.getByRole("checkbox", { name: "recomputed the numbers" }).check()
  await page.getByLabel("Why?").fill("The interval excludes zero; one data set is little.")
  await page.getByRole("button", { name: "Publish the review" }).click()
  await done(ada, "submit_review")
  t.match(await ada.reads(), /agrees with reservations/)
  await ada.meets(t, "the reviewed finding")
}

export async function concludes(t: Test, conclusion: string): Promise<void> {
  await page.goto(at(known.room))
  await page
    .locator("#live-where, #live-next")
    .getByRole("link", { name: /^(Write the answer|Renew)$/ })
    .first()
    .click()
  await page.getByLabel("Where do things stand?").fill(`${conclusion} See F1.`)
  await page.getByLabel("Is the question settled?").selectOption({ label: "yes, this concludes it" })
  await page.getByLabel("The conclusion, in a sentence or two").fill(conclusion)
  await page.getByText("Records it cites", { exact: true }).first().click()
  await page
    .getByRole("checkbox", { name: /^F\d+:/ })
    .last()
    .check()
  await page.getByRole("button", { name: "Post the checkpoint" }).click()
  await done(ada, "post_research_checkpoint")
  await ada.meets(t, "the conclusion")
  await page.goto(at(known.room))
  t.match(await ada.reads("#live-where"), new RegExp(`${conclusion}.*Concluded`))
}

export async function withholds(t: Test, secret: string): Promise<void> {
  await page.goto(at(`${known.room}/activity`))
  const entry = page.locator("li", { hasText: secret }).last()
  await entry.locator(".menu summary").click()
  await entry.getByRole("link", { name: /^Withhold/ }).click()
  await page.getByLabel("Why").selectOption("secret")
  await page.getByLabel("In a sentence").fill("A token, revoked since.")
  await ada.meets(t, "the form of withholding")
  await page.getByRole("button", { name: "Withhold it for good" }).click()
  await page.getByRole("heading", { name: "The text was withheld" }).waitFor()
  await ada.meets(t, "what was withheld")
  await page.goto(at(`${known.room}/activity`))
  t.notMatch(await page.content(), secret)
  t.match(await ada.reads(), /ada withheld part of a message \(secret\): A token, revoked since\./)
}

/** Grace disputes her hypothesis: the dispute waits, is answered in place, and no longer waits. */
export async function answersDispute(t: Test): Promise<void> {
  await page.goto(at("/"))
  t.match(await ada.reads("section[aria-labelledby=waiting]"), /grace .*disputes your H1/)
  await page.getByRole("link", { name: "Read and answer" }).click()
  t.match(await ada.reads(), /Lower by how much\?/)
  await ada.meets(t, "the dispute")
  await page.getByRole("link", { name: "Reply" }).click()
  await ada.meets(t, "the form of an answer")
  await page.getByLabel("Your reply").fill("By two per cent or more: that is what the scope means.")
  await page.getByRole("button", { name: "Post" }).click()
  await done(ada, "post_message")
  await ada.meets(t, "the answered dispute")
  await page.goto(at("/"))
  t.notMatch(await page.locator("main").innerText(), /disputes your H1/, "an answered dispute no longer waits")
}

/** Her conclusion became stale with the finding that it cites: the Room says so, and leads to a new one. */
export async function renews(t: Test): Promise<void> {
  await page.goto(at(known.room))
  t.match(await ada.reads("#live-next"), /Renew a conclusion .*F1/)
  await page.locator("#live-next").getByRole("link", { name: "Renew" }).first().click()
  await ada.meets(t, "the form of a new checkpoint")
  await page
    .getByLabel("Where do things stand?")
    .fill("It cannot be said yet: F1 was retracted. The seeds have to be drawn apart.")
  await page.getByLabel("Is the question settled?").selectOption({ label: "no, it stays open" })
  await page.getByText("Open questions", { exact: true }).first().click()
  await page.getByLabel("Open questions").fill("Does it hold with seeds of their own?")
  await page.getByRole("button", { name: "Post the checkpoint" }).click()
  await done(ada, "post_research_checkpoint")
  await page.goto(at(known.room))
  t.match(await ada.reads("#live-where"), /It cannot be said yet: F1 was retracted\..*So far/)
  t.match(await ada.reads(), /Does it hold with seeds of their own\?/)
}

export async function takesItAway(t: Test): Promise<void> {
  await page.goto(at(known.room))
  await ada.meets(t, "the Room at the end of the week")
  const [crate] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "RO-Crate" }).click(),
  ])
  t.match(crate.suggestedFilename(), /\.zip$/)
  t.equal(
    readFileSync(await crate.path())
      .subarray(0, 2)
      .toString(),
    "PK",
  )
  await page.goto(at(`/do/archive_room?roomId=${roomId()}`))
  await ada.meets(t, "the form that archives a Room")
  await page.goto(at("/admin"))
  await ada.meets(t, "the operator's page")
}
