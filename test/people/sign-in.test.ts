/** Signing in: with the right password, after few wrong ones, into a session that expires. */
import tap, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { type Answer, ask } from "../support/ask.ts"
import { hashAsServed } from "../support/passwords.ts"
import { DAY, type Own, passwordOf, startOwn } from "../support/service.ts"

hashAsServed()
const house = await startOwn()
tap.teardown(() => house.close())
await house.setUp("ada")
await house.person("grace")

const signIn = (username: string, password = passwordOf(username), at: Pick<Own, "baseUrl"> = house): Promise<Answer> =>
  ask(`${at.baseUrl}/api/session`, { body: { username, password }, headers: { origin: new URL(at.baseUrl).origin } })
const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0] ?? ""
const whoIs = async (cookie: string) =>
  (await ask(`${house.baseUrl}/api/session`, { headers: { cookie: cookie.split(";")[0] ?? "" } })).body.person
const failures = (count: number, username = "grace") =>
  Promise.all(Array.from({ length: count }, () => signIn(username, "not the password")))
const window = (limits.signInWindowSeconds + 1) * 1_000

test("the right username and password open a session, in either letter case of the name", async (t) => {
  const answer = await signIn("GRACE", passwordOf("grace"))
  t.equal(answer.status, 200)
  t.match(answer.body.person, { username: "grace", isOperator: false })
  t.match(await whoIs(cookieOf(answer)), { username: "grace" })
  t.strictSame(await whoIs(""), null, "without the cookie nobody is signed in")
})

test("scripts and other sites cannot use the cookie, and it is Secure behind https", async (t) => {
  const [, ...attributes] = cookieOf(await signIn("grace")).split("; ")
  t.strictSame(attributes.sort(), ["HttpOnly", `Max-Age=${limits.sessionDays * 86_400}`, "Path=/", "SameSite=Lax"])
  const published = await startOwn({ baseUrl: "https://rooms.example.org" })
  t.teardown(() => published.close())
  await published.instance.accounts.add("ada", passwordOf("ada"))
  const answer = await ask(`http://127.0.0.1:${published.port}/api/session`, {
    body: { username: "ada", password: passwordOf("ada") },
    headers: { origin: "https://rooms.example.org" },
  })
  t.ok(cookieOf(answer).split("; ").includes("Secure"))
  t.equal(
    (
      await ask(`http://127.0.0.1:${published.port}/api/session`, {
        body: { username: "ada", password: passwordOf("ada") },
        headers: { origin: `http://127.0.0.1:${published.port}` },
      })
    ).status,
    403,
    "the Origin is the base URL's, not the listening address",
  )
})

test("a wrong password and an unknown username get the same answer", async (t) => {
  const [wrong, unknown] = [await signIn("grace", "not the password"), await signIn("nobody", "not the password")]
  t.equal(wrong.status, 401)
  t.equal(wrong.text, unknown.text)
  t.strictSame(wrong.headers.getSetCookie(), [])
  for (const password of [
    passwordOf("grace").toUpperCase(),
    ` ${passwordOf("grace")}`,
    passwordOf("grace").slice(0, -1),
    "",
  ])
    t.not((await signIn("grace", password)).status, 200, `"${password}"`)
  house.pass(window)
})

test(
  "after ten failures an address that never signed in is locked out for " + "a while, and told for how long",
  async (t) => {
    await house.instance.accounts.add("mary", passwordOf("mary"))
    t.strictSame(
      (await failures(limits.signInFailures, "mary")).map(({ status }) => status),
      Array(limits.signInFailures).fill(401),
    )
    const closed = await signIn("mary")
    t.strictSame([closed.status, closed.body.refusal], [429, "too_many_requests"])
    const seconds = Number(closed.headers.get("retry-after"))
    t.ok(seconds > 0 && seconds <= limits.signInWindowSeconds)
    t.match(closed.body, { retryable: true, retryAfter: seconds, committed: false })
    t.equal((await signIn("ada")).status, 200, "others sign in as before")
    house.pass(seconds * 1_000)
    t.equal((await signIn("mary")).status, 200, "after that time it may try again")
  },
)

test("an address that has signed in before is locked out by no number of failures", async (t) => {
  await failures(limits.signInFailures)
  t.equal((await signIn("grace")).status, 200)
  house.pass(window)
})

