/** Signing in with the identity provider: new people, existing people, two ways in, and faults of a provider. */
import tap, { test } from "tap"
import type { EntranceSettings } from "../../src/app/service.ts"
import { boundedFetch, proposedName } from "../../src/people/provider.ts"
import { type Own, passwordOf, startOwn } from "../support/service.ts"
import { client, signedAgain, startIdentityProvider } from "./identity-provider.ts"
import { Visitor } from "./visitor.ts"

const sso = await startIdentityProvider()
tap.teardown(() => sso.stop())
Object.assign(sso.accounts, {
  "sub-ada": { preferred_username: "ada", email: "ada@example.org", email_verified: true },
  "sub-grace": { preferred_username: "Grace Hopper", email: "grace@example.org", email_verified: true },
  "sub-mary": { preferred_username: "ada", email: "ada@example.org", email_verified: false },
  "sub-eve": { preferred_username: "eve", email: "eve@example.org", email_verified: false },
})
const settings = (more: Partial<EntranceSettings> = {}, provider: object = {}): EntranceSettings => ({
  passwords: true,
  invitations: "owners",
  provider: { issuer: sso.issuer, ...client, name: "Example SSO", admits: "invited", pause: 0, ...provider },
  ...more,
})

const house = await startOwn({ entrance: settings() })
tap.teardown(() => house.close())
const ada = await house.setUp("ada")
const { roomId } = (await ada.write("create_room", { title: "Warm-up" })).result
const names = ({ instance }: Own) => instance.tables.people.all().map(({ username }) => username)
const invited = async () =>
  ((await (await ada.request("POST", "/api/invitations", { roomId })).json()) as { link: string }).link
const whoIs = async (visitor: Visitor, at: Own = house) => {
  const response = await visitor.once(`${at.baseUrl}/api/session`)
  return ((await response.json()) as { person: { username: string; isOperator: boolean } | null }).person
}
const START = `${house.baseUrl}/sign-in/provider`
const isBack = (url: string) => url.includes("/sign-in/provider/back")

test(
  "an invited person signs in with the provider, chooses a username and is " + "a member; later it takes one step",
  async (t) => {
    sso.at = "sub-grace"
    const browser = new Visitor()
    const link = await invited()
    const page = await browser.open(link)
    t.match(page.text, /Continue with Example SSO/)
    const [, onwards = ""] = /href="(\/sign-in\/provider\?[^"]*)"/.exec(page.text) ?? []
    const asked = await browser.open(house.baseUrl + onwards.replaceAll("&amp;", "&"))
    t.equal(asked.status, 200)
    t.match(asked.text, /Your name here[^]*value="grace-hopper"/, "their name at the provider is proposed")
    t.equal(await whoIs(browser), null, "no account exists before the username is chosen")
    const done = await browser.send(`${house.baseUrl}/web/provider/join`, { username: "grace" })
    t.equal(done.url, `${house.baseUrl}/rooms/${roomId}`)
    t.match(await whoIs(browser), { username: "grace", isOperator: false })
    t.strictSame(
      (await ada.read("members", { roomId })).items.map(({ username }) => username),
      ["ada", "grace"],
    )
    t.equal((await new Visitor().open(link)).status, 404, "the link works once")

    const later = new Visitor()
    const arrived = await later.open(`${START}?next=/rooms/${roomId}`)
    t.equal(arrived.url, `${house.baseUrl}/rooms/${roomId}`)
    t.match(await whoIs(later), { username: "grace" })
    t.equal(
      (await later.send(`${house.baseUrl}/web/provider/join`, { username: "grace-again" })).status,
      401,
      "and already has a username",
    )
  },
)

test("no password opens an account without a password", async (t) => {
  for (const password of ["", passwordOf("grace")]) {
    const response = await house.stranger().request("POST", "/api/session", { username: "grace", password })
    t.not(response.status, 200)
  }
})

test("a person known to the provider only needs an invitation, whatever address they have", async (t) => {
  sso.at = "sub-mary"
  const browser = new Visitor()
  const before = names(house)
  const page = await browser.open(START)
  t.equal(page.status, 403)
  t.match(page.text, /you need an invitation/)
  t.equal(await whoIs(browser), null, "neither the name nor an unverified address makes them Ada")
  t.equal((await browser.send(`${house.baseUrl}/web/provider/join`, { username: "mary" })).status, 401)
  t.strictSame(names(house), before)
})

