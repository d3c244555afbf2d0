/** Many tabs of one browser share one feed, hidden tabs hold none, and all show new entries. */
import t from "tap"
import { ownInBrowser } from "./scene.ts"

const TABS = 8
const { own, browser, at } = await ownInBrowser()
const ada = await own.setUp("ada")
const { openingThreadId: threadId = "" } = (await ada.write("create_room", { title: "Warm-up" })).result
const other = (await ada.write("create_room", { title: "Cool-down" })).result
const held = () => own.instance.ledger.watch.waiting
/** Resolves once a condition holds that becomes true without a reload. */
async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 400; looks += 1) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`timed out; expected: ${what}`)
}

t.test("eight tabs hold one feed, a ninth page opens at once, and all of them get new entries", async (t) => {
  const context = await browser.newContext()
  const tabs = []
  for (let tab = 0; tab < TABS; tab += 1) {
    const page = await context.newPage()
    await page.goto(at(`/threads/${threadId}`))
    tabs.push(page)
  }
  for (const page of tabs) await page.waitForSelector('main[data-following="on"]')
  await until("one feed is held", () => held() === 1)
  let most = 0
  const counting = setInterval(() => (most = Math.max(most, held())), 5)
  const ninth = await context.newPage()
  t.equal((await ninth.goto(at(`/rooms/${other.roomId}`)))?.status(), 200, "six feeds would take up six connections")
  await ada.write("post_message", { threadId, text: "It reached every tab." })
  for (const page of tabs) await page.getByText("It reached every tab.").waitFor()
  clearInterval(counting)
  t.equal(most, 1, "never more than one feed")

  await ninth.waitForSelector('main[data-following="on"]')
  const first = tabs[0]
  await first?.close()
  for (const page of tabs.slice(1, -1)) await page.close()
  await until("one of the remaining tabs holds it", () => held() === 1)
  await context.close()
  await until("no tab holds one", () => held() === 0)
})

t.test("a hidden tab holds no feed, and shows what it missed when it becomes visible", async (t) => {
  const context = await browser.newContext()
  await context.addInitScript(`
    let isHidden = false
    Object.defineProperty(document, "hidden", { get: () => isHidden })
    globalThis.setHidden = (now) => { isHidden = now; document.dispatchEvent(new Event("visibilitychange")) }`)
  const page = await context.newPage()
  await page.goto(at(`/threads/${threadId}`))
  await until("it holds its feed", () => held() === 1)
  await page.evaluate("setHidden(true)")
  await until("it holds none", () => held() === 0)
  await ada.write("post_message", { threadId, text: "Said while nobody looked." })
  t.equal(await page.getByText("Said while nobody looked.").count(), 0)
  await page.evaluate("setHidden(false)")
  await page.getByText("Said while nobody looked.").waitFor()
  await until("and it holds one again", () => held() === 1)
  await context.close()
})

t.test("in a browser without locks each visible tab follows by itself", async (t) => {
  const context = await browser.newContext()
  await context.addInitScript('Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined })')
  const pages = [await context.newPage(), await context.newPage()]
  for (const page of pages) await page.goto(at(`/threads/${threadId}`))
  await until("both hold one", () => held() === 2)
  await ada.write("post_message", { threadId, text: "Heard by both." })
  for (const page of pages) await page.getByText("Heard by both.").waitFor()
  t.pass("and both show what lands")
  await context.close()
})
