/**
 * A hostile identity provider: whatever it answers, nobody gets in, the page says one sentence in time, and nobody else
 * waits.
 */
import { generateKeyPairSync, createHmac, sign } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import tap, { test } from "tap"
import type { EntranceSettings } from "../../src/app/service.ts"
import { type Own, startOwn } from "../support/service.ts"
import { client } from "./identity-provider.ts"
import { Visitor } from "./visitor.ts"

type Answer = (response: ServerResponse, request: IncomingMessage) => void
type Claims = Readonly<Record<string, unknown>>
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const ownKey = { ...publicKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "own" }
const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url")
const json =
  (body: object): Answer =>
  (response) =>
    void response.setHeader("content-type", "application/json").end(JSON.stringify(body))
const redirect: Answer = (response) => void response.writeHead(302, { location: "/elsewhere" }).end()
/** Writes for ever, a piece at each interval. */
const endless =
  (piece: string, everyMs: number): Answer =>
  (response) => {
    response.setHeader("content-type", "application/json").write("{")
    const timer = setInterval(() => response.write(piece), everyMs)
    response.on("close", () => clearInterval(timer))
  }
const MEGABYTE = "x".repeat(2 ** 20)

/** A minimal provider whose answers can each be replaced. */
const answers: Record<string, Answer> = {}
let nonce = ""
let claimed: Claims = {}
const asked: string[] = []
const server = createServer((request, response) => {
  const path = new URL(request.url ?? "", issuer).pathname
  asked.push(path)
  ;(answers[path] ?? usual[path] ?? ((at) => void at.writeHead(404).end()))(response, request)
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
tap.teardown(() => {
  server.closeAllConnections()
  server.close()
})
const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const about = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/keys`,
  userinfo_endpoint: `${issuer}/me`,
  response_types_supported: ["code"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
}
const claims = (): Claims => {
  const now = Math.floor(Date.now() / 1000)
  return { iss: issuer, aud: client.clientId, sub: "sub-ada", nonce, iat: now, exp: now + 300, ...claimed }
}
const rs256 = (head: object = {}) => {
  const signed = `${base64url({ alg: "RS256", kid: "own", ...head })}.${base64url(claims())}`
  return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`
}
const hs256 = (secret: string | Buffer) => {
  const signed = `${base64url({ alg: "HS256", kid: "own" })}.${base64url(claims())}`
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`
}
const tokens = (idToken: string) => ({
  access_token: "of the tests",
  token_type: "Bearer",
  expires_in: 60,
  id_token: idToken,
})
const answersWith =
  (token: () => string): Answer =>
  (response, request) =>
    json(tokens(token()))(response, request)
const usual: Record<string, Answer> = {
  "/.well-known/openid-configuration": json(about),
  "/authorize": (response, request) => {
    const { searchParams } = new URL(request.url ?? "", issuer)
    nonce = searchParams.get("nonce") ?? ""
    const back = new URL(searchParams.get("redirect_uri") ?? "")
    back.search = new URLSearchParams({ code: "one", state: searchParams.get("state") ?? "" }).toString()
    response.writeHead(302, { location: back.href }).end()
  },
  "/token": answersWith(() => rs256()),
  "/keys": json({ keys: [ownKey] }),
  "/me": json({ sub: "sub-ada", preferred_username: "ada", email: "ada@example.org", email_verified: true }),
}
/** Replaces answers until the returned function is called. */
function answering(replaced: Readonly<Record<string, Answer>>, more: Claims = {}): () => void {
  Object.assign(answers, replaced)
  claimed = more
  return () => {
    for (const path of Object.keys(replaced)) delete answers[path]
    claimed = {}
  }
}

const entrance = (admits: "everyone" | "@example.org"): EntranceSettings => ({
  passwords: true,
  invitations: "owners",
  provider: { issuer, ...client, name: "Example SSO", admits, pause: 0 },
})
const open = async (admits: "everyone" | "@example.org" = "everyone"): Promise<Own> => {
  const own = await startOwn({ entrance: entrance(admits) })
  tap.teardown(() => own.close())
  await own.setUp("owner")
  return own
}
const signIn = (own: Own, visitor = new Visitor()) => visitor.open(`${own.baseUrl}/sign-in/provider`)
/** The error that a page shows. */
const said = (text: string) =>
  /Example SSO (?:does not answer|does not match|did not sign you in)[^.<]*\./.exec(text)?.[0]
const isIn = async (own: Own, visitor: Visitor) =>
  ((await (await visitor.once(`${own.baseUrl}/api/session`)).json()) as { person: unknown }).person !== null

test("without malice it lets people in, so that the following tests can fail", async (t) => {
  const page = await signIn(await open())
  t.match([page.status, page.text], [200, /Your name here[^]*value="ada"/])
})

test("its metadata is rejected if redirected, endless, huge, garbage or another issuer's", async (t) => {
  const own = await open()
  const described = (more: object) => ({ "/.well-known/openid-configuration": json({ ...about, ...more }) })
  const document = "/.well-known/openid-configuration"
  for (const [what, replaced] of [
    ["a redirect", { [document]: redirect, "/elsewhere": json(about) }],
    ["an endless document", { [document]: endless("x".repeat(1024), 1) }],
    ["a document of 1 MB", described({ more: MEGABYTE })],
    ["no JSON", { [document]: (response) => void response.end("<html>") }],
    ["a list", { [document]: json([about]) }],
    [
      "deep nesting",
      {
        [document]: (response) => void response.setHeader("content-type", "application/json").end("[".repeat(200_000)),
      },
    ],
    ["another issuer", described({ issuer: "https://accounts.example" })],
    ["an issuer below its own", described({ issuer: `${issuer}/tenant` })],
    ["a script as the place to go", described({ authorization_endpoint: "javascript:alert(1)" })],
    ["no place to go", described({ authorization_endpoint: undefined })],
    [
      "a place with an address of 100,000 characters",
      described({ authorization_endpoint: `${issuer}/${"a".repeat(100_000)}` }),
    ],
    ["an error", { [document]: (response) => void response.writeHead(500).end() }],
    [
      "a cut answer",
      {
        [document]: (response) =>
          void response.writeHead(200, { "content-length": 9_999 }).write("{", () => response.destroy()),
      },
    ],
  ] as readonly (readonly [string, Record<string, Answer>])[]) {
    const end = answering(replaced)
    const began = performance.now()
    const page = await signIn(own)
    end()
    t.equal(page.status, 503, what)
    t.ok(said(page.text), `${what}: ${said(page.text)}`)
    t.ok(page.text.length < 20_000 && performance.now() - began < 4_000, `${what}: bounded`)
  }
  t.notOk(asked.includes("/elsewhere"), "no redirect is followed")
})

test("its keys are rejected if redirected, endless, garbage or of another kind", async (t) => {
  const huge = {
    kty: "RSA",
    n: Buffer.alloc(100_000, 0xff).toString("base64url"),
    e: "AQAB",
    kid: "own",
    alg: "RS256",
    use: "sig",
  }
  const pem = publicKey.export({ format: "pem", type: "spki" })
  for (const [what, replaced] of [
    ["redirected keys", { "/keys": redirect, "/elsewhere": json({ keys: [ownKey] }) }],
    ["endless keys", { "/keys": endless("x".repeat(1024), 1) }],
    ["keys of 1 MB", { "/keys": json({ keys: [ownKey], more: MEGABYTE }) }],
    ["no keys", { "/keys": json({ keys: [] }) }],
    ["keys that are none", { "/keys": json({ keys: [null, 7, "key", { kty: "RSA", kid: "own" }] }) }],
    ["two keys of one name", { "/keys": json({ keys: [ownKey, ownKey] }) }],
    [
      "5,000 junk keys",
      {
        "/keys": json({
          keys: Array.from({ length: 5_000 }, (_, n) => ({ kty: "RSA", kid: `${n}`, n: "AQAB", e: "AQAB" })),
        }),
      },
    ],
    ["a modulus of 800,000 bits", { "/keys": json({ keys: [huge] }) }],
    [
      "a modulus of 512 bits",
      { "/keys": json({ keys: [{ ...huge, n: Buffer.alloc(64, 0xff).toString("base64url") }] }) },
    ],
    [
      "a secret among the keys",
      {
        "/keys": json({ keys: [{ kty: "oct", k: "c2VjcmV0", kid: "own" }] }),
        "/token": answersWith(() => hs256("secret")),
      },
    ],
    ["HS256 with the public key as its secret", { "/token": answersWith(() => hs256(String(pem))) }],
    ["HS256 with the client's secret", { "/token": answersWith(() => hs256(client.clientSecret)) }],
    ["no algorithm", { "/token": answersWith(() => `${base64url({ alg: "none" })}.${base64url(claims())}.`) }],
    [
      "a key inside the token",
      { "/keys": json({ keys: [] }), "/token": answersWith(() => rs256({ jwk: ownKey, kid: undefined })) },
    ],
  ] as readonly (readonly [string, Record<string, Answer>])[]) {
    const own = await open()
    const end = answering(replaced)
    const visitor = new Visitor()
    const began = performance.now()
    const page = await signIn(own, visitor)
    end()
    t.ok([401, 503].includes(page.status), `${what}: ${page.status}`)
    t.ok(said(page.text), `${what}: ${said(page.text)}`)
    t.ok(performance.now() - began < 4_000, `${what}: bounded`)
    t.equal(await isIn(own, visitor), false, what)
  }
  t.notOk(asked.includes("/elsewhere"))
})

test("keys of 100 MB are not read to their end, however they are sent", async (t) => {
  const keys = JSON.stringify({ keys: Array.from({ length: 400 }, (_, n) => ({ ...ownKey, kid: `${n}` })) })
  const piece = keys.slice(keys.indexOf("[") + 1, -2).padEnd(2 ** 18)
  const pieces = 400
  for (const [what, length] of [
    ["told before", { "content-length": `${pieces * piece.length}` }],
    ["in pieces", {}],
  ] as const) {
    let [sent, isCut] = [0, false]
    const cut = Promise.withResolvers<void>()
    const end = answering({
      async "/keys"(response) {
        response.writeHead(200, { "content-type": "application/json", ...length })
        const { socket } = response
        response.once("close", () => {
          isCut = true
          cut.resolve()
        })
        for (let at = 0; at < pieces && !isCut; at += 1) {
          const isFull = !response.write(piece)
          if (isFull) await Promise.race([once(response, "drain"), cut.promise])
          sent = socket?.bytesWritten ?? sent
        }
        if (!isCut) response.end()
      },
    })
    const visitor = new Visitor()
    const own = await open()
    const page = await signIn(own, visitor)
    await cut.promise
    end()
    t.equal(page.status, 503, what)
    t.match(said(page.text), /does not answer/, what)
    t.equal(await isIn(own, visitor), false, what)
    // What the system's buffers hold of a connection counts as sent.
    t.ok(sent < (pieces * piece.length) / 10, `${what}: ${sent} of ${pieces * piece.length} bytes were sent`)
  }
})

test("of two tabs that open one answer at once, one is let in and the other is told why it is not", async (t) => {
  const own = await open()
  const visitor = new Visitor()
  const { url } = await visitor.open(`${own.baseUrl}/sign-in/provider`, (address) => address.includes("/back"))
  const pages = await Promise.all([visitor.open(url), visitor.open(url)])
  const [last, first] = pages.toSorted((one, other) => one.status - other.status).reverse()
  t.match([first?.status, last?.status], [200, 401])
  t.match(last?.text, /This sign-in (?:with Example SSO expired|was not started in this browser)/)
})

test("an issuer may declare no algorithm that would let a token sign itself", async (t) => {
  for (const [alg, token] of [
    ["HS256", () => hs256(client.clientSecret)],
    ["none", () => `${base64url({ alg: "none" })}.${base64url(claims())}.`],
  ] as const) {
    const own = await open()
    const end = answering({
      "/.well-known/openid-configuration": json({ ...about, id_token_signing_alg_values_supported: [alg] }),
      "/token": answersWith(token),
    })
    const page = await signIn(own)
    end()
    t.equal(page.status, 401, alg)
  }
})

test("a token identifies a person only if all of its claims are right", async (t) => {
  const own = await open()
  const now = Math.floor(Date.now() / 1000)
  for (const [what, more] of [
    ["another issuer", { iss: `${issuer}/` }],
    ["another audience", { aud: "another" }],
    ["several audiences, for another's use", { aud: [client.clientId, "another"], azp: "another" }],
    ["one audience, for another's use", { azp: "another" }],
    ["a use that is no text", { azp: [client.clientId] }],
    ["issued in an hour", { iat: now + 3_600 }],
    ["issued a day ago, and good for two", { iat: now - 86_400, exp: now + 86_400 }],
    ["no time of issue", { iat: undefined }],
    ["another nonce", { nonce: "another" }],
    ["no nonce", { nonce: undefined }],
    ["over", { exp: now - 120 }],
    ["no end", { exp: undefined }],
    ["an end that is no number", { exp: "tomorrow" }],
    ["not yet good", { nbf: now + 3_600 }],
    ["no subject", { sub: undefined }],
    ["an empty subject", { sub: "" }],
    ["a subject that is an object", { sub: { toString: "ada" } }],
    ["a subject of 1 MB", { sub: MEGABYTE }],
    ["half a character as subject", { sub: "ada\ud800" }],
    ["a subject with NUL", { sub: "sub-ada\u0000" }],
    ["a look-alike subject", { sub: "sub-аda" }],
    ["a claim of 1 MB", { more: MEGABYTE }],
  ] as const) {
    const visitor = new Visitor()
    const end = answering({ "/me": json({ ...claims(), ...more }) }, more)
    const page = await signIn(own, visitor)
    end()
    t.ok([401, 503].includes(page.status) && said(page.text), `${what}: ${page.status} ${said(page.text)}`)
    t.equal(await isIn(own, visitor), false, what)
  }
  const end = answering({
    "/me": json({ sub: "sub-eve", preferred_username: "ada", email: "ada@example.org", email_verified: true }),
  })
  t.equal((await signIn(own)).status, 401, "the user info must be about the same subject as the token")
  end()
})

test("an address lets a person in only if the same source names and verifies it, and it is well-formed", async (t) => {
  const own = await open("@example.org")
  const admitted = async (inToken: Claims, beside: object) => {
    const end = answering({ "/me": json({ sub: "sub-new", ...beside }) }, { sub: "sub-new", ...inToken })
    const { status, text } = await signIn(own)
    end()
    return { status, text }
  }
  t.equal((await admitted({}, { email: "new@example.org", email_verified: true })).status, 200)
  for (const [what, inToken, beside] of [
    ["verified elsewhere", { email: "new@example.org" }, { email: "new@evil.example", email_verified: true }],
    ["verified in words", {}, { email: "new@example.org", email_verified: "true" }],
    ["a domain that ends so", {}, { email: "new@evil-example.org", email_verified: true }],
    ["a domain below", {}, { email: "new@example.org.evil.example", email_verified: true }],
    ["two signs", {}, { email: "new@evil.example@example.org", email_verified: true }],
    ["a quoted sign", {}, { email: '"new@evil.example"@example.org', email_verified: true }],
    ["a line's end", {}, { email: "new@evil.example\n@example.org", email_verified: true }],
    ["Cyrillic", {}, { email: "new@ехample.org", email_verified: true }],
    ["an invisible character", {}, { email: "new@\u200bexample.org", email_verified: true }],
    ["nobody's", {}, { email: "@example.org", email_verified: true }],
    ["a list", {}, { email: ["new@example.org"], email_verified: true }],
  ] as const)
    t.equal((await admitted(inToken, beside)).status, 403, what)
  for (const called of ["ada\u202eadmin", "a\u200bda", MEGABYTE.slice(0, 100_000), "ada\u0007"]) {
    const { status, text } = await admitted(
      { preferred_username: called },
      { email: "new@evil.example", email_verified: true },
    )
    t.equal(status, 403)
    t.notMatch(text, called, "a name that hides characters is not shown")
  }
})

test("an answer counts once, and a slow provider delays nobody else", async (t) => {
  const own = await open()
  const visitor = new Visitor()
  const { url } = await visitor.open(`${own.baseUrl}/sign-in/provider`, (address) => address.includes("/back"))
  t.equal((await visitor.open(url)).status, 200)
  t.equal((await visitor.open(url)).status, 401, "a used state")

  const slow = await open()
  const end = answering({ "/token": endless(" ", 200), "/me": endless(" ", 200) })
  t.teardown(end)
  const began = performance.now()
  const waiting = Array.from({ length: 20 }, () => signIn(slow))
  await new Promise((resolve) => setTimeout(resolve, 500))
  const asking = performance.now()
  const [ready, password] = await Promise.all([
    fetch(`${slow.baseUrl}/api/health/ready`),
    slow.stranger().request("POST", "/api/session", { username: "owner", password: "a password of owner" }),
  ])
  t.equal(ready.status, 200)
  t.ok([200, 401].includes(password.status), "a password is checked")
  t.ok(performance.now() - asking < 3_000, "at once")
  const pages = await Promise.all(waiting)
  t.ok(performance.now() - began < 12_000, "each is answered within about ten seconds")
  for (const { status, text } of pages) t.match([status, said(text)], [503, /does not answer now/])
})
