/** Invitations: links with which one person makes one account, and joins the Room that the link names. */
import type { Browser } from "research-room/testing"
import tap, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { mintToken } from "../../src/people/tokens.ts"
import { ask } from "../support/ask.ts"
import { freshId } from "../support/bodies.ts"
import { openOwn } from "../support/lab.ts"
import { DAY, passwordOf, startOwn } from "../support/service.ts"
import { Visitor } from "./visitor.ts"

// Here everybody may invite; who may otherwise has its own test.
const lab = await openOwn(tap, { people: ["ada", "grace"], entrance: { passwords: true, invitations: "everyone" } })
const { ada, grace } = lab
const { roomId } = (await ada.write("create_room", { title: "Warm-up" })).result

interface Invited {
  readonly invitationId: string
  readonly token: string
  readonly link: string
  readonly expiresAt: string
}
const sent = async (browser: Browser, body: object = {}) => {
  const response = await browser.request("POST", "/api/invitations", body)
  return { status: response.status, body: (await response.json()) as Invited & { refusal?: string } }
}
const invited = async (browser: Browser, body: object = {}): Promise<Invited> => (await sent(browser, body)).body
const accept = (token: string, username: string, password = passwordOf(username)) =>
  ask(`${lab.baseUrl}/api/invitations/${token}/accept`, {
    body: { username, password },
    headers: { origin: lab.baseUrl },
  })
const look = (token: string) => ask(`${lab.baseUrl}/api/invitations/${token}`)
const membersNow = async () => (await ada.read("members", { roomId })).items.map(({ username }) => username)

test("a link says what it offers, and makes one account", async (t) => {
  const { token, link, invitationId, expiresAt } = await invited(grace)
  t.equal(link, `${lab.baseUrl}/invitations/${token}`)
  t.match((await look(token)).body, { invitationId, invitedBy: "grace", room: null, expiresAt })
  const first = await accept(token, "Mary")
  t.equal(first.status, 200)
  t.match(first.body.person, { username: "mary", isOperator: false })
  t.ok(first.headers.getSetCookie()[0]?.startsWith("research_room_session=rrs_"), "accepting signs in")
  t.equal((await accept(token, "eve")).status, 404, "once")
  t.equal((await look(token)).status, 404)
  t.strictSame(await membersNow(), ["ada"], "a link without a Room makes nobody a member")
})

test("of several browsers at one link one makes an account, whatever their usernames", async (t) => {
  const { token } = await invited(grace)
  const names = ["first", "second", "Second", "third"]
  const answers = await Promise.all(names.map((name) => accept(token, name)))
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 404, 404, 404])
  const [made] = answers.filter(({ status }) => status === 200)
  const others = names.filter((name) => name.toLowerCase() !== String(made?.body.person?.username))
  for (const username of others)
    t.equal(
      (
        await ask(`${lab.baseUrl}/api/session`, {
          body: { username, password: passwordOf(username) },
          headers: { origin: lab.baseUrl },
        })
      ).status,
      401,
      `${username} has no account`,
    )
})

test("a link from a Room's owner makes its holder a member, and the Room's activity has it", async (t) => {
  const { token } = await invited(ada, { roomId: roomId.toUpperCase() })
  t.match((await look(token)).body, { invitedBy: "ada", room: { roomId, title: "Warm-up" } })
  const { body } = await accept(token, "dorothy")
  t.strictSame(await membersNow(), ["ada", "dorothy"])
  const { body: feed } = await ask(`${lab.baseUrl}/api/research/rooms/${roomId}/activity?kinds=member_joined`)
  t.match(feed.items, [
    {
      kind: "member_joined",
      operation: "add_member",
      actor: { username: "ada" },
      target: { kind: "member", id: body.person?.userId },
    },
  ])
})

test("only the owner of a Room invites into it, and only a signed-in person invites at all", async (t) => {
  for (const body of [{ roomId }, { roomId: freshId() }])
    t.match(await sent(grace, body), { status: 403, body: { refusal: "role_required" } })
  t.match(await sent(lab.stranger()), { status: 401 })
  t.match(await sent(ada, { roomId: "the first one" }), { status: 422 })
})

