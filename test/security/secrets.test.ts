/**
 * A story with every kind of secret, on a service that logs as much as it can: no secret appears in the log, in the
 * metrics or in a refusal, however wrongly it was sent.
 */
import { test } from "tap"
import { GitHubStandIn } from "../repositories/github-stand-in.ts"
import { freshId } from "../support/bodies.ts"
import { passwordOf } from "../support/service.ts"
import { answersIn, dial, head } from "../support/socket.ts"
import { startWatched } from "./service.ts"

const github = await GitHubStandIn.start(() => Date.now())
const metricsToken = "the-operators-own-secret"
const service = await startWatched({
  rateLimits: "on",
  trustProxy: "on",
  logRequests: "on",
  metricsToken,
  repositories: { folders: [], github: { api: github.url, token: github.token } },
})
const { baseUrl } = service
const origin = { origin: baseUrl }

/** Every secret of the story, by name. */
const secrets: Record<string, string> = { "GitHub token": github.token, "metrics token": metricsToken }
const keep = (what: string, secret: string): string => (secrets[what] = secret)

interface Said {
  readonly what: string
  readonly status: number
  readonly type: string
  readonly text: string
}
const said: Said[] = []

/** Sends a request and keeps the answer. */
async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`${baseUrl}${path}`, { redirect: "manual", ...init })
  const { status, headers } = response
  said.push({
    what: `${init.method ?? "GET"} ${path}`,
    status,
    type: headers.get("content-type") ?? "",
    text: await response.clone().text(),
  })
  return response
}
const post = (path: string, body: unknown, headers: Record<string, string> = {}, method = "POST") =>
  send(path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  send(path, { method: "POST", headers: { ...origin, ...headers }, body: new URLSearchParams(fields) })
const cookieOf = (response: Response) => (response.headers.getSetCookie()[0] ?? "").split(";")[0] ?? ""
const cut = (token: string) => `${token.slice(0, -1)}${token.endsWith("x") ? "y" : "x"}`
const write = (more: object) => ({ schemaVersion: 3, requestId: freshId(), ...more })

test("the story", async (t) => {
  const setup = keep("set-up token", new URL(service.setUpLink ?? "").searchParams.get("token") ?? "")
  const password = keep("password", passwordOf("ada"))
  await send(`/setup?token=${setup}`)
  await send(`/api/setup?token=${setup}`)
  await post("/api/setup", { token: cut(setup), username: "ada", password }, origin)
  await post("/api/setup", { token: setup, username: "ada", password: keep("short password", "short-one") }, origin)
  await post("/api/setup", { token: setup, username: `not a name: ${setup}`, password }, origin)
  const ada = cookieOf(await form("/web/setup", { token: setup, username: "ada", password }))
  keep("session", ada.split("=")[1] ?? "")
  await post("/api/setup", { token: setup, username: "eve", password }, origin)

  await post("/api/session", { username: "ada", password: keep("wrong password", "not the password of ada") }, origin)
  await form("/web/sign-in", { username: "ada", password: "not the password of ada" })
  await post(
    "/api/session",
    { username: keep("password in the name's place", "my-password-by-mistake"), password: "x" },
    origin,
  )
  await form("/web/sign-in", { username: "my-password-by-mistake", password: "x" })
  keep("second session", cookieOf(await form("/web/sign-in", { username: "ada", password })).split("=")[1] ?? "")
  await send("/api/library/collections", { headers: { cookie: cut(ada) } })

  const asAda = { ...origin, cookie: ada }
  const invited = (await (await post("/api/invitations", {}, asAda)).json()) as { token: string }
  const invitation = keep("invitation token", invited.token)
  await send(`/invitations/${invitation}`)
  await send(`/invitations/${cut(invitation)}`)
  await send(`/invitations/${invitation}/more`)
  await send(`/api/invitations/${invitation}`)
  await send(`/api/invitations/${invitation}/accept`)
  await send(`/api/nowhere/${invitation}`)
  await send(`/api/invitations/${invitation}?token=${invitation}`)
  await post(
    `/api/invitations/${invitation}/accept`,
    { username: "ada", password: keep("grace's password", passwordOf("grace")) },
    origin,
  )
  keep(
    "grace's session",
    cookieOf(
      await post(`/api/invitations/${invitation}/accept`, { username: "grace", password: passwordOf("grace") }, origin),
    ).split("=")[1] ?? "",
  )
  await form(`/web/invitations/${invitation}`, { username: "eve", password })

  const room = (await (await post("/api/rooms", write({ title: "Secrets" }), asAda)).json()) as {
    result: { roomId: string; openingThreadId: string }
  }
  const { roomId, openingThreadId } = room.result
  const permissions = ["post_thread", "publish_records", "manage_own_experiments"]
  const issued = (await (
    await post(`/api/rooms/${roomId}/credentials`, write({ label: "agent", permissions }), asAda)
  ).json()) as {
    result: { token: string }
  }
  const credential = keep("credential", issued.result.token)
  const made = (await (
    await post(
      "/api/library/keys",
      { schemaVersion: 1, requestId: freshId(), label: "key", permissions: ["read_library"], reach: "all" },
      asAda,
    )
  ).json()) as { result?: { token?: string } }
  const key = keep("personal key", made.result?.token ?? "")
  t.match([credential, key, invitation, setup], [/^rrc_/, /^rrk_/, /^rri_/, /^rru_/], "the story has them all")

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  for (const token of [credential, key, cut(credential), cut(key), ada.split("=")[1] ?? "", `${credential} ${key}`]) {
    await send("/api/agent/research/identity", { headers: bearer(token) })
    await send("/api/agent/library/identity", { headers: bearer(token) })
    await send("/metrics", { headers: { ...bearer(token), via: "a proxy" } })
  }
  await send("/api/agent/research/identity", {
    headers: { ...bearer(credential), origin: "https://elsewhere.example" },
  })
  await send("/api/agent/research/identity", { headers: { authorization: `Basic ${credential}` } })
  for (const secret of [credential, key, invitation, setup]) {
    await send(`/api/research/rooms?token=${secret}`)
    await send(`/api/research/rooms?${secret}=1`)
    await send(`/api/research/rooms?after=${secret}`)
    await send(`/api/research/rooms/${secret}`)
    await send(`/api/agent/${secret}`)
    await send("/api/research/rooms", { method: "DELETE", headers: { "x-request-id": `not kept: ${secret}` } })
    await post(`/api/agent/threads/${openingThreadId}/messages`, `{"token":"${secret}"`, bearer(credential))
    await post(
      `/api/agent/threads/${openingThreadId}/messages`,
      { [secret]: secret, clientMessageId: secret, text: 7 },
      bearer(credential),
    )
    await post(
      `/api/agent/threads/${secret}/messages`,
      { schemaVersion: 3, clientMessageId: freshId(), text: "to nowhere" },
      bearer(credential),
    )
    const line = await dial(baseUrl)
    await line.send(head("GET", `/api/${secret}`, `Host: ${secret}`, `Authorization: Bearer ${secret}`, "X Y: z"))
    for (const { status, body } of answersIn(await line.closed()))
      said.push({ what: "a broken request", status, type: "application/json", text: body })
  }
  await post(
    "/api/account/password",
    { currentPassword: "not the password of ada", password: keep("new password", "a new long password") },
    asAda,
  )
  keep(
    "last session",
    cookieOf(
      await post("/api/account/password", { currentPassword: password, password: "a new long password" }, asAda),
    ).split("=")[1] ?? "",
  )

  const repository = { url: "https://github.com/ada/warm-up", commit: "a".repeat(40) }
  const pinned = {
    experimentId: freshId(),
    expectedRevision: 1,
    expectedStatus: "claimed",
    repository,
    hypotheses: [],
    premises: [],
    intent: "confirmatory",
    requiredMaterials: [],
    protocol: { summary: "One arm.", steps: [], arms: [{ name: "one", argv: ["train"] }] },
  }
  await post("/api/agent/research/accept_plan", write(pinned), bearer(credential))
  const attempt = {
    attemptId: freshId(),
    experimentId: freshId(),
    intent: "exploratory",
    expectedRevision: 1,
    expectedStatus: "claimed",
    repository,
    argv: ["train"],
    configuration: {},
    inputs: [],
  }
  github.next({ status: 500, body: { message: "failed" } })
  await post("/api/agent/research/register_attempt", write(attempt), bearer(credential))
})

test("an unexpected failure with a token in its message", async (t) => {
  const { accounts } = service.instance
  const whole = accounts.invitation
  accounts.invitation = (token) => {
    throw new Error(`no page for ${token}`)
  }
  const invitation = secrets["invitation token"] ?? ""
  t.equal((await send(`/api/invitations/${invitation}`)).status, 503)
  t.equal((await send(`/invitations/${invitation}`)).status, 503, "and a page")
  accounts.invitation = whole
})

test("the log covers everything and contains none of the secrets", async (t) => {
  const text = service.logText
  for (const [what, secret] of Object.entries(secrets)) {
    t.ok(secret.length >= 9, `${what}: it exists`)
    t.notOk(text.includes(secret), `${what}: not in the log`)
    t.notOk(
      text.includes(encodeURIComponent(secret)) || text.includes(Buffer.from(secret).toString("base64")),
      `${what}: in no other encoding`,
    )
    t.notOk(/^rr._/.test(secret) && text.includes(secret.slice(4, 20)), `${what}: not in part`)
  }
  t.ok(service.lines.length > 100)
  for (const name of ["cookie", "authorization", "password", "query", "body", "headers", "url", "token"])
    t.notOk(
      service.lines.some((line) => Object.hasOwn(line, name)),
      `no line has a member ${name}`,
    )
})

test("nor do the metrics or a refusal contain one", async (t) => {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  // The form of a failed link contains the link's own token for the next attempt; only its sender sees it.
  const refusals = said.filter(({ status, type }) => status >= 400 && type.startsWith("application/json"))
  t.ok(refusals.length > 60, `${refusals.length} refusals`)
  for (const [what, secret] of Object.entries(secrets)) {
    t.notOk(metrics.includes(secret), `${what}: not in the metrics`)
    t.strictSame(
      refusals.filter(({ text }) => text.includes(secret)).map((each) => each.what.replace(secret, "…")),
      [],
      `${what}: in no refusal`,
    )
  }
})

test("the end", async () => {
  await service.close()
  github.close()
})
