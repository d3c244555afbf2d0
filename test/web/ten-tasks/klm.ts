/**
 * The keystroke-level model of Card, Moran and Newell (1980): somebody who knows the page and makes no mistake does a
 * task in the real browser, and what the hands and the head do is counted. Nothing is measured, so the same page always
 * gives the same sum.
 *
 * The rules, the same for every page and every commit:
 * - M, a moment of thought, comes before each thing that is pressed, each field that is filled, each screen that is
 * scrolled to
 *   and each answer that is read. Characters of one text have none between them.
 * - Each character of a text is a K, words that the person thinks up included. What comes from elsewhere (an address, a
 *   commit, a DOI) is pasted by two keys; what fetches it there is not counted. Passwords are typed.
 * - A field or button is reached with Tab where at most three lead to it and the hands are on the keys; else it is
 * pointed at.
 *   A choice is made by the first letters of its words where its list has the focus.
 * - What is below or above the window is scrolled to, a screen at a time: a turn of the wheel counts as a press and
 * release.
 * - R, the wait for a page, is 0: pages paint within 300 ms (`npm run paint`), and what a script proposes comes while
 * the next
 *   field is thought of.
 */
import type { Locator, Page } from "playwright-core"

/** Seconds. The key time is that of an average skilled typist, 55 words a minute. */
export const SECONDS = { K: 0.2, P: 1.1, B: 0.1, H: 0.4, M: 1.35 } as const
/** Seconds per key for somebody who types 40 words a minute. */
const SLOW_KEY = 0.28

type Operator = keyof typeof SECONDS

/** The most Tabs before a hand reaches for the mouse instead. */
const MOST_TABS = 3
/** Pixels of a tall element that must be visible before it is read. */
const BEGINNING = 40

export class Klm {
  readonly page: Page
  readonly #counts: Record<Operator, number> = { K: 0, P: 0, B: 0, H: 0, M: 0 }
  #hand: "keys" | "mouse" = "mouse"
  #clicks = 0
  #fields = 0
  #isAnswered = false
  readonly #refused: string[] = []

  constructor(page: Page) {
    this.page = page
    page.on("response", (response) => {
      const isPage = response.request().resourceType() === "document"
      if (isPage && response.status() >= 400) this.#refused.push(`${response.status()} ${response.url()}`)
    })
  }

  /** The links, buttons, folds and boxes that were pressed, and the forms that were sent with Enter. */
  get clicks(): number {
    return this.#clicks
  }

  /** Says that the task is done: what follows costs time and no clicks, such as a look at the reasons. */
  isAnswered(): void {
    this.#isAnswered = true
  }

  /** The fields that were filled in or chosen from. */
  get fields(): number {
    return this.#fields
  }

  /** The pages that refused something. */
  get refused(): readonly string[] {
    return this.#refused
  }

