/**
 * Signing in with the identity provider in a real browser: everybody can read each page on the way, whatever happens.
 */
import tap, { type Test, test } from "tap"
import type { Page } from "playwright-core"
import { client, startIdentityProvider } from "../people/identity-provider.ts"
import { passwordOf, startOwn } from "../support/service.ts"
import { violations } from "./axe.ts"
import { launch } from "./browser.ts"
import { built } from "./built.ts"

built()
const sso = await startIdentityProvider()
Object.assign(sso.accounts, { "sub-ada": { preferred_username: "ada" }, "sub-grace": { preferred_username: "grace" } })
const provider = { issuer: sso.issuer, ...client, name: "Example SSO", admits: "invited" as const, pause: 0 }
const house = await startOwn({ entrance: { passwords: true, invitations: "owners", provider } })
const browser = await launch()
tap.teardown(async () => {
  await browser.close()
  await house.close()
  await sso.stop()
})
const ada = await house.setUp("ada")
const { roomId } = (await ada.write("create_room", { title: "Warm-up" })).result
const invitation = async () =>
  ((await (await ada.request("POST", "/api/invitations", { roomId })).json()) as { link: string }).link
const adminOf = async (deed: string) => {
  const { userId = "" } = house.instance.tables.people.named("grace") ?? {}
  return (await ada.request("POST", `/api/admin/people/${userId}/${deed}`, { schemaVersion: 3 })).status
}

/** A browser on a phone. */
async function phone(): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  tap.teardown(() => context.close())
  return context.newPage()
}
/** Checks what every page needs: one heading that says what it is, no axe violation, nothing wider than the screen. */
async function readable(t: Test, page: Page, heading: string | RegExp): Promise<void> {
  t.match(await page.locator("main h1").allInnerTexts(), [heading])
  t.strictSame(await violations(page), [], `${heading}`)
  t.equal(
    await page.evaluate("Math.max(0, document.documentElement.scrollWidth - innerWidth)"),
    0,
    `${heading} fits a phone`,
  )
}

test("an invitation leads to the provider and back; a taken name asks for another", async (t) => {
  sso.at = "sub-grace"
  const page = await phone()
  await page.goto(await invitation())
  await readable(t, page, /./)
  await page.getByRole("link", { name: "Continue with Example SSO" }).click()
  await readable(t, page, "Your name here")
  t.equal(await page.getByLabel("Name").inputValue(), "grace")
  await page.getByLabel("Name").fill("ada")
  await page.getByRole("button", { name: "Create the account" }).click()
  t.match(await page.getByRole("alert").innerText(), /The name ada is taken/)
  await readable(t, page, "Your name here")
  await page.getByLabel("Name").fill("grace")
  await page.getByRole("button", { name: "Create the account" }).click()
  await page.waitForURL(`${house.baseUrl}/rooms/${roomId}`)
  await page.goto(`${house.baseUrl}/account`)
  t.match(
    await page.locator("main").innerText(),
    /You sign in with an account at Example SSO\. You have no password here/,
  )
})

test("somebody with a password connects an account, and then signs in with the button", async (t) => {
  sso.at = "sub-ada"
  const page = await phone()
  await page.goto(`${house.baseUrl}/sign-in`)
  await readable(t, page, /Sign in/)
  await page.getByLabel("Name").fill("ada")
  await page.getByLabel("Password").fill(passwordOf("ada"))
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.waitForURL(`${house.baseUrl}/`)
  await page.goto(`${house.baseUrl}/account`)
  await page.getByRole("link", { name: "Connect your account at Example SSO" }).click()
  await readable(t, page, "Connect an account")
  await page.getByRole("button", { name: "Connect account" }).click()
  await page.getByRole("button", { name: "Disconnect account" }).waitFor()

  const other = await phone()
  await other.goto(`${house.baseUrl}/sign-in`)
  await other.getByRole("link", { name: "Continue with Example SSO" }).click()
  await other.waitForURL(`${house.baseUrl}/`)
  t.equal(
    ((await (await other.request.get(`${house.baseUrl}/api/session`)).json()) as { person: { username: string } })
      .person.username,
    "ada",
  )
})

test(
  "a disabled account cannot sign in with the provider either, " + "nor as a new person; once enabled, it can",
  async (t) => {
    sso.at = "sub-grace"
    t.equal(await adminOf("disable"), 200)
    const page = await phone()
    await page.goto(`${house.baseUrl}/sign-in/provider`)
    await readable(t, page, "This account is not connected to a user")
    const session = async () =>
      ((await (await page.request.get(`${house.baseUrl}/api/session`)).json()) as { person: object | null }).person
    t.equal(await session(), null)

    await page.goto(await invitation())
    await page.getByRole("link", { name: "Continue with Example SSO" }).click()
    await page.getByLabel("Name").fill("grace-again")
    await page.getByRole("button", { name: "Create the account" }).click()
    t.match(await page.getByRole("alert").innerText(), /is connected to another user here already/)
    t.equal(await session(), null)
    t.equal(house.instance.tables.people.named("grace-again"), undefined)

    t.equal(await adminOf("enable"), 200)
    await page.goto(`${house.baseUrl}/sign-in/provider`)
    t.match(await session(), { username: "grace" })
  },
)

test("each failure on the way shows a page that says what to do", async (t) => {
  sso.at = "sub-stranger"
  const page = await phone()
  await page.goto(`${house.baseUrl}/sign-in/provider`)
  await readable(t, page, "This account is not connected to a user")
  t.match(await page.locator("main").innerText(), /ask a member for an invitation/)

  await page.goto(`${house.baseUrl}/sign-in/provider/back?code=made-up&state=made-up`)
  await readable(t, page, /./)
  t.match(await page.locator("main").innerText(), /was not started in this browser, or is finished already/)
  await page.locator("main").getByRole("link", { name: "Sign in" }).click()
  await page.getByRole("link", { name: "Continue with Example SSO" }).waitFor()

  const dark = await startOwn({
    entrance: { passwords: true, invitations: "owners", provider: { ...provider, issuer: "http://127.0.0.1:1" } },
  })
  t.teardown(() => dark.close())
  const down = await page.goto(`${dark.baseUrl}/sign-in/provider`)
  t.equal(down?.status(), 503)
  await readable(t, page, /./)
  t.match(await page.locator("main").innerText(), /Example SSO does not answer now/)
})
