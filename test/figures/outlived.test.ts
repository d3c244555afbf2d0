/** An upload that is still arriving when its credential or session ends. */
import { request } from "node:http"
import t from "tap"
import { png } from "../support/pictures.ts"
import { passwordOf, startOwn } from "../support/service.ts"

const own = await startOwn()
t.teardown(() => own.close())
const ada = await own.setUp()
const room = (await (
  await ada.request("POST", "/api/rooms", { schemaVersion: 3, requestId: crypto.randomUUID(), title: "Uploads" })
).json()) as { roomId: string }

/** Sends half of a file, waits for something to happen, and sends the rest. @returns status and refusal */
function uploaded(
  path: string,
  type: string,
  headers: Record<string, string>,
  bytes: Buffer,
  meanwhile: () => unknown,
) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const sending = request(`${own.baseUrl}${path}`, {
    method: "POST",
    headers: { "content-type": type, "content-length": String(bytes.length), ...headers },
  })
  sending.on("error", reject).on("response", (response) => {
    let text = ""
    response.setEncoding("utf8").on("data", (more) => (text += more))
    response.on("end", () => resolve(`${response.statusCode} ${/"refusal":"(\w+)"/.exec(text)?.[1] ?? ""}`.trim()))
  })
  sending.write(bytes.subarray(0, bytes.length >> 1), async () => {
    // The service has begun to read the body.
    await new Promise((done) => setTimeout(done, 300))
    await meanwhile()
    sending.end(bytes.subarray(bytes.length >> 1))
  })
  return promise
}

async function credential(label: string) {
  const response = await ada.request("POST", `/api/rooms/${room.roomId}/credentials`, {
    schemaVersion: 3,
    requestId: crypto.randomUUID(),
    label,
    permissions: ["publish_records", "manage_own_experiments"],
  })
  const { token, credentialId } = ((await response.json()) as { result: { token: string; credentialId: string } })
    .result
  const revoke = () =>
    ada.request("POST", `/api/rooms/${room.roomId}/credentials/${credentialId}/revoke`, {
      schemaVersion: 3,
      requestId: crypto.randomUUID(),
    })
  return { authorization: { authorization: `Bearer ${token}` }, revoke }
}

const files = [
  ["figures", "image/png", png({ width: 40, height: 40 })],
  ["logs", "text/plain", Buffer.from("a line\n".repeat(20_000))],
] as const
const kept = () => own.instance.db.prepare<{ n: number }>("SELECT count(*) AS n FROM attachments").one().n

t.test("an upload whose credential ends before all has arrived is refused, and nothing is kept", async (t) => {
  for (const [what, type, bytes] of files) {
    const { authorization, revoke } = await credential(`for ${what}`)
    const path = `/api/agent/research/${what}`
    const before = kept()
    t.equal(await uploaded(path, type, authorization, bytes, revoke), "401 not_authenticated", what)
    t.equal(kept(), before)
    const other = await credential(`again for ${what}`)
    t.equal(await uploaded(path, type, other.authorization, bytes, () => null), "200", `${what} of one that goes on`)
  }
})

t.test("the same holds for a session", async (t) => {
  for (const [what, type, bytes] of files) {
    const username = `bo-${what}`
    await own.instance.accounts.add(username, passwordOf(username))
    const signIn = await fetch(`${own.baseUrl}/api/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: own.baseUrl },
      body: JSON.stringify({ username, password: passwordOf(username) }),
    })
    const cookie = signIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
    const headers = { cookie, origin: own.baseUrl }
    const path = `/api/research-actions/${what}`
    t.equal(await uploaded(path, type, headers, bytes, () => null), "200", `${what} of one who stays`)
    const leave = () => fetch(`${own.baseUrl}/api/session`, { method: "DELETE", headers })
    t.equal(await uploaded(path, type, headers, bytes, leave), "401 not_authenticated", what)
  }
})