test("a taken username asks for another, and the invitation stays open", async (t) => {
  sso.at = "sub-mary"
  const browser = new Visitor()
  const token = new URL(await invited()).pathname.split("/").at(-1)
  const asked = await browser.open(`${START}?invitation=${token}`)
  t.match(asked.text, /value="ada"/)
  const refused = await browser.send(`${house.baseUrl}/web/provider/join`, { username: "ada" })
  t.equal(refused.status, 409)
  t.match(refused.text, /The name ada is taken/)
  t.equal((await browser.send(`${house.baseUrl}/web/provider/join`, { username: "x" })).status, 422)
  await browser.send(`${house.baseUrl}/web/provider/join`, { username: "mary" })
  t.match(await whoIs(browser), { username: "mary" })
})

test("a person with a password connects an account, signs in with either, and keeps one of them", async (t) => {
  sso.at = "sub-ada"
  const browser = new Visitor()
  t.equal((await browser.open(`${START}?connect=1`)).status, 401, "only a signed-in person")
  await browser.send(`${house.baseUrl}/web/sign-in`, { username: "ada", password: passwordOf("ada") })
  t.match((await browser.open(`${house.baseUrl}/account`)).text, /Connect your account at Example SSO/)
  const asked = await browser.open(`${START}?connect=1`)
  t.match(asked.text, /sign in as ada with the account at Example SSO \(ada\)/)
  t.equal(
    house.instance.byProvider.signInMethods((await adaId()) ?? "").issuer,
    null,
    "returning alone connects nothing",
  )
  const elsewhere = await fetch(`${house.baseUrl}/web/provider/connect`, {
    method: "POST",
    headers: { origin: "https://evil.example" },
  })
  t.equal(elsewhere.status, 403)
  t.equal((await browser.send(`${house.baseUrl}/web/provider/connect`)).url, `${house.baseUrl}/account`)

  const other = new Visitor()
  await other.open(START)
  t.match(await whoIs(other), { username: "ada", isOperator: true })
  const again = new Visitor()
  await again.send(`${house.baseUrl}/web/sign-in`, { username: "ada", password: passwordOf("ada") })
  t.match(await whoIs(again), { username: "ada" }, "the password works too")

  sso.at = "sub-grace"
  const grace = new Visitor()
  await grace.open(START)
  t.notMatch((await grace.open(`${house.baseUrl}/account`)).text, /Disconnect account/)
  const only = await grace.send(`${house.baseUrl}/web/provider/disconnect`)
  t.equal(only.status, 409)
  t.match(only.text, /You have no password to sign in with/)

  await again.open(`${START}?connect=1`)
  const taken = await again.send(`${house.baseUrl}/web/provider/connect`)
  t.equal(taken.status, 409, "an account at the provider belongs to one person")
  t.match(taken.text, /is connected to another user here already/)

  t.match((await browser.open(`${house.baseUrl}/account`)).text, /Disconnect account/)
  await browser.send(`${house.baseUrl}/web/provider/disconnect`)
  sso.at = "sub-ada"
  t.equal((await new Visitor().open(START)).status, 403, "the account at the provider no longer opens anything")
})
const adaId = async () => house.instance.tables.people.named("ada")?.userId

test("an answer counts once, in the browser that asked, within ten minutes", async (t) => {
  sso.at = "sub-grace"
  const browser = new Visitor()
  const { url } = await browser.open(START, isBack)
  t.equal((await new Visitor().open(url)).status, 401, "in another browser")
  const other = new Visitor()
  const { url: own } = await other.open(START, isBack)
  t.equal((await other.open(url)).status, 401, "an answer to another request, as an attacker would plant it")
  t.equal(await whoIs(other), null)
  t.ok(own)
  t.equal((await browser.open(url)).status, 200)
  t.match(await whoIs(browser), { username: "grace" })
  const asked = sso.asked.filter((path) => path === "/token").length
  t.equal((await browser.open(url)).status, 401, "replayed")
  t.equal(sso.asked.filter((path) => path === "/token").length, asked, "without a request to the provider")

  const slow = new Visitor()
  const late = await slow.open(START, isBack)
  house.pass(601_000)
  t.equal((await slow.open(late.url)).status, 401, "too late")
  t.match(
    (await slow.open(`${START}/back?error=access_denied&state=made-up`)).text,
    /expired, or was started in another browser/,
  )
})

