/** The sign-in limit counts whom the edge says, and what it remembers is bounded. */
import { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { Refusal } from "../../src/contract/refusals.ts"
import { SignInLimit } from "../../src/people/sign-in-limit.ts"
import { startWatched } from "./service.ts"

/** Whether a try is let through. */
function isOpen(limit: SignInLimit, username: string, address: string): boolean {
  try {
    limit.begin(username, address)
    return true
  } catch (error) {
    if (error instanceof Refusal && error.code === "too_many_requests") return false
    throw error
  }
}

test("an address behind a trusted proxy is counted for itself, one of IPv6 as its network, by the route and by the form", async (t) => {
  for (const [trustProxy, forwarded, counted] of [
    ["on", "203.0.113.7", "203.0.113.7"],
    ["on", "203.0.113.7, 198.51.100.2", "198.51.100.2"],
    ["on", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["off", "203.0.113.7", "127.0.0.1"],
  ] as const) {
    const service = await startWatched({ trustProxy })
    const seen: string[] = []
    service.instance.accounts.signIn = (_body, address) => {
      seen.push(address)
      return Promise.reject(new Refusal("not_authenticated", "Nobody comes in here."))
    }
    const headers = { origin: service.baseUrl, "x-forwarded-for": forwarded }
    const json = { ...headers, "content-type": "application/json" }
    await fetch(`${service.baseUrl}/api/session`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ username: "ada", password: "x" }),
    })
    await fetch(`${service.baseUrl}/web/sign-in`, {
      method: "POST",
      headers,
      body: new URLSearchParams({ username: "ada", password: "x" }),
    })
    t.strictSame(seen, [counted, counted], `${forwarded}, trust ${trustProxy}`)
    await service.close()
  }
})

test("of more names and addresses than are remembered, the oldest windows are forgotten first", (t) => {
  let now = 0
  const limit = new SignInLimit(() => now, 6)
  for (let n = 0; n < limits.signInFailures; n += 1) t.ok(isOpen(limit, "ada", "203.0.113.1"))
  t.notOk(isOpen(limit, "ada", "203.0.113.1"))
  now += 1
  t.ok(isOpen(limit, "grace", "203.0.113.2"))
  t.ok(isOpen(limit, "mary", "203.0.113.3"))
  t.notOk(isOpen(limit, "ada", "203.0.113.4"), "there was room for all of these")
  t.ok(isOpen(limit, "emmy", "203.0.113.5"), "now there is none")
  t.ok(isOpen(limit, "ada", "203.0.113.4"), "and the oldest window is gone")
  t.end()
})
