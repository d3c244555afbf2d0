/** Pages as assistive tools see them. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Rules that a theme bears on. */
const OF_COLOUR = ["color-contrast", "link-in-text-block"]

/** What axe finds wrong with a page, by all rules or by those of its colours: a line for each rule, with where it is broken. */
export async function violations(page: Page, by: "all" | "colour" = "all"): Promise<string[]> {
  // A page that a link led to may not be there yet, though its address is.
  await page.waitForLoadState()
  if (!(await page.evaluate("'axe' in window"))) {
    await page.evaluate(axe)
    // Entries that are laid out when they come near are looked at as they are then.
    await page.evaluate(`{
      const near = new CSSStyleSheet()
      near.replaceSync(".timeline > li { content-visibility: visible !important }")
      document.adoptedStyleSheets.push(near)
    }`)
  }
  const rules = by === "colour" ? `runOnly: ${JSON.stringify(OF_COLOUR)}` : "rules: { 'target-size': { enabled: true } }"
  return (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], ${rules} }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`,
  )) as string[]
}