test("a denial by the provider, and tampered data, let nobody in", async (t) => {
  const denied = new Visitor()
  const { url } = await denied.open(START, isBack)
  const state = new URL(url).searchParams.get("state")
  const page = await denied.open(
    `${START}/back?error=access_denied&error_description=<script>&state=${state}&iss=${encodeURIComponent(sso.issuer)}`,
  )
  t.equal(page.status, 401)
  t.match(page.text, /Example SSO did not sign you in/)
  t.notMatch(page.text, /script>.*access/)

  /** Replaces the issued token with another. */
  const swap = (made: (token: string) => string) => (path: string, body: string) => {
    if (path !== "/token") return undefined
    const answer = JSON.parse(body) as { id_token: string }
    return JSON.stringify({ ...answer, id_token: made(answer.id_token) })
  }
  const signed = (more: object) => swap((token) => signedAgain(token, (claims) => ({ ...claims, ...more })))
  const soon = Math.floor(Date.now() / 1000)
  for (const [what, meddle] of [
    [
      "another subject under the old signature",
      swap((token) =>
        [
          ...signedAgain(token, (claims) => ({ ...claims, sub: "sub-ada" }))
            .split(".")
            .slice(0, 2),
          token.split(".")[2],
        ].join("."),
      ),
    ],
    ["no signature", swap((token) => `${Buffer.from('{"alg":"none"}').toString("base64url")}.${token.split(".")[1]}.`)],
    ["another issuer, well signed", signed({ iss: "https://evil.example" })],
    ["another client's token, well signed", signed({ aud: "another" })],
    ["another nonce, well signed", signed({ nonce: "another" })],
    ["a token that has run out, well signed", signed({ iat: soon - 3_600, exp: soon - 120 })],
    ["a subject without end, well signed", signed({ sub: "s".repeat(256) })],
    ["no token at all", (path: string) => (path === "/token" ? "{}" : undefined)],
    ["no JSON", (path: string) => (path === "/token" ? "<html>" : undefined)],
    ["a person other than the token's beside it", (path: string) => (path === "/me" ? '{"sub":"sub-ada"}' : undefined)],
  ] as const) {
    const browser = new Visitor()
    const { url } = await browser.open(START, isBack)
    sso.meddle = meddle
    const page = await browser.open(url)
    sso.meddle = null
    t.equal(page.status, 401, what)
    t.equal(await whoIs(browser), null, what)
  }
})

test("a provider with another issuer is not used; one that is down stops nothing, and is tried again", async (t) => {
  const wrong = await startOwn({ entrance: settings({}, { issuer: sso.issuer.replace("127.0.0.1", "localhost") }) })
  t.teardown(() => wrong.close())
  const page = await new Visitor().open(`${wrong.baseUrl}/sign-in/provider`)
  t.equal(page.status, 503)
  t.match(page.text, /does not match the settings of this service/)

  await sso.stop()
  const own = await startOwn({ entrance: settings() })
  t.teardown(() => own.close())
  await own.setUp("ada")
  const down = await new Visitor().open(`${own.baseUrl}/sign-in/provider`)
  t.equal(down.status, 503)
  t.match(down.text, /Example SSO does not answer now/)
  t.equal((await fetch(`${own.baseUrl}/api/health/ready`)).status, 200, "the service is ready")
  t.equal(
    (await own.stranger().request("POST", "/api/session", { username: "ada", password: passwordOf("ada") })).status,
    200,
  )
  await sso.start()
  sso.at = "sub-eve"
  t.equal((await new Visitor().open(`${own.baseUrl}/sign-in/provider`)).status, 403, "asked, and no account here")

  const between = new Visitor()
  const { url } = await between.open(`${own.baseUrl}/sign-in/provider`, isBack)
  await sso.stop()
  t.equal((await between.open(url)).status, 503, "gone between the two steps")
  await sso.start()
})

