/** A real Chromium for the tests: the one inside @sparticuz/chromium where it runs (Linux x64), else one that is installed. */
import { existsSync } from "node:fs"
import { type Browser, chromium as playwright } from "playwright-core"

/** Browsers that a machine may have, where the packaged one does not run. */
const INSTALLED = [
  process.env.RESEARCH_ROOM_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
]

const isPackaged = process.platform === "linux" && process.arch === "x64" && process.env.RESEARCH_ROOM_CHROMIUM === undefined

/** Unpacks the packaged browser where it runs. Two processes that unpack it at once would each start the half of the other. */
export async function unpackBrowser(): Promise<void> {
  if (isPackaged) await (await import("@sparticuz/chromium")).default.executablePath()
}

/** Starts the browser. @throws Error that says which to install, where there is none */
export async function launch(): Promise<Browser> {
  if (isPackaged) {
    const { default: chromium } = await import("@sparticuz/chromium")
    // No page draws in three dimensions, and a graphics card played by the processor takes a third of all that a story costs.
    chromium.setGraphicsMode = false
    return playwright.launch({
      executablePath: await chromium.executablePath(),
      // A browser as people have it: with the rules between origins.
      args: [...chromium.args.filter((flag) => !/^--(?:single-process|disable-web-security)/.test(flag)), "--disable-gpu"],
      headless: true,
    })
  }
  const executablePath = INSTALLED.find((path) => path !== undefined && existsSync(path))
  if (executablePath === undefined)
    throw new Error("The pages are tested in Chromium or Chrome; install one, or name it in RESEARCH_ROOM_CHROMIUM.")
  return playwright.launch({ executablePath, headless: true })
}