  /** Presses a link, a button or a box, with the keys if it is near. */
  async press(target: Locator): Promise<void> {
    this.#count("M")
    if (!this.#isAnswered) this.#clicks += 1
    if (await this.#tabTo(target)) {
      const isBox = await target.evaluate((element) => element.matches("[type=checkbox], [type=radio]"))
      await this.#key(isBox ? "Space" : "Enter")
      return
    }
    await this.#pointAt(target)
    await target.click()
  }

  /** Types a text that the person thinks up into a field. */
  async write(field: Locator, text: string): Promise<void> {
    this.#count("M")
    this.#fields += 1
    await this.#into(field)
    this.#toThe("keys")
    this.#count("K", text.length)
    await this.page.keyboard.type(text)
  }

  /** Pastes the clipboard into a field. */
  async paste(field: Locator, text: string): Promise<void> {
    this.#count("M")
    this.#fields += 1
    await this.#into(field)
    this.#toThe("keys")
    this.#count("K", 2)
    await this.page.keyboard.insertText(text)
  }

  /** Picks a choice of a list by the first letters of its words. */
  async choose(list: Locator, words: string): Promise<void> {
    this.#count("M")
    this.#fields += 1
    const isByKeys = await this.#tabTo(list)
    const all = (await list.locator("option").allTextContents()).map((text) => text.trim())
    const index = all.findIndex((text) => text.startsWith(words))
    if (index === -1) throw new Error(`the list has no “${words}”, it has ${all.join(", ")}`)
    if (isByKeys) this.#count("K", leading(all, index))
    else {
      await this.#pointAt(list)
      this.#count("P")
      this.#count("B", 2)
    }
    await list.selectOption({ index })
    await list.focus()
  }

  /** Sends the form of the focused field, with Enter in a line of text. */
  async enter(): Promise<void> {
    if (!this.#isAnswered) this.#clicks += 1
    this.#toThe("keys")
    await this.#key("Enter")
  }

  /** Reads an answer, scrolling to it if it is not on the screen. */
  async read(answer: Locator): Promise<string> {
    await answer.first().waitFor()
    await this.#scrollTo(answer.first())
    this.#count("M")
    return (await answer.allInnerTexts()).join(" | ").replace(/\s+/g, " ").trim()
  }

  /** Counts that many moments of thought, for numbers that are weighed for instance. */
  think(times = 1): void {
    this.#count("M", times)
  }

  /** The seconds of all that was done, and their parts. */
  sum(): { readonly seconds: number; readonly slowly: number; readonly operators: string } {
    const keys = this.#counts.K
    const seconds = (Object.keys(SECONDS) as Operator[]).reduce(
      (sum, each) => sum + SECONDS[each] * this.#counts[each],
      0,
    )
    return {
      seconds: Number(seconds.toFixed(2)),
      slowly: Number((seconds + keys * (SLOW_KEY - SECONDS.K)).toFixed(2)),
      operators: (Object.keys(SECONDS) as Operator[]).map((each) => `${this.#counts[each]} ${each}`).join(", "),
    }
  }

  #count(operator: Operator, times = 1): void {
    this.#counts[operator] += times
  }

  #toThe(hand: "keys" | "mouse"): void {
    if (this.#hand !== hand) this.#count("H")
    this.#hand = hand
  }

  async #key(key: string): Promise<void> {
    this.#count("K")
    await this.page.keyboard.press(key)
  }

  async #into(field: Locator): Promise<void> {
    if (await this.#tabTo(field)) return
    await this.#pointAt(field)
    await field.click()
  }

  /** Whether a few presses of Tab reach it, which are then counted; the hands must be on the keys. */
  async #tabTo(target: Locator): Promise<boolean> {
    await target.waitFor()
    const isThere = () => target.evaluate((element) => element.matches(":focus"))
    if (await isThere()) return true
    if (this.#hand !== "keys") return false
    for (let tabs = 1; tabs <= MOST_TABS; tabs += 1) {
      await this.page.keyboard.press("Tab")
      if (!(await isThere())) continue
      this.#count("K", tabs)
      return true
    }
    return false
  }

  async #pointAt(target: Locator): Promise<void> {
    this.#toThe("mouse")
    await this.#scrollTo(target)
    this.#count("P")
    this.#count("B", 2)
  }

  async #scrollTo(target: Locator): Promise<void> {
    await target.waitFor()
    const { y = 0, height = 0 } = (await target.boundingBox()) ?? {}
    const screen = this.page.viewportSize()?.height ?? 0
    // For an element taller than the screen, its beginning is enough.
    const below = height > screen ? y + BEGINNING - screen : y + height - screen
    const screens = Math.ceil(Math.max(0, below, -y) / screen)
    if (screens === 0) return
    this.#toThe("mouse")
    this.#count("M", screens)
    this.#count("B", 2 * screens)
    await target.scrollIntoViewIfNeeded()
  }
}

/** How many first letters pick a choice of a list: enough that no earlier choice begins with them. */
function leading(all: readonly string[], index: number): number {
  const [words = "", earlier] = [all[index]?.toLowerCase(), all.slice(0, index)]
  for (let length = 1; length < words.length; length += 1)
    if (!earlier.some((each) => each.toLowerCase().startsWith(words.slice(0, length)))) return length
  return words.length
}
