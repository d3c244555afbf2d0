/**
 * A browser that watches its pages: errors on the console, requests that leave the instance, scripts that should not
 * run.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core"

export interface Watched {
  readonly context: BrowserContext
  readonly page: Page
  /** The errors since the last call. */
  troubles(): string[]
}

/** @param expected statuses that are not errors: a browser logs each refused page on its console */
export async function watched(
  browser: Browser,
  baseUrl: string,
  options: BrowserContextOptions = {},
  expected: readonly number[] = [],
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  let found: string[] = []
  const { origin } = new URL(baseUrl)
  context.on("request", (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !url.startsWith("data:") && !url.startsWith("about:"))
      found.push(`a request leaves the instance: ${url}`)
  })
  context.on("console", (message) => {
    const isExpected = expected.some((status) => message.text().includes(`status of ${status} `))
    if (["error", "warning"].includes(message.type()) && !isExpected)
      found.push(`${message.type()} on the console: ${message.text()} (${message.location().url})`)
  })
  context.on("weberror", (error) => found.push(`an error in the script: ${error.error().message}`))
  const page = await context.newPage()
  page.on("dialog", (dialog) => {
    found.push(`a dialog opens: ${dialog.message()}`)
    void dialog.dismiss()
  })
  return {
    context,
    page,
    troubles() {
      const told = found
      found = []
      return told
    },
  }
}
