/**
 * A reader, with a script or without: arrives cold, follows a finding to what it rests on, takes a citation along, and
 * returns to what changed.
 */
import type { Test } from "tap"
import { at, comesBy, known, pathOf, type Person } from "./week.ts"

const home = "section[aria-labelledby=news]"

/** Before there was any finding. */
export async function arrivesEarly(t: Test, reader: Person): Promise<void> {
  const { page } = reader
  await page.goto(at("/"))
  await reader.meets(t, "the first page to a stranger")
  await page.getByRole("link", { name: "Does a warm-up pay?" }).click()
  await page.waitForURL(at(known.room))
  t.match(await reader.reads("#live-where"), /No answer yet/)
  await reader.meets(t, "a Room without an answer")
}

/** From the Room's answer to the numbers, then takes a citation. */
export async function followsFinding(t: Test, reader: Person): Promise<void> {
  const { page } = reader
  await page.goto(at("/"))
  await page.getByRole("link", { name: "Does a warm-up pay?" }).click()
  t.match(await reader.reads(), /A warm-up lowers the loss by 0\.13 nats\..*Concluded/, "what is the answer?")
  t.match(
    await reader.reads("#live-hypotheses"),
    /H1 A linear warm-up lowers the loss\. .*supported.*from 1 other person/,
    "what is believed, and by whom?",
  )
  await reader.meets(t, "the Room with an answer")
  await page.locator("#live-found a", { hasText: "F1" }).first().click()
  await page.waitForURL(at(known.finding))
  await page.locator("summary", { hasText: /^Reviews/ }).click()
  t.match(
    await reader.reads(),
    /agrees with reservations The interval excludes zero; one data set is little\..*ada, another person/,
  )
  t.match(
    await reader.reads(".next-act"),
    /Next: say what you checked\. Sign in to take part\./,
    "and what a reader could do",
  )
  t.match(await reader.reads(), /its number is in the record/, "its number is the measured one")
  await reader.meets(t, "the finding")
  await page.locator('#main a[href^="/attempts/"]', { hasText: "A1" }).first().click()
  await page.waitForURL(/\/attempts\//)
  t.match(await reader.reads(), /train\.py.*--arm/, "how it was run")
  await reader.meets(t, "the attempt behind it")
  await page.goto(at(`${known.room}/attempts`))
  await page.getByRole("link", { name: /^Select all/ }).click()
  await page.getByRole("button", { name: /^Compare/ }).click()
  await page.waitForURL(/\/attempts\/compare/)
  t.match(await reader.reads(), /warm-up.*none/)
  await reader.meets(t, "the comparison")
  await page.getByRole("searchbox", { name: "Search the record" }).fill("warmup")
  await page.keyboard.press("Enter")
  await page.waitForURL(/\/search/)
  await reader.meets(t, "the search that found nothing by that spelling, or did")
  await page.getByRole("searchbox", { name: "Search the record" }).fill("warm-up")
  await page.keyboard.press("Enter")
  await page.waitForURL(/query=warm-up/)
  t.match(await reader.reads(), /With a warm-up the loss is lower/)
  await page.goto(at(known.finding))
  await page.locator("#about > summary").click()
  const [citation] = await Promise.all([
    page.waitForEvent("download"),
    page
      .getByRole("link", { name: /BibTeX/ })
      .first()
      .click(),
  ])
  t.match(citation.suggestedFilename(), /\.bib$/, "a citation to keep")
}

/** Gets an account and looks once: from then on, new entries count as new to them. */
export async function signsUp(t: Test, reader: Person, link: string, username: string): Promise<void> {
  const { page } = reader
  await comesBy(reader, link, username)
  t.equal(pathOf(reader), "/")
  t.equal(await page.locator(home).count(), 0, "nothing is new on a first visit")
  await reader.meets(t, "the first page of a new account")
  await page.getByRole("link", { name: "Does a warm-up pay?" }).first().click()
  await page.waitForURL(at(known.room))
  await reader.meets(t, "the Room, signed in")
}

/** Two days later: the changes, in sentences, and marked as read after the activity was opened. */
export async function comesBack(t: Test, reader: Person): Promise<void> {
  const { page } = reader
  await page.goto(at("/"))
  const told = await reader.reads(home)
  t.match(told, /Does a warm-up pay\? \d+ new/)
  t.match(
    told,
    /grace retracted F1 \(L\d+\): Both arms read the same file of seeds\. The conclusion of “.+” is stale\./,
  )
  await reader.meets(t, "what is new since they were here")
  await page.locator("[data-entry]", { hasText: "retracted F1" }).locator("a.meta").click()
  await reader.meets(t, "the place of the news")
  await page.goto(at(known.room))
  t.match(await reader.reads("#live-where"), /no longer holds: F1, which it cites, is retracted/)
  t.match(await reader.reads("nav.rail"), /Links \d+ new/)
  await reader.meets(t, "the Room whose answer fell")
  await page.getByRole("navigation", { name: "Room" }).getByRole("link", { name: "Activity" }).click()
  await page.waitForURL(/\/activity/)
  await reader.meets(t, "the activity as news")
  await page.getByRole("link", { name: "Verify" }).click()
  await page.waitForURL(/verify/)
  await reader.meets(t, "the activity to verify")
  await page.goto(at("/"))
  t.equal(await page.locator(home).count(), 0, "what was read is not new")
}
