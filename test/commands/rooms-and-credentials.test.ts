/** `room list`, and `credential issue`, `list` and `revoke`: the same checks as in the browser. */
import { pattern } from "../support/pattern.ts"
import { join } from "node:path"
import tap, { test } from "tap"
import { ask } from "../support/ask.ts"
import { freshId, message } from "../support/bodies.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { startOwn } from "../support/service.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const command = (...args: string[]) => run(program, [...args, "--data", "data"], place)

/** Two Rooms, made before the operator comes. */
const house = await startOwn({ folder: join(place.folder, "data"), keeps: true })
const ada = await house.setUp("ada")
const grace = await house.person("grace")
const room = (await ada.write("create_room", { title: "Warm-up and early loss" })).result
await ada.write("add_member", { roomId: room.roomId, username: "grace" })
const closed = (await grace.write("create_room", { title: "Done with" })).result
await grace.write("archive_room", { roomId: closed.roomId, reason: "Answered." })
await house.close()

test("rooms are listed with their state", async (t) => {
  const { code, out } = await command("room", "list")
  const [heading, first, second, ...rest] = out.split("\n")
  t.equal(code, 0)
  t.match(heading, /^ROOM ID +STATE +OWNER +ACTIVITY +BYTES +TITLE$/)
  t.match(first, new RegExp(`^${room.roomId} +active +ada +2 +[1-9]\\d+ +Warm-up and early loss$`))
  t.match(second, new RegExp(`^${closed.roomId} +archived +grace +2 +[1-9]\\d+ +Done with$`))
  t.strictSame(rest, [""])
})

test("a credential is issued for a member, works, is listed, and stops working once revoked", async (t) => {
  const issued = await command(
    "credential",
    "issue",
    "--room",
    room.roomId.toUpperCase(),
    "--user",
    "Grace",
    "--label",
    "night runs",
    "--permissions",
    "post_thread,publish_records",
    "--threads",
    room.openingThreadId,
    "--expires",
    "2027-01-31T00:00:00Z",
  )
  t.equal(issued.code, 0)
  t.match(issued.out, /^rrc_[0-9A-Za-z]{36}\n$/, "standard output is the token alone, ready for use in a script")
  t.match(
    issued.err,
    pattern(
      /^Credential [0-9a-f-]{36}, until 2027-01-31T00:00:00\.000Z\. Its agent is called night runs\. /,
      /The token is shown this once:\n$/,
    ),
  )
  const token = issued.out.trim()
  const id = /Credential (\S+),/.exec(issued.err)?.[1] ?? ""

  const service = await serve(program, ["--data", "data"], place)
  t.match((await ask(`${service.baseUrl}/api/agent/research/identity`, { token })).body, {
    username: "grace",
    grants: ["post_thread", "publish_records"],
    credential: { id, label: "night runs", threadIds: [room.openingThreadId], expiresAt: "2027-01-31T00:00:00.000Z" },
  })
  const post = () =>
    ask(`${service.baseUrl}/api/agent/threads/${room.openingThreadId}/messages`, { token, body: message() })
  t.equal((await post()).status, 200)

  t.match(
    (await command("credential", "list", "--room", room.roomId)).out,
    new RegExp(
      `^${id} +${room.roomId} +grace +${token.slice(0, 8)}… +2027-01-31T00:00:00\\.000Z +20\\S+Z ` +
        "+post_thread,publish_records +night runs$",
      "m",
    ),
  )
  const revoked = await command("credential", "revoke", id.toUpperCase())
  t.match(revoked, { code: 0, out: new RegExp(`^Credential ${id} is revoked since 20.*Z\\.\n$`) })
  t.match((await post()).body, { refusal: "not_authenticated", error: /revoked/ }, "also in the process that serves")
  t.match(
    (await command("credential", "list", "--room", room.roomId)).out,
    new RegExp(`^${id} +${room.roomId} +grace +${token.slice(0, 8)}… +revoked +2027`, "m"),
  )
  service.signal("SIGTERM")
  await service.ended()
})

test("by default a credential has every permission and lasts ninety days", async (t) => {
  const { err } = await command("credential", "issue", "--room", room.roomId, "--user", "ada")
  const until = Date.parse(/until (\S+)\./.exec(err)?.[1] ?? "")
  t.ok(Math.abs(until - Date.now() - 90 * 86_400_000) < 60_000)
  t.match(
    (await command("credential", "list", "--room", room.roomId)).out,
    / ada +.* +post_thread,publish_records,manage_own_experiments +agent$/m,
  )
})

test("a command that fails prints one line on standard error", async (t) => {
  const forAda = ["--room", room.roomId, "--user", "ada"]
  const cases: readonly [args: string[], sentence: RegExp][] = [
    [["issue", "--room", room.roomId, "--user", "nobody"], /There is no user named nobody\./],
    [["issue", "--room", freshId(), "--user", "ada"], /There is no such Room\./],
    [["issue", "--room", closed.roomId, "--user", "ada"], /ada is not a member of this Room\./],
    [["issue", ...forAda, "--permissions", "post_thread,fly"], /permissions\/1 must be one of/],
    [["issue", ...forAda, "--threads", closed.openingThreadId], /threadIds\/0 is not a Thread of this Room/],
    [["issue", ...forAda, "--expires", "2020-01-01T00:00:00Z"], /expiresAt must be in the future/],
    [["issue", ...forAda, "--expires", "soon"], /expiresAt must be a time/],
    [["issue", "--room", room.roomId], /required option '--user <username>' not specified/],
    [["revoke", freshId()], /There is no credential/],
    [["revoke"], /missing required argument/],
  ]
  for (const [args, sentence] of cases) {
    const { code, out, err } = await command("credential", ...args)
    t.strictSame([code, out], [2, ""], args.join(" "))
    t.match(err, sentence)
    t.equal(err.trim().split("\n").length, 1)
  }
})