test("of two people with one link the first gets the account; the other gets none", async (t) => {
  const { token } = await invited(ada, { roomId })
  const answers = await Promise.all([accept(token, "barbara"), accept(token, "frances")])
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 404])
  const names = lab.instance.tables.people.all().map(({ username }) => username)
  t.equal(names.filter((name) => ["barbara", "frances"].includes(name)).length, 1)
})

test("a taken username leaves the link open", async (t) => {
  const { token } = await invited(grace)
  const { status, body } = await accept(token, "ADA", "some other password")
  t.strictSame([status, body.refusal], [409, "state_conflict"])
  t.equal((await accept(token, "x")).status, 422)
  t.equal((await accept(token, "katherine", "short")).status, 422)
  t.equal((await accept(token, "katherine")).status, 200)
})

test("a link expires", async (t) => {
  const { token, expiresAt } = await invited(ada, { roomId })
  t.ok(Math.abs(Date.parse(expiresAt) - Date.now() - limits.invitationDays * DAY) < 60_000)
  lab.pass(limits.invitationDays * DAY + 1)
  t.equal((await look(token)).status, 404)
  t.equal((await accept(token, "late")).status, 404)
})

test("only the sender of a link can revoke it", async (t) => {
  const { token, invitationId } = await invited(grace)
  const takeBack = async (browser: Browser, id = invitationId) =>
    (await browser.request("POST", `/api/invitations/${id}/revoke`, {})).status
  t.equal(await takeBack(lab.stranger()), 401)
  t.equal(await takeBack(ada), 404, "another person's link is unknown, even to the operator")
  t.equal(await takeBack(grace), 200)
  t.equal((await accept(token, "mallory")).status, 404)
  t.equal(await takeBack(grace), 404, "once")
  const { token: used, invitationId: usedId } = await invited(grace)
  await accept(used, "hedy")
  t.equal(await takeBack(grace, usedId), 404, "a used link cannot be revoked")
})

test("made-up links open nothing, and only the digest of a real one is kept", async (t) => {
  for (const token of ["guess", mintToken("invitation", (count) => Buffer.alloc(count, 9)), "%00"])
    t.equal((await look(token)).status, 404, token)
  const { token } = await invited(ada)
  t.notMatch(JSON.stringify(lab.instance.db.prepare("SELECT * FROM invitations").all()), new RegExp(token))
})

test("a setting decides who may invite: operators, owners of a Room by default, or everybody", async (t) => {
  for (const [invitations, allowed] of [
    ["operator", ["ada"]],
    ["owners", ["ada", "hedy"]],
    [undefined, ["ada", "hedy"]],
    ["everyone", ["ada", "hedy", "mary"]],
  ] as const) {
    const own = await startOwn(invitations === undefined ? {} : { entrance: { passwords: true, invitations } })
    const people = { ada: await own.setUp("ada"), hedy: await own.person("hedy"), mary: await own.person("mary") }
    const { result } = await people.hedy.write("create_room", { title: "Hedy's own" })
    for (const [name, browser] of Object.entries(people)) {
      const may = (allowed as readonly string[]).includes(name)
      t.match(
        await sent(browser),
        may ? { status: 200 } : { status: 403, body: { refusal: "role_required" } },
        `${name}, ${invitations}`,
      )
      const visitor = new Visitor()
      await visitor.send(`${own.baseUrl}/web/sign-in`, { username: name, password: passwordOf(name) })
      const { text } = await visitor.open(`${own.baseUrl}/account`)
      t.equal(text.includes("Make an invitation link"), may, "and the page offers it to nobody else")
    }
    t.equal((await sent(people.hedy, { roomId: result.roomId })).status, invitations === "operator" ? 403 : 200)
    t.equal(
      (await sent(people.ada, { roomId: result.roomId })).status,
      403,
      "into a Room only its owner, not even an operator",
    )
    await own.close()
  }
})
