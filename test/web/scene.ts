/**
 * What a story in the browser needs: a service of its own or the demo, and a browser. Both are closed at the end of the
 * test.
 */
import t from "tap"
import { startDemo } from "../../src/demo/demo.ts"
import { openLog } from "../../src/log.ts"
import { type OwnOptions, startOwn } from "../support/service.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"

async function beside<S extends { close(): Promise<unknown> }>(service: S) {
  const browser = await launch()
  t.teardown(async () => {
    await browser.close()
    await service.close()
  })
  return browser
}

/** A fresh service, without any user. */
export async function ownInBrowser(options: OwnOptions = {}) {
  built()
  const own = await startOwn(options)
  return { own, browser: await beside(own), at: (path: string) => `${own.baseUrl}${path}` }
}

/** The demo, with its story. */
export async function demoInBrowser() {
  built()
  const demo = await startDemo({ host: "127.0.0.1", port: 0, kept: process.env.TOLD_DEMO, log: openLog("silent") })
  return { demo, browser: await beside(demo), at: (path: string) => `${demo.baseUrl}${path}` }
}