test("its answers are bounded in size and in time", async (t) => {
  const { createServer } = await import("node:http")
  const server = createServer((request, response) => {
    if (request.url === "/slow") return void response.write("…")
    if (request.url === "/elsewhere") return void response.writeHead(302, { location: "/large" }).end()
    if (request.url === "/failing") return void response.writeHead(500).end()
    response.end("x".repeat(5_000))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as { port: number }
  const asking = boundedFetch(100, 4_000)
  await t.rejects(asking(`http://127.0.0.1:${port}/large`, {}), /larger than 4000 bytes/)
  await t.rejects(asking(`http://127.0.0.1:${port}/slow`, {}), /does not answer within 0.1 seconds/)
  await t.rejects(asking(`http://127.0.0.1:${port}/failing`, {}), /it answers 500/)
  t.equal((await asking(`http://127.0.0.1:${port}/elsewhere`, {})).status, 302, "and no redirect is followed")
  await t.rejects(asking("http://127.0.0.1:1/", {}), { name: "NoAnswer" })
})

test(
  "strangers are let in if every account of the provider is, " + "or if they have a verified address of a domain",
  async (t) => {
    for (const [admits, let_in] of [
      ["everyone", ["sub-grace", "sub-eve"]],
      ["@example.org", ["sub-grace"]],
      ["@EXAMPLE.org", ["sub-grace"]],
      ["@ample.org", []],
      ["invited", []],
    ] as const) {
      const own = await startOwn({ entrance: settings({}, { admits }) })
      for (const subject of ["sub-grace", "sub-eve"]) {
        sso.at = subject
        const page = await new Visitor().open(`${own.baseUrl}/sign-in/provider`)
        t.equal(
          page.status,
          (let_in as readonly string[]).includes(subject) ? 200 : 403,
          `${subject} where ${admits} are let in`,
        )
      }
      await own.close()
    }
  },
)

test("without passwords the provider is the only way in, from the first person on", async (t) => {
  const own = await startOwn({ entrance: settings({ passwords: false }) })
  t.teardown(() => own.close())
  const link = new URL(own.setUpLink ?? "")
  const browser = new Visitor()
  const page = await browser.open(link.href)
  t.notMatch(page.text, /type="password"/)
  const token = link.searchParams.get("token") ?? ""
  const byPassword = await own
    .stranger()
    .request("POST", "/api/setup", { token, username: "ada", password: passwordOf("ada") })
  t.match(
    [byPassword.status, await byPassword.json()],
    [409, { refusal: "state_conflict", current: { passwords: "off" } }],
  )
  t.equal((await browser.open(`${own.baseUrl}/sign-in/provider?setup=rru_wrong`)).status, 401)
  sso.at = "sub-ada"
  await browser.open(`${own.baseUrl}/sign-in/provider?setup=${token}`)
  await browser.send(`${own.baseUrl}/web/provider/join`, { username: "ada" })
  t.match(await whoIs(browser, own), { username: "ada", isOperator: true })
  t.equal((await browser.open(`${own.baseUrl}/sign-in/provider?setup=${token}`)).status, 409, "once")
  await own.instance.accounts.add("mary", passwordOf("mary"))
  for (const [path, body] of [
    ["/api/session", { username: "mary", password: passwordOf("mary") }],
    ["/api/invitations/rri_wrong/accept", { username: "eve", password: passwordOf("eve") }],
  ] as const)
    t.equal((await own.stranger().request("POST", path, body)).status, 409, path)
  t.notMatch((await browser.open(`${own.baseUrl}/sign-in`)).text, /type="password"/)
  const account = await browser.open(`${own.baseUrl}/account`)
  t.notMatch(account.text, /type="password"/)
  t.equal((await browser.send(`${own.baseUrl}/web/provider/disconnect`)).status, 409)
})

test("below a path and behind a proxy the provider redirects people to the address they use", async (t) => {
  const own = await startOwn({
    baseUrl: "https://rooms.example.org/lab",
    entrance: settings({}, { admits: "everyone" }),
  })
  t.teardown(() => own.close())
  const browser = new Visitor((url) =>
    url.hostname === "rooms.example.org" ? new URL(url.pathname + url.search, `http://127.0.0.1:${own.port}`) : url,
  )
  sso.at = "sub-eve"
  const response = await browser.once("https://rooms.example.org/lab/sign-in/provider?next=/search")
  t.equal(
    new URL(response.headers.get("location") ?? "").searchParams.get("redirect_uri"),
    "https://rooms.example.org/lab/sign-in/provider/back",
  )
  const [cookie = ""] = response.headers.getSetCookie()
  t.strictSame(cookie.split("; ").slice(1).sort(), ["HttpOnly", "Max-Age=600", "Path=/lab", "SameSite=Lax", "Secure"])
  const asked = await browser.open("https://rooms.example.org/lab/sign-in/provider?next=/search")
  t.match(asked.text, /action="\/lab\/web\/provider\/join"/)
  const done = await browser.send("https://rooms.example.org/lab/web/provider/join", { username: "eve" })
  t.equal(done.url, "https://rooms.example.org/lab/search")
})

test("without a provider its routes do not exist, and no page mentions it", async (t) => {
  const own = await startOwn()
  t.teardown(() => own.close())
  const browser = new Visitor()
  for (const path of ["/sign-in/provider", "/sign-in/provider/back?code=1&state=2"])
    t.equal((await browser.open(own.baseUrl + path)).status, 404, path)
  t.notMatch((await browser.open(`${own.baseUrl}/sign-in`)).text, /Continue with/)
})

test("a proposed username is a valid one", (t) => {
  for (const [called, name] of [
    ["Ada.Lovelace", "ada.lovelace"],
    ["ada@example.org", "ada"],
    ["Zoë Müller", "zoe-muller"],
    ["--x--", ""],
    ["李", ""],
    ["a".repeat(80), "a".repeat(40)],
    [null, ""],
  ] as const)
    t.equal(proposedName(called), name, String(called))
  t.end()
})
