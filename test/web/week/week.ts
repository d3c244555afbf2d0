/**
 * One week of a Room's life: a service of its own whose days pass when the story says so, its people, each with their
 * own browser, and the checks on every page that one of them meets.
 */
import { pattern } from "../../support/pattern.ts"
import type { Page } from "playwright-core"
import t, { type Test } from "tap"
import { makeRepositories } from "../../../src/demo/repositories.ts"
import { DAY, passwordOf, temporaryFolder } from "../../support/service.ts"
import { violations } from "../axe.ts"
import { signInAs } from "../pages.ts"
import { ownInBrowser } from "../scene.ts"
import { watched } from "../watched.ts"

const folder = temporaryFolder()
const { public: repository } = makeRepositories(folder)
export const { own, browser, at } = await ownInBrowser({ repositories: folder })
export { repository }

/** What the people of the story know about each other's work, by the chapters that made it. */
export interface Known {
  room: string
  invitation: string
  token: string
  experiment: string
  attempts: string[]
  hypothesis: string
  finding: string
}
export const known: Known = {
  room: "",
  invitation: "",
  token: "",
  experiment: "",
  attempts: [],
  hypothesis: "",
  finding: "",
}

export const roomId = (): string => known.room.split("/")[2] ?? ""
let days = 0
/** The present moment by the service's clock. */
export const now = (): string => new Date(Date.now() + days * DAY).toISOString()
export function nextDay(): void {
  own.pass(DAY)
  days += 1
}

export interface Person {
  readonly page: Page
  readonly isScripted: boolean
  /** Checks a page: accessible, in the reader's words, with a way on, no wider than the screen. */
  meets(t: Test, what: string): Promise<void>
  /** The words of the page's main part, in one line. */
  reads(place?: string): Promise<string>
}

/** Names of the interface: words joined by an underscore or a capital, except the names of programs and of metrics. */
const NAMES = pattern(
  /\b(?!research_room\b)[a-z]{2,}(?:_[a-z]{2,})+\b/,
  /|\b(?:version|room|thread|experiment|attempt|finding|expected|request)[A-Z]\w+/,
)
/** The parts of a page that are in the words of this service. */
const WORDS = `(() => {
  const walker = document.createTreeWalker(document.querySelector("#main"), NodeFilter.SHOW_TEXT)
  const found = []
  while (walker.nextNode())
    if (walker.currentNode.parentElement.closest("pre, code, svg, script, template, .on-paper, [dir=auto]") === \
null) found.push(walker.currentNode.data)
  return found.join(" ").replace(/\\s+/g, " ")
})()`
/** Links and actions on a page, not counting its header, rail and footer. */
const WAYS =
  `[...document.querySelectorAll("#main a[href], #main button, #main summary")].filter((each) => ` +
  `each.checkVisibility() && !each.matches(".digest, [data-copy]")).length`

/** How many pixels a page is wider than its screen. */
const BEYOND = "Math.max(0, document.documentElement.scrollWidth - innerWidth)"

/** A person with their own browser. */
export async function person(isScripted = true): Promise<Person> {
  const { page, context, troubles } = await watched(
    browser,
    own.baseUrl,
    { javaScriptEnabled: isScripted },
    [404, 409, 422],
  )
  t.teardown(() => context.close())
  const reads = async (place = "#main"): Promise<string> =>
    (await page.locator(place).first().innerText()).replace(/\s+/g, " ").trim()
  return {
    page,
    isScripted,
    reads,
    async meets(t, what) {
      await page.waitForLoadState()
      t.ok(Number(await page.evaluate(WAYS)) > 0, `${what}: has a way on`)
      t.notMatch(await page.evaluate(WORDS), NAMES, `${what}: no name of the interface`)
      t.equal(await page.evaluate(BEYOND), 0, `${what}: not wider than the screen`)
      await page.setViewportSize({ width: 390, height: 844 })
      t.equal(await page.evaluate(BEYOND), 0, `${what}: not wider than a phone`)
      await page.setViewportSize({ width: 1280, height: 800 })
      if (isScripted) t.same(await violations(page), [], `${what}: no axe violation`)
      t.same(troubles(), [], `${what}: no error`)
    },
  }
}

/** Makes the account that a link offers, or signs in. */
export async function comesBy({ page }: Person, link: string, username: string): Promise<void> {
  await page.goto(link)
  await page.getByLabel("Name").fill(username)
  await page.getByLabel("Password").fill(passwordOf(username))
  await page.getByRole("button", { name: "Create the account" }).click()
  await page.waitForURL((url) => !url.pathname.startsWith("/invitations") && !url.pathname.startsWith("/setup"))
}
export const signsIn = ({ page }: Person, username: string): Promise<void> =>
  signInAs(page, own.baseUrl, { username, password: passwordOf(username) })

export const done = ({ page }: Person, operation: string): Promise<void> =>
  page.waitForURL(new RegExp(`done=${operation}`))
/** The one next action under the title of an object. */
export const nextAct = ({ page }: Person, name: string | RegExp) =>
  page.locator(".next-act").first().locator("a, button").filter({ hasText: name }).first()
export const pathOf = ({ page }: Person): string => new URL(page.url()).pathname
