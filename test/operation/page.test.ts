/**
 * The administrator's day, by the page: every command of operation.md as given there, from an empty folder. Only root,
 * systemd and the location of the folders are replaced.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { type Answer, ask } from "../support/ask.ts"
import { freshId } from "../support/bodies.ts"
import { executable, newPlace } from "../support/program.ts"
import { passwordOf } from "../support/service.ts"
import { aMachine, blocks, section } from "./a-machine.ts"
import { freePort } from "./proxies/proxies.ts"

if (process.platform === "win32") {
  tap.pass("the page is for a common Linux")
  process.exit()
}
const place = newPlace()
const port = await freePort()
mkdirSync(join(place.folder, "one"))
const machine = aMachine(join(place.folder, "one"), executable(), port)
tap.teardown(() => {
  machine.run("systemctl stop research-room")
  place.remove()
})

const at = `http://127.0.0.1:${port}`
const origin = "https://rooms.example.org"
const cookies = new Map<string, string>()
/** Sends a request as a browser behind the proxy does. */
async function as(username: string, method: string, path: string, body?: object, from = "192.0.2.1"): Promise<Answer> {
  const headers = { origin, cookie: cookies.get(username) ?? "", "x-forwarded-for": from }
  const answer = await ask(at + path, { method, headers, ...(body && { body }) })
  for (const cookie of answer.headers.getSetCookie()) cookies.set(username, cookie.split(";")[0] ?? "")
  return answer
}
const write = (username: string, path: string, body: object = {}) =>
  as(username, "POST", path, { schemaVersion: 3, requestId: freshId(), ...body })
const signIn = (username: string, password = passwordOf(username), from?: string) =>
  as(username, "POST", "/api/session", { username, password }, from)
const whoIs = async (username: string) => (await as(username, "GET", "/api/session")).body.person
const backups = () =>
  readdirSync(machine.at("/var/lib/research-room-backups"))
    .filter((name) => name.endsWith(".db"))
    .sort()
/** Runs commands that restart the service: connections to the old process are then gone. */
async function startedAnew(commands: string) {
  const done = machine.run(commands)
  for (let tries = 0; tries < 5; tries += 1) if (await fetch(`${at}/api/health/live`).catch(() => null)) break
  return done
}
/** A command of the program, run the way the page describes for other commands. */
const command = (line: string) =>
  machine.run(`sudo -u research-room research-room ${line} --data /var/lib/research-room`)

let roomId = ""
const [install = "", begin = ""] = blocks("Ten minutes to a group's service", "sh")

test("ten minutes: installed, started, and the first person set up through the link in the journal", async (t) => {
  t.match(machine.run(install), { code: 0, err: "" })
  const started = machine.run(begin)
  t.equal(started.code, 0, started.err)
  const [, token] = /setup\?token=(\S+)/.exec(started.out) ?? []
  t.ok(token, started.out)
  t.match(started.out, `${origin}/setup?token=`)
  t.equal(statSync(machine.at("/var/lib/research-room")).mode & 0o777, 0o700, "no other user reads the data")
  t.ok(existsSync(machine.at("/var/lib/research-room-backups")), "the folder of backups exists before the first backup")
  t.equal((await as("ada", "POST", "/api/setup", { token, username: "ada", password: passwordOf("ada") })).status, 200)
  t.match(command("check"), { code: 0, out: /all whole/ }, "a command runs beside it")
})

