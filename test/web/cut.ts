/** Finds what is wider than its place without a sign that it goes on. */
import type { Page } from "playwright-core"

/**
 * What scrolls sideways must be reached by the keyboard and show a shadow at its edges; a table must have a name and
 * say how many of its columns do not fit. A text that is cut must end in an ellipsis.
 */
const UNSIGNED = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
  [...document.querySelectorAll("body *")].filter((each) => each.checkVisibility() && each.clientWidth > 1 &&
    each.scrollWidth > each.clientWidth + 1 &&
    !each.matches("input, textarea, select, svg, svg *, .aside, .aside *")).flatMap((each) => {
    const { overflowX, backgroundAttachment, textOverflow, webkitLineClamp } = getComputedStyle(each)
    const what = each.tagName + "." + each.className + " " + (each.ariaLabel ?? each.textContent.slice(0, 40))
    if (overflowX === "visible") return []
    if (overflowX === "hidden" || overflowX === "clip")
      return textOverflow === "ellipsis" || webkitLineClamp !== "none" ? [] : [what + ": is cut without an ellipsis"]
    const note = document.getElementById(each.getAttribute("aria-describedby") ?? "")?.textContent ?? ""
    const isTable = each.querySelector("table") !== null
    const isReached = each.tabIndex === 0 || each.querySelector("a, button") !== null
    return [
      backgroundAttachment.includes("local") ? null : "has no shadow",
      isReached ? null : "is not reached by the keyboard",
      isTable && each.ariaLabel === null ? "has no name" : null,
      isTable && !/^(\\d+ of \\d+ columns don’t fit: scroll|Scroll) sideways/.test(note) ? "says nothing" : null,
    ].filter((wrong) => wrong !== null).map((wrong) => what + ": " + wrong)
  })))))`

export const cutWithoutSign = async (page: Page): Promise<string[]> => (await page.evaluate(UNSIGNED)) as string[]
