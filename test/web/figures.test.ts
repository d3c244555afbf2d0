/** A picture is chosen in the form of a message and shown in its Thread; without a script, a page uploads it. */
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { png } from "../support/pictures.ts"
import { violations } from "./axe.ts"
import { signIn } from "./pages.ts"
import { demoInBrowser } from "./scene.ts"
import { watched } from "./watched.ts"

t.setTimeout(120_000)
const { demo, browser, at } = await demoInBrowser()
const { openingThreadId: threadId } = demo.rooms.empty
const file = { name: "loss.png", mimeType: "image/png", buffer: png({ width: 240, height: 120, shade: 160 }) }

t.test("a member shows a picture in a reply", async (t) => {
  const { page, troubles, context } = await watched(browser, demo.baseUrl)
  t.teardown(() => context.close())
  await signIn(page, demo, "owner")
  await page.goto(at(`/do/post_message?threadId=${threadId}`))
  await page.getByLabel("Your reply").fill("The loss of both arms:")
  await page.getByText("Pictures", { exact: true }).first().click()
  const chooser = page.waitForEvent("filechooser")
  await page.getByRole("link", { name: "Upload a picture" }).click()
  await (await chooser).setFiles(file)
  await page.getByRole("link", { name: "Upload a picture again" }).waitFor()
  t.match(await page.locator('[name="/figures/0/digest"]').inputValue(), /^sha256:/)
  await page.getByLabel("What it shows").fill("One grey field.")
  t.same(await violations(page), [])
  await page.getByRole("button", { name: "Post" }).click()
  await page.waitForURL(new RegExp(`/threads/${threadId}`))
  const shown = page.getByRole("img", { name: "One grey field." })
  await shown.scrollIntoViewIfNeeded()
  const size = "img => img.decode().then(() => [img.naturalWidth, img.naturalHeight])"
  t.strictSame(await page.evaluate(`(${size})(document.querySelector(".figures img"))`), [240, 120])
  t.same(await violations(page), [])
  t.same(troubles(), [])
})

t.test("a file that is not a picture is reported beside the form", async (t) => {
  const { page, context } = await watched(browser, demo.baseUrl)
  t.teardown(() => context.close())
  await signIn(page, demo, "owner")
  await page.goto(at(`/do/post_message?threadId=${threadId}`))
  await page.getByText("Pictures", { exact: true }).first().click()
  const chooser = page.waitForEvent("filechooser")
  await page.getByRole("link", { name: "Upload a picture" }).click()
  await (await chooser).setFiles({ ...file, buffer: Buffer.from("no picture") })
  await page.getByText("The picture is not a file of type image/png. Nothing was stored.").waitFor()
  t.equal(await page.locator('[name="/figures/0/digest"]').inputValue(), "")
  const another = page.waitForEvent("filechooser")
  await page.getByRole("link", { name: "Nothing was stored." }).click()
  await (await another).setFiles({ ...file, buffer: Buffer.alloc(limits.figureBytes + 1) })
  await page.getByText("The picture is larger than 1 MB. Choose another.").waitFor()
})

t.test("without a script, a page uploads it and shows its digest", async (t) => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  t.teardown(() => context.close())
  const page = await context.newPage()
  await page.goto(at("/pictures"))
  t.match(page.url(), /\/sign-in/, "a visitor signs in first")
  await signIn(page, demo, "owner")
  await page.goto(at("/pictures"))
  await page.getByLabel("Picture").setInputFiles(file)
  await page.getByRole("button", { name: "Upload the picture" }).click()
  t.match(await page.getByRole("status").innerText(), /240 × 120 pixels[^]*sha256:/)
  await page.getByLabel("Picture").setInputFiles({ ...file, buffer: Buffer.alloc(1_000_001) })
  await page.getByRole("button", { name: "Upload the picture" }).click()
  t.match(await page.getByRole("alert").innerText(), /Choose a picture of up to 1 MB\./)
})