test("people: invited, disabled, their Room handed over, a password reset, another operator", async (t) => {
  const { token } = (await write("ada", "/api/invitations")).body as unknown as { token: string }
  t.equal(
    (
      await as("grace", "POST", `/api/invitations/${token}/accept`, {
        username: "grace",
        password: passwordOf("grace"),
      })
    ).status,
    200,
  )
  roomId = String((await write("grace", "/api/rooms", { title: "Warm-up" })).body.roomId)
  t.match(command(`user add mary --password '${passwordOf("mary")}'`), { code: 0 })
  t.equal((await signIn("mary")).status, 200)

  // The page contains each command that it names, with values in place of its capitals.
  const named = [...section("People").matchAll(/`((?:user|room|credential|key) [a-z-]+[^`]*)`/g)].map(
    ([, text = ""]) => text,
  )
  const given = (text: string) =>
    text
      .replace("ROOM", roomId)
      .replace("--to NAME", "--to mary")
      .replace("TEXT", "'Grace left.'")
      .replace("NAME", "grace")
  const deed = (start: string) => {
    const found = named.find((text) => text.startsWith(start))
    if (found === undefined) throw new Error(`operation.md no longer names ${start}`)
    return command(given(found))
  }
  t.match(deed("credential list"), { code: 0 })
  t.match(deed("key list"), { code: 0 })
  t.match(deed("user disable"), { code: 0, out: /grace is disabled/ })
  t.equal(await whoIs("grace"), null, "signed out at once")
  t.equal((await signIn("grace")).status, 401)
  t.match(deed("room transfer"), { code: 0, out: /is mary's now/ })
  t.match((await ask(`${at}/api/research/rooms/${roomId}`)).body, { owner: { username: "mary" } })
  t.match(deed("user enable"), { code: 0 })
  const elsewhere = "198.51.100.7"
  for (let n = 0; n < 10; n += 1) await signIn("grace", "what was it", elsewhere)
  t.equal((await signIn("grace", passwordOf("grace"), elsewhere)).status, 429)
  t.equal((await signIn("grace")).status, 200, "not from where she has come in before")
  t.match(deed("user clear-sign-ins"), { code: 0 })
  t.equal((await signIn("grace", passwordOf("grace"), elsewhere)).status, 200)
  const reset = deed("user password")
  const [, password = ""] = /once: (\S+)/.exec(reset.out) ?? []
  t.equal(await whoIs("grace"), null)
  t.equal((await signIn("grace", password)).status, 200)
  t.match(deed("user end-access"), { code: 0 })
  t.match(deed("user make-operator"), { code: 0 })
  t.equal((await as("grace", "GET", "/api/admin/people")).status, 200)
  t.match(deed("user unmake-operator"), { code: 0 })
  t.equal((await as("grace", "GET", "/api/admin/people")).status, 404)
  t.match(command("audit --json --limit 100"), { code: 0, out: /disable_person/ })
})

test("backups: by the timer's unit, and one is put back", async (t) => {
  const [, timer = ""] = /`(sudo systemctl enable --now research-room-backup\.timer)`/.exec(section("Backups")) ?? []
  t.match(machine.run(timer), { code: 0, err: "" })
  const made = machine.run("systemctl start research-room-backup")
  t.equal(made.code, 0, made.err)
  t.match(backups(), [/^\d{4}-\d\d-\d\dT\d{6}\.db$/])
  const [first = ""] = backups()
  t.equal(
    statSync(join(machine.at("/var/lib/research-room-backups"), first)).mode & 0o077,
    0,
    "which only the service's user and root read",
  )

  await write("mary", "/api/rooms", { title: "After the backup" })
  const [putBack = ""] = blocks("Restoring a backup", "sh")
  const back = await startedAnew(putBack.replace("BACKUP", `/var/lib/research-room-backups/${first}`))
  t.equal(back.code, 0, back.err)
  t.match((await ask(`${at}/api/research/rooms`)).body.items, [{ title: "Warm-up" }], "as it was")
  t.ok(
    readdirSync(machine.at("/var/lib/research-room")).some((name) => name.includes("before-")),
    "and what was there is kept",
  )
  t.match(command("check"), { code: 0 })
})

test("a newer version: pasted twice it makes two backups; without a backup nothing goes on", async (t) => {
  const [upgrade = ""] = blocks("A newer version", "sh")
  const before = backups().length
  for (const time of [1, 2]) {
    const done = await startedAnew(upgrade)
    t.equal(done.code, 0, done.err)
    t.equal(backups().length, before + time)
    t.equal((await ask(`${at}/api/health/ready`)).status, 200)
    // Their names tell seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
  const folder = machine.at("/var/lib/research-room-backups")
  renameSync(folder, `${folder}-away`)
  const inode = () => statSync(machine.at("/usr/local/bin/research-room")).ino
  const program = inode()
  const failed = machine.run(upgrade)
  renameSync(`${folder}-away`, folder)
  t.not(failed.code, 0)
  t.match(failed.err, /^research-room: /)
  t.equal(inode(), program, "the program is the one that was")
  t.equal((await ask(`${at}/api/health/ready`)).status, 200, "and goes on")
})

test("without systemd: the line of cron makes its backup", (t) => {
  const [line = ""] = blocks("Without systemd", "")
  const [, cron = ""] = /^\S+ \S+ \S+ \S+ \S+ research-room (.*)$/m.exec(line) ?? []
  const made = machine.run(cron.replaceAll("\\%", "%"))
  t.equal(made.code, 0, made.err)
  t.ok(backups().some((name) => /^\d{4}-\d\d-\d\d\.db$/.test(name)))
  t.end()
})

test("moving: a backup is put into another machine, where ids and digests are what they were", async (t) => {
  const feed = async (address: string) => (await ask(`${address}/api/research/rooms/${roomId}/activity`)).body.items
  const there = await feed(at)
  const elsewhere = join(place.folder, "two")
  mkdirSync(elsewhere)
  const otherPort = await freePort()
  const other = aMachine(elsewhere, executable(), otherPort)
  t.match(other.run(install), { code: 0 })
  const backup = join(machine.at("/var/lib/research-room-backups"), backups().at(-1) ?? "")
  renameSync(backup, join(elsewhere, "home/moved.db"))
  t.match(other.run("sudo -u research-room research-room restore moved.db --data /var/lib/research-room"), { code: 0 })
  t.match(other.run("sudo systemctl enable --now research-room"), { code: 0 })
  t.strictSame(await feed(`http://127.0.0.1:${otherPort}`), there)
  t.match(other.run("systemctl stop research-room"), { code: 0 })
})
