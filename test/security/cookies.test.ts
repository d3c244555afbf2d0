/** The session cookie, for every way of signing in or out: the same flags, and a new session each time. */
import { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { passwordOf } from "../support/service.ts"
import { startWatched } from "./service.ts"

/** Signs in and out in every way there is. @returns the cookie that each sets */
async function doors(baseUrl: string): Promise<Record<string, string>> {
  const service = await startWatched({ baseUrl })
  const found: Record<string, string> = {}
  let session = ""
  const knock = async (
    what: string,
    path: string,
    fields: Record<string, string> | null,
    { form = false, method = "POST" } = {},
  ) => {
    const response = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method,
      headers: {
        origin: new URL(baseUrl).origin,
        cookie: session,
        ...(form ? {} : { "content-type": "application/json" }),
      },
      body: form ? new URLSearchParams(fields ?? {}) : JSON.stringify(fields ?? {}),
      redirect: "manual",
    })
    found[what] = response.headers.getSetCookie().join("\n")
    if (!found[what].includes("Max-Age=0")) session = found[what].split(";")[0] ?? ""
    return response
  }
  const invited = async () => {
    const { accounts, tables } = service.instance
    const ada = tables.people.named("ada")
    if (ada === undefined) throw new Error("ada is not there")
    return (await accounts.invite(ada, {}, () => true)).token
  }
  const password = passwordOf("ada")
  const other = passwordOf("ada, later")
  await knock("set-up", "/api/setup", {
    token: new URL(service.setUpLink ?? "").searchParams.get("token") ?? "",
    username: "ada",
    password,
  })
  await knock("sign-in", "/api/session", { username: "ada", password })
  await knock("sign-in by the form", "/web/sign-in", { username: "ada", password }, { form: true })
  await knock("password", "/api/account/password", { currentPassword: password, password: other })
  await knock("password by the form", "/web/password", { currentPassword: other, password }, { form: true })
  await knock("sign-out", "/api/session", null, { method: "DELETE" })
  await knock("sign-out by the form", "/web/sign-out", {}, { form: true })
  await knock("invitation", `/api/invitations/${await invited()}/accept`, { username: "grace", password })
  await knock(
    "invitation by the form",
    `/web/invitations/${await invited()}`,
    { username: "mary", password },
    { form: true },
  )
  await service.close()
  const second = await startWatched({ baseUrl })
  const token = new URL(second.setUpLink ?? "").searchParams.get("token") ?? ""
  const response = await fetch(`http://127.0.0.1:${second.port}/web/setup`, {
    method: "POST",
    headers: { origin: new URL(baseUrl).origin },
    body: new URLSearchParams({ token, username: "ada", password }),
    redirect: "manual",
  })
  found["set-up by the form"] = response.headers.getSetCookie().join("\n")
  await second.close()
  return found
}

for (const [baseUrl, isSecure, path] of [
  ["http://localhost:8787", false, "/"],
  ["https://rooms.example.org/lab", true, "/lab"],
  ["https://rooms.example.org/groups/lab/", true, "/groups/lab"],
] as const)
  test(`at ${baseUrl}`, async (t) => {
    const found = await doors(baseUrl)
    t.equal(Object.keys(found).length, 10)
    const values = new Set<string>()
    for (const [door, cookie] of Object.entries(found)) {
      const [pair = "", ...flags] = cookie.split("; ")
      const [name, value = ""] = pair.split("=")
      const isOut = door.startsWith("sign-out")
      t.equal(name, "research_room_session", door)
      t.match(value, isOut ? /^$/ : /^rrs_[0-9A-Za-z]{36}$/, door)
      t.strictSame(
        flags.sort(),
        [
          "HttpOnly",
          `Max-Age=${isOut ? 0 : limits.sessionDays * 86_400}`,
          `Path=${path}`,
          "SameSite=Lax",
          ...(isSecure ? ["Secure"] : []),
        ],
        `${door}: not for scripts or other sites${isSecure ? ", and never sent in clear" : ""}`,
      )
      values.add(value)
    }
    t.equal(values.size, 9, "each is a new session; none is reused")
  })

test("signing out ends every session that the browser sends", async (t) => {
  const service = await startWatched({ baseUrl: "http://localhost:8787/lab" })
  t.teardown(() => service.close())
  await service.instance.accounts.add("ada", passwordOf("ada"))
  const headers = { origin: "http://localhost:8787", "content-type": "application/json" }
  const send = (method: string, body: object, more = {}) =>
    fetch(`http://127.0.0.1:${service.port}/api/session`, {
      method,
      headers: { ...headers, ...more },
      body: JSON.stringify(body),
    })
  const signIn = async () =>
    (await send("POST", { username: "ada", password: passwordOf("ada") })).headers.getSetCookie()[0]?.split(";")[0] ??
    ""
  const sessions = [await signIn(), await signIn()]
  await send("DELETE", {}, { cookie: sessions.join("; ") })
  const { db } = service.instance
  t.strictSame(
    db.prepare("SELECT * FROM sessions").all(),
    [],
    "a session from before the cookie had its path would sign them in again",
  )
})
