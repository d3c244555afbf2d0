/** `user add`, `password` and `list`: people, for an operator without a browser. */
import tap, { test } from "tap"
import { limits } from "../../src/contract/limits.ts"
import { ask } from "../support/ask.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const command = (...args: string[]) => run(program, args, place)
const signIn = (baseUrl: string, username: string, password: string) =>
  ask(`${baseUrl}/api/session`, { body: { username, password }, headers: { origin: baseUrl } })

test("the first person is the operator; a generated password is shown once", async (t) => {
  const first = await command("user", "add", "Ada", "--data", "data")
  t.strictSame([first.code, first.err], [0, ""])
  t.match(first.out, /^ada was created \([0-9a-f-]{36}\)\.\nThe password of ada, shown this once: [\w-]{20}\n$/)
  const second = await command("user", "add", "grace", "--data", "data", "--password", "correct horse battery")
  t.match(second, { code: 0, out: /^grace was created \([0-9a-f-]{36}\)\.\n$/ }, "a given password is not printed")

  const listed = await command("user", "list", "--data", "data")
  const [heading, ada, grace, ...rest] = listed.out.split("\n")
  t.match(heading, /^USERNAME +USER ID +ROLE +SINCE +SIGNED IN +DISABLED$/)
  t.match(ada, /^ada +[0-9a-f-]{36} +operator +20\d\d-.*Z +never$/)
  t.match(grace, /^grace +[0-9a-f-]{36} +20\d\d-.*Z +never$/)
  t.strictSame(rest, [""])

  const service = await serve(program, ["--data", "data"], place)
  t.notMatch(service.out, /Set up the first person/)
  const made = /once: (\S+)/.exec(first.out)?.[1] ?? ""
  t.equal((await signIn(service.baseUrl, "ada", made)).status, 200)
  t.equal((await signIn(service.baseUrl, "grace", "correct horse battery")).status, 200)

  await command("user", "add", "mary", "--data", "data", "--password", "correct horse battery")
  for (let n = 0; n < limits.signInFailures; n += 1) await signIn(service.baseUrl, "mary", "what was it")
  t.equal((await signIn(service.baseUrl, "mary", "correct horse battery")).status, 429)
  await command("user", "password", "mary", "--data", "data", "--password", "given by the operator")
  t.equal(
    (await signIn(service.baseUrl, "mary", "given by the operator")).status,
    200,
    "a new password clears the failed sign-ins",
  )

  const changed = await command("user", "password", "GRACE", "--data", "data", "--password", "a new long password")
  t.match(
    changed,
    { code: 0, out: "grace has a new password; their sessions are ended.\n" },
    "also beside a serving process",
  )
  t.equal((await signIn(service.baseUrl, "grace", "correct horse battery")).status, 401)
  t.equal((await signIn(service.baseUrl, "grace", "a new long password")).status, 200)
  service.signal("SIGTERM")
  t.equal((await service.ended()).code, 0)
})

test("how a person is cited is set, changed in part, and removed", async (t) => {
  const cite = (...args: string[]) => command("user", "cite", "grace", "--data", "data", ...args)
  const grace = async () => {
    const listed = JSON.parse((await command("user", "list", "--data", "data", "--json")).out) as { username: string }[]
    return listed.find(({ username }) => username === "grace")
  }
  t.match(
    await cite("--given-name", "Grace", "--family-name", "Hopper", "--orcid", "https://orcid.org/0000-0002-1694-233x"),
    {
      code: 0,
      out: "grace is cited as Grace Hopper.\n",
    },
  )
  t.match(await grace(), {
    name: "Grace Hopper",
    givenName: "Grace",
    familyName: "Hopper",
    orcid: "0000-0002-1694-233X",
  })
  t.match(await cite("--name", "Grace B. M. Hopper", "--orcid", ""), {
    code: 0,
    out: "grace is cited as Grace B. M. Hopper.\n",
  })
  t.match(await grace(), { name: "Grace B. M. Hopper", givenName: "Grace", familyName: "Hopper", orcid: null })
  t.match(await cite("--orcid", "0000-0002-1694-2330"), {
    code: 2,
    err: /orcid is not an ORCID: its check digit is wrong\./,
  })
  t.match(await cite("--orcid", "12"), { code: 2, err: /orcid must be an ORCID such as/ })
  t.match(await cite("--family-name", ""), { code: 2, err: /familyName is required with givenName/ })
  t.match(await cite("--name", "", "--given-name", "", "--family-name", ""), {
    code: 0,
    out: "grace is cited as grace.\n",
  })
  t.match(await command("check", "--data", "data"), { code: 0 })
})

test("a password change at the command line ends the user's sessions", async (t) => {
  const service = await serve(program, ["--data", "data"], place)
  const answer = await signIn(service.baseUrl, "grace", "a new long password")
  const cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const who = async () => (await ask(`${service.baseUrl}/api/session`, { headers: { cookie } })).body.person
  t.match(await who(), { username: "grace" })
  const made = await command("user", "password", "grace", "--data", "data")
  t.match(made.out, /The password of grace, shown this once: \S+\n$/)
  t.strictSame(await who(), null)
  service.signal("SIGTERM")
  await service.ended()
})

test("a command that fails prints one line on standard error", async (t) => {
  const cases: readonly [args: string[], code: number, sentence: RegExp][] = [
    [
      ["user", "add", "ada", "--data", "data", "--password", "another password"],
      1,
      /The name ada is taken; choose another\./,
    ],
    [["user", "add", "a", "--data", "data"], 2, /The name must have at least 2 characters\./],
    [["user", "add", "no spaces", "--data", "data"], 2, /The name must be made of letters/],
    [["user", "add", "mary", "--data", "data", "--password", "short"], 2, /A password has 10 to 200 characters\./],
    [["user", "password", "nobody", "--data", "data"], 2, /There is no user named nobody\./],
    [["user", "password", "ada", "--data", "elsewhere"], 1, /There is no research-room data in elsewhere/],
    [["user", "list", "--data", "elsewhere"], 1, /There is no research-room data in elsewhere/],
    [["user", "add"], 2, /missing required argument 'username'/],
    [["user", "remove", "ada"], 2, /unknown command 'remove'/],
  ]
  for (const [args, code, sentence] of cases) {
    const ended = await command(...args)
    t.strictSame([ended.code, ended.out], [code, ""], args.join(" "))
    t.match(ended.err, sentence)
    t.equal(ended.err.trim().split("\n").length, 1, `${args.join(" ")}: one line`)
  }
})
