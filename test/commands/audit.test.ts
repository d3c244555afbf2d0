/** `audit`: the log at the command line, and the line that every writing command leaves. */
import { readFileSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"
import tap, { type Test, test } from "tap"
import type { AuditEntry } from "../../src/contract/nouns/administration.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { ask } from "../support/ask.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const command = (...args: string[]) => run(program, [...args, "--data", "data"], place)
const done = async (t: Test, ...args: string[]) => {
  const { code, out, err } = await command(...args)
  t.equal(code, 0, `${args.join(" ")}: ${err}`)
  return { out, err }
}
const log = async (...args: string[]) => JSON.parse((await command("audit", "--json", ...args)).out) as AuditEntry[]

test("every writing command leaves a line that names it, also beside a running service", async (t) => {
  await done(t, "user", "add", "ada", "--password", "a long sentence")
  const service = await serve(program, ["--data", "data"], place)
  await done(t, "user", "add", "grace", "--password", "a long sentence")
  await done(t, "user", "cite", "grace", "--name", "Grace Hopper")
  await done(t, "user", "password", "grace", "--password", "another sentence")
  const signedIn = await ask(`${service.baseUrl}/api/session`, {
    body: { username: "ada", password: "a long sentence" },
    headers: { origin: service.baseUrl },
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""
  const made = await ask(`${service.baseUrl}/api/rooms`, {
    body: { schemaVersion: 3, requestId: "0198f3a0-5b1e-7c44-9d8e-2f6a1b3c4d5e", title: "Warm-up" },
    headers: { origin: service.baseUrl, cookie },
  })
  const roomId = String(made.body.roomId)
  const { err, out: token } = await done(t, "credential", "issue", "--room", roomId, "--user", "ada")
  await done(t, "credential", "revoke", /Credential (\S+),/.exec(err)?.[1] ?? "")
  const key = await done(t, "key", "issue", "--user", "grace")
  await done(t, "key", "revoke", /Key (\S+),/.exec(key.err)?.[1] ?? "")
  writeFileSync(
    join(place.folder, "papers.jsonl"),
    '{"id":"2401.01234","title":"A paper","authors":"A. ' +
      'Author","abstract":"It is.","categories":"cs.LG","versions":[],"update_date":"2024-01-02"}\n',
  )
  await done(t, "papers", "import", join(place.folder, "papers.jsonl"))
  await done(t, "backup", join(place.folder, "backup.db"))
  service.signal("SIGTERM")
  await service.ended()
  await done(t, "restore", join(place.folder, "backup.db"), "--force")

  const lines = await log()
  const account = userInfo().username
  t.strictSame(
    lines.reverse().map(({ kind, command }) => [kind, command?.name ?? null]),
    [
      ["create_person", "user add"],
      ["create_person", "user add"],
      ["describe_person", "user cite"],
      ["reset_password", "user password"],
      ["sign_in", null],
      ["create_room", null],
      ["issue_credential", "credential issue"],
      ["revoke_credential", "credential revoke"],
      ["issue_key", "key issue"],
      ["revoke_key", "key revoke"],
      ["import_papers", "papers import"],
      // The backup's own line was written after the copy.
      ["restore_backup", "restore"],
    ],
  )
  t.ok(lines.every(({ command }) => command === null || command.account.endsWith(account)))
  const text = JSON.stringify(lines)
  for (const secret of [token.trim(), key.out.trim(), "a long sentence", "another sentence"])
    t.notOk(text.includes(secret))
  t.notOk(readFileSync(join(place.folder, "data/research-room.db")).includes(token.trim()))
})

test("a backup leaves its line in the data it copied", async (t) => {
  await done(t, "backup", join(place.folder, "second.db"))
  t.match(await log("--limit", "1"), [{ kind: "back_up", detail: { file: join(place.folder, "second.db") } }])
})

test("it is printed as a table, and filtered by kind, by person and by cursor", async (t) => {
  const { out } = await done(t, "audit", "--kind", "reset_password")
  t.match(out.split("\n")[0], /^LINE +AT +BY +WHAT +OF +FROM$/)
  t.match(out.split("\n")[1], /: user password +reset a password +person grace$/)
  const all = await log()
  t.strictSame(await log("--before", String(all[2]?.sequence), "--limit", "2"), all.slice(3, 5))
  t.ok(
    (await log("--user", "grace")).every(
      ({ by, subject }) => by?.username === "grace" || subject?.name === "grace" || subject?.kind === "personal_key",
    ),
  )
  t.match(await command("audit", "--limit", "0"), { code: 2, err: /a whole number from 1 to 1000/ })
  t.match(await command("audit", "--user", "nobody"), { code: 2, err: /There is no user named nobody\./ })
})
