/**
 * An operator's work without a browser, also beside a running service: each command takes effect at once, and leaves a
 * line in the log.
 */
import tap, { test } from "tap"
import type { AuditEntry } from "../../src/contract/nouns/administration.ts"
import { type Answer, ask } from "../support/ask.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const command = (...args: string[]) => run(program, [...args, "--data", "data"], place)
const passwords = { ada: "a long sentence", grace: "another sentence", mary: "a third sentence" } as const
for (const [name, password] of Object.entries(passwords)) await command("user", "add", name, "--password", password)
const service = await serve(program, ["--data", "data"], place)

const signIn = (username: keyof typeof passwords, password: string = passwords[username]): Promise<Answer> =>
  ask(`${service.baseUrl}/api/session`, { body: { username, password }, headers: { origin: service.baseUrl } })
const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]?.split(";")[0] ?? ""
const who = async (cookie: string) => (await ask(`${service.baseUrl}/api/session`, { headers: { cookie } })).body.person
const grace = cookieOf(await signIn("grace"))
const made = await ask(`${service.baseUrl}/api/rooms`, {
  body: { schemaVersion: 3, requestId: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e", title: "Warm-up" },
  headers: { origin: service.baseUrl, cookie: grace },
})
const roomId = String(made.body.roomId)
const issued = async () => (await command("credential", "issue", "--room", roomId, "--user", "grace")).out.trim()
const identity = async (token: string) =>
  (await ask(`${service.baseUrl}/api/agent/research/identity`, { token })).status
const key = (await command("key", "issue", "--user", "grace")).out.trim()
const readsLibrary = async () => (await ask(`${service.baseUrl}/api/agent/library/identity`, { token: key })).status

test(
  "everyone's credentials and keys are listed, with the first characters " + "of each token and its last use",
  async (t) => {
    const token = await issued()
    t.equal(await identity(token), 200)
    const { out } = await command("credential", "list")
    t.match(out, /^CREDENTIAL ID +ROOM ID +MEMBER +TOKEN +STATE +EXPIRES +LAST USE +PERMISSIONS +LABEL\n/)
    t.match(out, new RegExp(`${roomId} +grace +${token.slice(0, 8)}… `))
    t.notOk(out.includes(token))
    t.match(JSON.parse((await command("key", "list", "--json")).out), [
      { owner: { username: "grace" }, tokenStart: key.slice(0, 8) },
    ])
    t.strictSame(JSON.parse((await command("credential", "list", "--user", "mary", "--json")).out), [])
  },
)

test("a full password reset leaves only the new password valid", async (t) => {
  const token = await issued()
  t.strictSame([await identity(token), await readsLibrary()], [200, 200])
  const plain = await command("user", "password", "grace", "--password", passwords.grace)
  t.equal(plain.out, "grace has a new password; their sessions are ended.\n")
  t.strictSame(
    [await who(grace), await identity(token), await readsLibrary()],
    [null, 200, 200],
    "without the flag, tokens stay valid",
  )
  const all = await command("user", "password", "grace", "--password", passwords.grace, "--everything")
  t.equal(all.out, "grace has a new password; their sessions are ended. Ended: 2 credentials, 1 personal key.\n")
  t.strictSame([await identity(token), await readsLibrary()], [401, 401])
})

test("a user is disabled and enabled, and their Room handed over", async (t) => {
  const cookie = cookieOf(await signIn("grace"))
  const token = await issued()
  t.match(await command("user", "disable", "grace"), {
    code: 0,
    out: "grace is disabled. Ended: 1 credential, 0 personal keys.\n",
  })
  t.strictSame([await who(cookie), await identity(token), (await signIn("grace")).status], [null, 401, 401])
  t.match((await command("user", "list")).out, /grace .* 20\d\d-\S+Z +20\d\d-\S+Z\n/)
  t.match(await command("credential", "issue", "--room", roomId, "--user", "grace"), {
    code: 2,
    err: /This account is disabled/,
  })

  const transfer = (...args: string[]) => command("room", "transfer", roomId, ...args)
  t.match(await transfer("--to", "mary"), { code: 2, err: /required option '--reason <text>'/ })
  t.match(await transfer("--to", "mary", "--reason", "Grace left."), {
    code: 0,
    out: `The Room ${roomId} is mary's now.\n`,
  })
  const room = await ask(`${service.baseUrl}/api/research/rooms/${roomId}`)
  t.match(room.body, { owner: { username: "mary" } })
  t.match(await transfer("--to", "grace", "--reason", "Back."), { code: 2, err: /cannot sign in here/ })
  t.match(await command("room", "transfer", "nothing", "--to", "mary", "--reason", "x"), {
    code: 2,
    err: /There is no Room nothing\./,
  })

  t.match(await command("user", "enable", "grace"), {
    code: 0,
    out: "grace may sign in again, with the password they had.\n",
  })
  t.equal((await signIn("grace")).status, 200)
  t.match(await command("user", "enable", "grace"), { code: 2, err: /grace is not disabled\./ })
})

test(
  "operators are added and removed, one always remains; " + "with several, handing over a Room must name one of them",
  async (t) => {
    t.match(await command("user", "unmake-operator", "ada"), { code: 2, err: /ada is the only operator here/ })
    t.match(await command("user", "disable", "ada"), { code: 2, err: /ada is the only operator here/ })
    t.match(await command("user", "make-operator", "mary"), { code: 0, out: "mary is an operator now.\n" })
    const transfer = (...args: string[]) =>
      command("room", "transfer", roomId, "--to", "grace", "--reason", "She is back.", ...args)
    t.match(await transfer(), { code: 2, err: /Name the operator who does it with --by: ada, mary\./ })
    t.match(await transfer("--by", "grace"), { code: 2, err: /grace is not an operator here: ada, mary\./ })
    t.match(await transfer("--by", "ada"), { code: 0 })
    t.match(await command("user", "unmake-operator", "mary"), { code: 0, out: "mary is no longer an operator.\n" })
    t.match(await command("user", "end-access", "mary"), { code: 0, out: /Ended: 0 credentials, 0 personal keys\.\n$/ })
    t.match(await command("user", "clear-sign-ins", "mary"), {
      code: 0,
      out: "The count of failed sign-ins of mary is reset.\n",
    })
    t.match(await command("user", "disable", "nobody"), { code: 2, err: /There is no user named nobody\./ })
  },
)

test("a command also clears failed sign-ins", async (t) => {
  for (let n = 0; n < 10; n += 1) await signIn("mary", "what was it")
  t.equal((await signIn("mary")).status, 429)
  await command("user", "clear-sign-ins", "mary")
  t.equal((await signIn("mary")).status, 200)
})

test(
  "an account of the identity provider is connected and disconnected; one that belongs to another user, " +
    "or to none, is refused",
  async (t) => {
    const issuer = "https://sso.example.org"
    const connect = (name: string, subject: string, at = issuer) =>
      command("user", "connect", name, "--issuer", at, "--subject", subject)
    t.match(await connect("grace", "sub-grace"), {
      code: 0,
      out: `grace can also sign in with the account sub-grace at ${issuer}.\n`,
    })
    t.match(await connect("mary", "sub-grace"), { code: 2, err: /is connected to another user here already/ })
    t.match(await connect("nobody", "sub-mary"), { code: 2, err: /There is no user named nobody\./ })
    t.match(await connect("mary", "sub mary"), {
      code: 2,
      err: /--subject must have 1 to 255 visible ASCII characters/,
    })
    t.match(await connect("mary", "sub-mary", "http://sso.example.org"), { code: 2, err: /must begin with https/ })
    t.match(await command("user", "connect", "mary"), { code: 2, err: /required option/ })
    t.match(await command("user", "disconnect", "grace"), {
      code: 0,
      out: "grace signs in only with their password.\n",
    })
    t.match(await command("user", "disconnect", "grace"), { code: 2, err: /grace has no connected provider account/ })
    t.match(await connect("mary", "sub-grace"), { code: 0 }, "which belongs to no user now")
    const log = JSON.parse((await command("audit", "--json", "--limit", "3")).out) as AuditEntry[]
    t.strictSame(
      log.map(({ kind, command: by, subject, detail }) => [kind, by?.name, subject?.name, detail]),
      [
        ["connect_provider", "user connect", "mary", { issuer }],
        ["disconnect_provider", "user disconnect", "grace", { issuer }],
        ["connect_provider", "user connect", "grace", { issuer }],
      ],
    )
  },
)

test("each command left its line, and the data is whole", async (t) => {
  const log = JSON.parse((await command("audit", "--json", "--limit", "200")).out) as AuditEntry[]
  const named = new Set(log.map(({ command }) => command?.name))
  for (const name of [
    "disable",
    "enable",
    "make-operator",
    "unmake-operator",
    "end-access",
    "clear-sign-ins",
    "password",
  ])
    t.ok(named.has(`user ${name}`), name)
  t.ok(named.has("room transfer"))
  t.match(
    log.find(({ kind }) => kind === "transfer_room"),
    { by: { username: "ada" }, roomId },
  )
  service.signal("SIGTERM")
  await service.ended()
  t.match(await command("check"), { code: 0 })
})
