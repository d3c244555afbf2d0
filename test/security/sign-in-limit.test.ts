/** The sign-in limit counts the address that the edge reports, and its memory is bounded. */
import { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { Refusal } from "../../src/contract/refusals.ts"
import { realWorld } from "../../src/ledger/world.ts"
import { SignInLimit } from "../../src/people/signing-in.ts"
import { SlowLanes } from "../../src/people/passwords.ts"
import { ask } from "../support/ask.ts"
import { passwordOf } from "../support/service.ts"
import { startWatched } from "./service.ts"

/** A limit whose lanes advance only when told to. */
function limitOf({ now = () => 0, most }: { now?: () => number; most?: number } = {}) {
  const due: (() => void)[] = []
  const limit = new SignInLimit(now, most, new SlowLanes((then) => void due.push(then)))
  /** Whether an attempt passes at once, later, or not at all. */
  async function knock(door: string, address: string): Promise<"at once" | "later" | "refused"> {
    let passed: "at once" | "refused" | null = null
    void limit.begin({ account: door, address }).then(
      () => (passed = "at once"),
      (error: unknown) => {
        if (!(error instanceof Refusal) || error.code !== "too_many_requests") throw error
        passed = "refused"
      },
    )
    await new Promise((resolve) => setImmediate(resolve))
    return passed ?? "later"
  }
  return { limit, knock, due }
}

test(
  "an address behind a trusted proxy counts by itself, one of IPv6 as its " + "network, on the route and in the form",
  async (t) => {
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
  },
)

test("an address may fail ten times as often as a name, and is refused then whatever the name", async (t) => {
  const { knock } = limitOf()
  const most = limits.signInFailures * 10
  for (let count = 0; count < most; count += 1) t.equal(await knock(`name ${count}`, "a"), "at once")
  t.equal(await knock("one name more", "a"), "refused")
  t.equal(await knock("one name more", "b"), "at once", "from another address")
})

test("with more names and addresses than fit, the oldest windows are forgotten first", async (t) => {
  let now = 0
  const { knock } = limitOf({ now: () => now, most: 3 })
  for (let n = 0; n < limits.signInFailures; n += 1) t.equal(await knock("ada", "203.0.113.1"), "at once")
  t.equal(await knock("ada", "203.0.113.1"), "refused")
  now += 1
  t.equal(await knock("grace", "203.0.113.2"), "at once")
  t.equal(await knock("mary", "203.0.113.3"), "at once")
  t.equal(await knock("ada", "203.0.113.1"), "refused", "there was room for all of these")
  t.equal(await knock("emmy", "203.0.113.5"), "at once", "now there is none")
  t.equal(await knock("ada", "203.0.113.1"), "at once", "and the oldest window is forgotten")
})

test(
  "a name tried from many addresses is slowed for strangers, who still have a chance, and not for addresses that " +
    "signed in before",
  async (t) => {
    const { limit, knock, due } = limitOf()
    limit.remember("ada", "198.51.100.1")
    const flood = Array.from({ length: 400 }, (_, n) => `203.0.113.${n}`)
    const first: string[] = []
    for (const address of flood) first.push(await knock("ada", address))
    t.equal(first.filter((outcome) => outcome === "at once").length, limits.signInFailures + 1)
    t.equal(due.length, 1, "one by one")
    t.equal(await knock("ada", "198.51.100.1"), "at once", "from her known address ada passes the flood")
    t.equal(await knock("grace", "192.0.2.1"), "at once", "and other names are not affected")

    // From a new address she tries again each time she is refused, while the flood continues.
    let turns = 0
    let isIn = false
    const tryAgain = (): void =>
      void limit.begin({ account: "ada", address: "192.0.2.7" }).then(() => (isIn = true), tryAgain)
    tryAgain()
    for (; !isIn && turns < 2_000; turns += 1) {
      for (let n = 0; n < 5; n += 1) await knock("ada", `198.18.${turns % 250}.${n}`)
      due.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    t.ok(isIn, `in after ${turns} turns`)
  },
)

test("over HTTP: a flood from one address on one name does not affect its owner, wherever the owner is", async (t) => {
  let ahead = 0
  const service = await startWatched({ trustProxy: "on", world: realWorld(() => Date.now() + ahead) })
  t.teardown(() => service.close())
  await service.instance.accounts.add("ada", passwordOf("ada"))
  const signIn = (from: string, password: string, cookie = "") =>
    ask(`${service.baseUrl}/api/session`, {
      body: { username: "ada", password },
      headers: { origin: service.baseUrl, "x-forwarded-for": from, cookie },
    })
  const flood = (from: string) => Promise.all(Array.from({ length: 30 }, () => signIn(from, "not the password")))
  const session = (await signIn("2001:db8:1:2::1", passwordOf("ada"))).headers.getSetCookie()[0]?.split(";")[0]
  t.equal((await flood("203.0.113.7")).filter(({ status }) => status === 429).length, 20)
  t.equal((await signIn("203.0.113.7", passwordOf("ada"))).status, 429, "even a right guess is refused from there")
  t.equal(
    (await signIn("203.0.113.7", passwordOf("ada"), session)).status,
    200,
    "but ada's own browser can sign in even there",
  )
  t.equal((await signIn("203.0.113.8", passwordOf("ada"))).status, 200, "and ada from any other address")
  t.equal((await signIn("2001:db8:1:2:ffff::9", passwordOf("ada"))).status, 200, "her network counts as one address")
  ahead += (limits.signInWindowSeconds + 1) * 1_000
  await flood("2001:db8:1:2::5")
  t.equal(
    (await signIn("2001:db8:1:2::1", passwordOf("ada"))).status,
    200,
    "a flood from her own network slows her, and no more",
  )
})
