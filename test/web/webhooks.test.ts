/**
 * An owner adds a webhook in the browser, sees the outcome of each delivery, sends one again, and removes the webhook.
 */
import t from "tap"
import { networksIn } from "../../src/rooms/webhook-addresses.ts"
import { Receiver, until } from "../rooms/receiver.ts"
import { violations } from "./axe.ts"
import { signInAs } from "./pages.ts"
import { ownInBrowser } from "./scene.ts"
import { passwordOf } from "../support/service.ts"
import { watched } from "./watched.ts"

t.setTimeout(120_000)
const receiver = await new Receiver().open()
t.teardown(() => receiver.close())
const { own, browser, at } = await ownInBrowser({
  webhooks: { networks: networksIn("127.0.0.0/8"), pauses: [100, 200] },
})
const ada = await own.setUp()
const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Followed" })).result
const { page, troubles, context } = await watched(browser, own.baseUrl, {}, [422])
t.teardown(() => context.close())
const post = (text: string) => ada.write("post_message", { threadId, text } as never)
const hooks = at(`/rooms/${roomId}/webhooks`)
const press = async (name: RegExp) => {
  await page.getByRole("button", { name }).first().click()
  await page.waitForURL(hooks)
}
/** Waits until the page says so. */
const shows = (text: RegExp) =>
  until(`the page shows ${text}`, async () => {
    await page.goto(hooks)
    return text.test(await page.locator("main").innerText())
  })

t.test(
  "the Room's settings lead to its webhooks; an address that is not public stays in the form with its fault named",
  async (t) => {
    await signInAs(page, own.baseUrl, { username: "ada", password: passwordOf("ada") }, `/rooms/${roomId}/settings`)
    await page.getByRole("link", { name: "Webhooks" }).click()
    await page.waitForURL(hooks)
    t.match(await page.locator("main").innerText(), /This Room has no webhook/)
    await page.getByLabel("Address").fill("http://10.0.0.1/hook")
    await page.getByRole("button", { name: "Add webhook" }).click()
    const field = page.getByLabel("Address")
    await page.locator("#url-fault").waitFor()
    t.equal(await field.inputValue(), "http://10.0.0.1/hook")
    t.equal(await field.getAttribute("aria-invalid"), "true")
    t.match(await page.locator("#url-fault").innerText(), /^It must have a public address: /)
    t.same(await violations(page), [])
    t.same(troubles(), [])
  },
)

t.test("the secret is shown once, and new entries are delivered with it", async (t) => {
  await page.getByLabel("Address").fill(receiver.url)
  await page.getByRole("button", { name: "Add webhook" }).click()
  await page.getByText("Shown once.").waitFor()
  receiver.secret = (await page.getByRole("region", { name: "Secret" }).locator(".command").innerText()).trim()
  t.match(receiver.secret, /^whsec_/)
  t.same(await violations(page), [])
  await page.getByRole("link", { name: "Back to the webhooks" }).click()
  await page.waitForURL(hooks)
  t.notMatch(await page.content(), /whsec_/)
  await post("The first run is in.")
  await until("it was delivered", () => receiver.received.length === 1)
  t.equal(receiver.forged, 0)
  await shows(/delivered\s+204/)
  t.same(await violations(page), [])
})

t.test("a failing webhook is reported, and continues once its receiver works again", async (t) => {
  const { answer } = receiver
  receiver.answer = (response) => void response.writeHead(500).end()
  await post("The second run is in.")
  await shows(/Deliveries have failed since[\s\S]*failed\s+500/)
  t.same(await violations(page), [])
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 800 })
    t.equal(
      await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
      0,
      `not wider than ${width}`,
    )
  }
  if (process.env.PICTURES)
    await page.screenshot({ path: `${process.env.PICTURES}/webhooks-phone.png`, fullPage: true })
  await page.setViewportSize({ width: 1280, height: 800 })
  receiver.answer = answer
  await until("it was delivered after all", () => receiver.sequences.includes(3))
  await until("the page shows it as on", async () => {
    await page.goto(hooks)
    return !/have failed since/.test(await page.locator("main").innerText())
  })
  if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/webhooks-wide.png`, fullPage: true })
})

t.test("an entry is sent again, and a webhook is turned off, turned on, and removed", async (t) => {
  const before = receiver.received.length
  const sent = receiver.sequences.at(-1)
  await press(/^Send again entry \d+$/)
  await until("it was delivered again", () => receiver.received.length === before + 1)
  t.equal(receiver.sequences.at(-1), sent)
  await press(/^Turn off$/)
  await shows(/Its owner turned it off/)
  await post("Said while it was off.")
  await press(/^Turn on$/)
  await until("the missed entries were delivered", () => receiver.received.length === before + 2)
  await page.locator("summary", { hasText: "Remove" }).click()
  await press(/^Remove webhook$/)
  await shows(/This Room has no webhook/)
  t.same(troubles(), [])
})
