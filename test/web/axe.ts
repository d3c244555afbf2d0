/** Checks pages for accessibility with axe. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Rules that depend on the theme. */
const OF_COLOUR = ["color-contrast", "link-in-text-block"]

/**
 * The violations axe finds on a page, by all rules or only those about colours: a line for each rule, with the elements
 * that break it.
 */
export async function violations(page: Page, by: "all" | "colour" = "all"): Promise<string[]> {
  // The address changes before the page it leads to has loaded.
  await page.waitForLoadState()
  if (!(await page.evaluate("'axe' in window"))) {
    await page.evaluate(axe)
  }
  const rules =
    by === "colour" ? `runOnly: ${JSON.stringify(OF_COLOUR)}` : "rules: { 'target-size': { enabled: true } }"
  return (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], ${rules} }).then(({ violations }) => violations.map(({ id, ` +
      "nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))",
  )) as string[]
}
