/** Fills forms without a mouse: moves with Tab, types, and counts. */
import type { Page } from "playwright-core"

/** Presses of Tab after which a field counts as missing. */
const MOST_TABS = 60

export class Typist {
  readonly page: Page
  /** Fields that were filled in or chosen from. */
  fields = 0
  /** Presses of Tab and of other keys that are not text. */
  keys = 0
  constructor(page: Page) {
    this.page = page
  }

  async press(key: string): Promise<void> {
    this.keys += 1
    await this.page.keyboard.press(key)
  }

  /** The name of the focused element, from its label. */
  private named(): Promise<string> {
    return this.page.evaluate(
      `(() => {
        const at = document.activeElement
        const labels = [...(at?.labels ?? [])].map((label) => label.textContent)
        const group = at?.closest("[role=group], fieldset.row")
        const row = group?.getAttribute("aria-label") ?? group?.querySelector("legend")?.textContent ?? ""
        const text = labels.length > 0 ? labels.join(" ") : (at?.textContent ?? "")
        return (row + ": " + text).replace(/\\s+/g, " ").replace(/ optional$/, "").trim()
      })()`,
    )
  }

  /**
   * Moves to the field, button or heading with that name; the row that holds it may be named before it: "Role 2: Role".
   */
  async to(name: string): Promise<void> {
    const isThere = (found: string) => found === name || found.endsWith(`: ${name}`)
    // Before the script of a page has run, Tab stops at another button of a group, which counts as missing.
    await this.page.waitForLoadState()
    for (let count = 0; count < MOST_TABS; count += 1) {
      if (isThere(await this.named())) return
      await this.press("Tab")
    }
    throw new Error(`Tab does not reach “${name}”; it reaches “${await this.named()}”`)
  }

  /** Writes into a field; for a choice, types the first letters of its words. */
  async write(name: string, text: string): Promise<void> {
    await this.to(name)
    this.fields += 1
    await this.page.keyboard.type(text)
  }

  /** Ticks a box. */
  async tick(name: string): Promise<void> {
    await this.to(name)
    this.fields += 1
    await this.press("Space")
  }

  /** Opens the folded part under a heading. */
  async unfold(heading: string): Promise<void> {
    await this.to(heading)
    await this.press("Enter")
  }

  async send(button: string): Promise<void> {
    await this.to(button)
    await this.press("Enter")
  }
}
