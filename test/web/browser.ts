/** A real Chromium for the tests: the one in @sparticuz/chromium on Linux x64, otherwise an installed one. */
import { existsSync } from "node:fs"
import { type Browser, chromium as playwright } from "playwright-core"

/** Browsers that a machine may have, for systems that cannot run the packaged one. */
const INSTALLED = [
  process.env.RESEARCH_ROOM_CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
]

const isPackaged =
  process.platform === "linux" && process.arch === "x64" && process.env.RESEARCH_ROOM_CHROMIUM === undefined

/**
 * Unpacks the packaged browser, if this system can run it. If two processes unpacked it at the same time, each would
 * start a half-written file.
 */
export async function unpackBrowser(): Promise<void> {
  if (isPackaged) await (await import("@sparticuz/chromium")).default.executablePath()
}

/** Starts the browser. @throws Error that says which one to install, if there is none */
export async function launch(): Promise<Browser> {
  if (isPackaged) {
    const { default: chromium } = await import("@sparticuz/chromium")
    // No page draws in 3D, and emulating a graphics card takes a third of the processor time of a story.
    chromium.setGraphicsMode = false
    return playwright.launch({
      executablePath: await chromium.executablePath(),
      // A browser as people use it, with the same-origin policy.
      args: [
        ...chromium.args.filter((flag) => !/^--(?:single-process|disable-web-security)/.test(flag)),
        "--disable-gpu",
      ],
      headless: true,
    })
  }
  const executablePath = INSTALLED.find((path) => path !== undefined && existsSync(path))
  if (executablePath === undefined)
    throw new Error("The pages are tested in Chromium or Chrome; install one, or name it in RESEARCH_ROOM_CHROMIUM.")
  return playwright.launch({ executablePath, headless: true })
}
