/** `research-room unit`: units that systemd accepts, that match the page, and that hold no secret. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"

const root = join(import.meta.dirname, "../..")

function unit(...flags: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=research-room-source", join(root, "src/main.ts"), "unit", ...flags],
    { encoding: "utf8", env: { PATH: process.env.PATH } },
  )
  return { status, stdout, stderr }
}

/** Each unit by its file name. */
const filesIn = (printed: string): ReadonlyMap<string, string> =>
  new Map(
    printed
      .split(/^# \/etc\/systemd\/system\//m)
      .slice(1)
      .map((part) => {
        const [name = "", ...lines] = part.split("\n")
        return [name, lines.join("\n").trim()]
      }),
  )

t.test("the units on the page for operators are those that the command prints", (t) => {
  const page = readFileSync(join(root, ".github/operation.md"), "utf8")
  const shown = [...page.matchAll(/`\/etc\/systemd\/system\/([\w.-]+)`:\n\n```ini\n(.*?)\n```/gs)].map(
    ([, name = "", text = ""]) => [name, text],
  )
  const printed = filesIn(unit("--base-url", "https://rooms.example.org", "--trust-proxy").stdout)
  t.same(shown, [...printed])
  t.same([...printed.keys()], ["research-room.service", "research-room-backup.service", "research-room-backup.timer"])
  t.end()
})

t.test("secrets stay in their file, and a value with odd characters stays one value", (t) => {
  const { stdout } = unit(
    "--github-token",
    "a-token-of-twenty-signs",
    "--oidc-issuer",
    "https://id.example.org",
    "--oidc-name",
    'Our "100 %" $pot',
  )
  t.notMatch(stdout, "a-token-of-twenty-signs")
  t.match(stdout, /# Secrets \(.*RESEARCH_ROOM_GITHUB_TOKEN.*one a line/)
  t.ok(stdout.includes('Environment="RESEARCH_ROOM_OIDC_NAME=Our \\"100 %%\\" $pot"\n'))
  const broken = unit("--oidc-name", "a\nExecStartPre=/bin/false")
  t.equal(broken.status, 2)
  t.match(broken.stderr, /^research-room: A value in a unit cannot contain a line break\.\n$/)
  t.equal(unit("--follow", "/srv/copy").status, 2, "a copy has a unit of its own")
  t.end()
})

t.test("it gets access to folders elsewhere, and to a home that contains one of them", (t) => {
  const printed = filesIn(
    unit("--data", "/srv/rooms", "--backups", "/home/backups/rooms", "--keep-days", "7", "--user", "lab").stdout,
  )
  t.match(printed.get("research-room.service"), /\nUser=lab\nReadWritePaths=\/srv\/rooms \/home\/backups\/rooms\n/)
  t.match(printed.get("research-room-backup.service"), /-mtime \+7 -delete\n.*\nProtectSystem=strict\nProtectHome=no\n/)
  t.end()
})

const analyze = spawnSync("systemd-analyze", ["--version"]).status === 0
t.test("systemd accepts each unit", { skip: analyze ? false : "this machine has no systemd-analyze" }, (t) => {
  const folder = join(t.testdir(), "units")
  mkdirSync(folder)
  const flags = ["--user", "root", "--program", process.execPath, "--base-url", "https://rooms.example.org/a b%20c"]
  const printed = filesIn(unit(...flags, "--replicated", "/run/research-room/litestream.sock").stdout)
  t.ok(printed.has("research-room-drill.timer"))
  for (const [name, text] of printed) {
    // Litestream need not be on this machine.
    writeFileSync(join(folder, name), `${text.replaceAll("/usr/local/bin/litestream", process.execPath)}\n`)
  }
  const files = [...printed.keys()].map((name) => join(folder, name))
  const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...files], {
    encoding: "utf8",
  })
  t.equal(status, 0, stdout + stderr)
  t.notMatch(stderr, /research-room[\w-]*\.(service|timer):/, "and has no complaint")
  t.match(execFileSync("systemd-analyze", ["calendar", "*-*-* 03:30:00"], { encoding: "utf8" }), "Next elapse")
  t.end()
})
