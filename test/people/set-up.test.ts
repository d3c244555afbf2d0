/** The first person: created once, with the one-time link that the service prints. */
import tap, { test } from "tap"
import { startService } from "../../src/app/service.ts"
import { openLog } from "../../src/log.ts"
import { mintToken } from "../../src/people/tokens.ts"
import { ask } from "../support/ask.ts"
import { passwordOf, startOwn } from "../support/service.ts"

const house = await startOwn()
tap.teardown(() => house.close())
const tokenOf = (link: string | null) => new URL(link ?? "").searchParams.get("token") ?? ""
const setUp = (token: string, username: string, password = passwordOf(username), baseUrl = house.baseUrl) =>
  ask(`${baseUrl}/api/setup`, { body: { token, username, password }, headers: { origin: baseUrl } })

test("while there are no users the service has a link, below its base URL", (t) => {
  t.ok(house.setUpLink?.startsWith(`${house.baseUrl}/setup?token=rru_`))
  t.end()
})

test("the username, the password and the token must be valid", async (t) => {
  const token = tokenOf(house.setUpLink)
  for (const wrong of [mintToken("setup", (count) => Buffer.alloc(count, 3)), token.slice(0, -1), "guess"]) {
    const { status, body } = await setUp(wrong, "ada")
    t.strictSame([status, body.refusal], [401, "not_authenticated"], wrong)
  }
  const faults: Readonly<Record<string, [string, string]>> = {
    "/username": ["a", passwordOf("a")],
    "/password": ["ada", "too short"],
  }
  for (const [path, [username, password]] of Object.entries(faults)) {
    t.match((await setUp(token, username, password)).body, { refusal: "invalid_schema", issues: [{ path }] })
  }
  for (const username of ["-ada", "ada.", "a da", "ädä", "a".repeat(41), "ada\u0000"])
    t.equal((await setUp(token, username)).status, 422, JSON.stringify(username))
  t.equal((await setUp(token, "ada", "x".repeat(201))).status, 422, "a password has a maximum length")
})

test("of two people with the link the first gets the account, and then it is closed", async (t) => {
  const token = tokenOf(house.setUpLink)
  const answers = await Promise.all([setUp(token, "Ada"), setUp(token, "Eve")])
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 409])
  const first = answers.find(({ status }) => status === 200)
  const username = String(first?.body.person?.username)
  t.ok(["ada", "eve"].includes(username), "usernames are stored in lower case")
  t.match(first?.body.person, { isOperator: true })
  t.match(answers.find(({ status }) => status === 409)?.body, { refusal: "state_conflict", current: { setUp: true } })

  const cookie = first?.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  t.match(
    (await ask(`${house.baseUrl}/api/session`, { headers: { cookie } })).body,
    { person: { username } },
    "setting up signs in",
  )
  t.equal((await setUp(token, "mallory")).status, 409, "the link opens nothing more")
  t.strictSame(
    house.instance.tables.people.all().map((person) => person.username),
    [username],
  )
})

test("after a restart there is no link; while there are no users each start has a new one", async (t) => {
  const again = await startService({
    data: `${house.folder}/another`,
    host: "127.0.0.1",
    port: 0,
    log: openLog("silent"),
    repositories: { folders: [], github: null },
  })
  const oldToken = tokenOf(again.setUpLink)
  await again.close()
  const restarted = await startService({
    data: `${house.folder}/another`,
    host: "127.0.0.1",
    port: 0,
    log: openLog("silent"),
    repositories: { folders: [], github: null },
  })
  t.not(tokenOf(restarted.setUpLink), oldToken)
  t.equal(
    (await setUp(oldToken, "ada", undefined, restarted.baseUrl)).status,
    401,
    "the link printed before no longer works",
  )
  t.equal((await setUp(tokenOf(restarted.setUpLink), "ada", undefined, restarted.baseUrl)).status, 200)
  await restarted.close()
  const third = await startService({
    data: `${house.folder}/another`,
    host: "127.0.0.1",
    port: 0,
    log: openLog("silent"),
    repositories: { folders: [], github: null },
  })
  t.equal(third.setUpLink, null)
  await third.close()
})