test("a success forgets the failures before it", async (t) => {
  for (const before of [limits.signInFailures - 1, 2]) {
    await failures(before)
    t.equal((await signIn("grace")).status, 200, `after ${before}`)
  }
  house.pass(window)
})

test("simultaneous guesses count like guesses one by one", async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 4 * limits.signInFailures }, (_, n) => signIn("emmy", `guess number ${n}`)),
  )
  const looked = answers.filter(({ status }) => status === 401).length
  t.equal(looked, limits.signInFailures, "only that many passwords were checked")
  t.equal(answers.filter(({ status }) => status === 429).length, 3 * limits.signInFailures)
  house.pass(window)
})

test("a password set by the operator works at once, however many failures there were", async (t) => {
  await house.instance.accounts.add("lise", passwordOf("lise"))
  await failures(limits.signInFailures, "lise")
  t.equal((await signIn("lise")).status, 429)
  await house.instance.accounts.setPassword("lise", "given by the operator")
  t.equal((await signIn("lise", "given by the operator")).status, 200)
  house.pass(window)
})

test("changing a password has a count of its own", async (t) => {
  const cookie = cookieOf(await signIn("grace")).split(";")[0] ?? ""
  const change = (currentPassword: string) =>
    ask(`${house.baseUrl}/api/account/password`, {
      body: { currentPassword, password: passwordOf("grace") },
      headers: { origin: house.baseUrl, cookie },
    })
  await failures(limits.signInFailures)
  t.equal((await change("not the password")).status, 401, "failed sign-ins do not count for changing a password")
  for (let n = 1; n < limits.signInFailures; n += 1) await change("not the password")
  t.equal((await change(passwordOf("grace"))).status, 429, "an open session cannot be used for guessing")
  t.equal((await signIn("grace")).status, 200, "nor do failed changes count for signing in")
  house.pass(window)
  t.equal((await change(passwordOf("grace"))).status, 200, "after its window it may try again")
})

test("signing out ends the session on the server, not only in the browser", async (t) => {
  const cookie = cookieOf(await signIn("grace"))
  const out = await ask(`${house.baseUrl}/api/session`, {
    method: "DELETE",
    body: {},
    headers: { origin: house.baseUrl, cookie: cookie.split(";")[0] ?? "" },
  })
  t.match(cookieOf(out), /^research_room_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/)
  t.strictSame(await whoIs(cookie), null, "the old cookie opens nothing")
})

test("a session expires, and every sign-in makes a session of its own", async (t) => {
  const first = cookieOf(await signIn("grace"))
  house.pass((limits.sessionDays - 1) * DAY)
  const second = cookieOf(await signIn("grace"))
  t.not(first, second)
  t.match(await whoIs(first), { username: "grace" })
  house.pass(1.01 * DAY)
  t.strictSame(await whoIs(first), null)
  t.match(await whoIs(second), { username: "grace" })
})

test("a new password ends every session of its person, and of nobody else", async (t) => {
  const [grace, ada] = [cookieOf(await signIn("grace")), cookieOf(await signIn("ada"))]
  await house.instance.accounts.setPassword("grace", "another long password")
  t.strictSame(await whoIs(grace), null)
  t.match(await whoIs(ada), { username: "ada" })
  t.equal((await signIn("grace")).status, 401)
  t.equal((await signIn("grace", "another long password")).status, 200)
})

test("stored data opens nothing: passwords as scrypt, sessions as digests", async (t) => {
  const cookie = cookieOf(await signIn("ada")).split(";")[0] ?? ""
  const { db } = house.instance
  for (const { password_hash } of db.prepare<{ password_hash: string }>("SELECT password_hash FROM people").all())
    t.match(password_hash, /^scrypt\$16384\$8\$5\$[\w-]{22}\$[\w-]{43}$/)
  t.notMatch(JSON.stringify(db.prepare("SELECT * FROM sessions").all()), new RegExp(cookie.split("=")[1] ?? "-"))
})

test("nobody who is disabled while their password is checked is signed in", async (t) => {
  const own = await startOwn()
  t.teardown(() => own.close())
  const { accounts, operators } = own.instance
  await own.setUp("ada")
  await own.person("mary")
  const { userId } = own.instance.tables.people.named("mary") ?? {}
  const checking = accounts.signIn({ username: "mary", password: passwordOf("mary") } as never, "192.0.2.7")
  await operators.disable(null, userId as string)
  await t.rejects(checking, { code: "not_authenticated" })
})
