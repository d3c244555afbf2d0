/**
 * Logs as bad as programs print them, kept by `research_room.py run` and by `room.attempt()`: without an end, one line
 * of 100 MB, binary, control sequences and marks of direction, secrets, UTF-16. Each stays within its bounds, says what
 * was left out, and is printed as it was.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import t from "tap"
import { limits } from "../../src/contract/limits.ts"
import { endAll, start } from "../support/program.ts"
import { machine, missing, python } from "./place.ts"

/** Prints bytes as they are, whether or not they are a text. */
const SAY = `
import sys
def say(given):
    sys.stdout.write(given.decode("utf-8", "surrogateescape"))
    sys.stdout.flush()
`
const KEY = "correct-horse-battery"

interface Printed {
  /** What the program prints before its last line. */
  readonly says: string
  readonly shown: RegExp
}
const bad: Readonly<Record<string, Printed>> = {
  "one line of 100 MB": {
    says: 'say(b"x" * 100_000_000)',
    shown: /x…\n[^]*… 99934464 characters of this line were left out here …\n/,
  },
  "one line of 20 MB in small pieces, after what it overwrites": {
    says: 'say(b"y" * 100_000 + b"\\r")\nfor n in range(2_000):\n    say(b"z" * 10_000)',
    shown: /z…\n[^]*… 19934464 characters of this line were left out here …\n/,
  },
  "800,000 lines": {
    says: 'for n in range(40):\n    say(b"".join(b"%09d a line\\n" % (n * 20_000 + at) for at in range(20_000)))',
    shown: /000000000 a line\n[^]*… \d+ lines were left out here …\n[^]*000799999 a line\n/,
  },
  binary: { says: "say(bytes(range(256)) * 4096)", shown: /xyz\{\|\}~[\uFFFD?]/ },
  "control sequences and marks of direction": {
    says: 'say("\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07and \\u202eback\\u2066 \\0nul \\x9b1m".encode())',
    shown: /red and back nul 1m\n/,
  },
  secrets: {
    says: `say(b"password=${KEY} https://ada:${KEY}@example.org/ Authorization: Bearer ${KEY}")`,
    shown: /password=\[masked\] https:\/\/ada:\[masked\]@example\.org\/ Authorization: Bearer \[masked\]\n/,
  },
  "a private key of several lines": {
    says: `say(b"-----BEGIN PRIVATE KEY-----\\nProc-Type: 4\\n${KEY}/+=\\n-----END PRIVATE KEY-----\\nafter it")`,
    shown: /\[masked\]-----END PRIVATE KEY-----\n[^]*after it\n/,
  },
  "UTF-16": { says: 'say("loss 0.25".encode("utf-16"))', shown: /loss 0\.25\n/ },
}
/** What no shown log holds: controls but for tabs and ends of lines, and marks of direction. */
const UNSHOWN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

const lacks = missing()
if (lacks !== null) t.comment(`${lacks}: no log was tried`)
else {
  const here = await machine()
  here.git("remote", "set-url", "origin", here.address)
  t.teardown(async () => {
    endAll()
    await here.close()
  })
  const env = { PYTHONIOENCODING: "utf-8:surrogateescape" }
  const attemptOf = async (experimentId: string) => {
    const [first] = await here.attempts(experimentId)
    return here.attempt(first?.attemptId ?? "")
  }
  /** The size of a log, and its first lines, what it says was left out, and its last lines. */
  async function kept(experimentId: string) {
    const { attemptId, log, status } = await attemptOf(experimentId)
    const part = async (query: string) =>
      (await fetch(`${here.url}/api/research/attempts/${attemptId}/log?format=text&${query}`)).text()
    const text = [await part("lines=50"), await part("grep=left out here"), await part("tail=3")].join("")
    return { status, bytes: log?.bytes ?? 0, text }
  }
  const doors: Readonly<Record<string, (experimentId: string, says: string) => ReturnType<typeof start>>> = {
    run: (experimentId, says) =>
      here.program(
        ["run", "--experiment", experimentId, "--", python, "-c", `${SAY}\n${says}\nsay(b"\\nlast\\n")`],
        env,
      ),
    "room.attempt()": (experimentId, says) => {
      const file = join(here.folder, "prints.py")
      const body = `${says}\nsay(b"\\nlast\\n")`.replaceAll("\n", "\n    ")
      writeFileSync(
        file,
        `${SAY}\nfrom research_room import Room\nwith Room().attempt("${experimentId}"):\n    ${body}`,
      )
      const room = { RESEARCH_ROOM_URL: here.url, RESEARCH_ROOM_TOKEN: here.token, RESEARCH_ROOM_SPOOL: here.spool }
      return start(python, [file], { folder: here.work, env: { PATH: process.env.PATH ?? "", ...env, ...room } })
    },
  }

  for (const [door, printing] of Object.entries(doors))
    t.test(`${door}: what a program prints is bounded, readable and still printed`, async (t) => {
      for (const [what, { says, shown }] of Object.entries(bad)) {
        const experimentId = await here.experiment(`Is it kept: ${what}, by ${door}?`)
        const { code, out, err } = await printing(experimentId, says).ended()
        t.equal(code, 0, `${what}: ${err.slice(-500)}`)
        t.ok(out.endsWith("\nlast\n"), `${what} is printed`)
        const { status, bytes, text } = await kept(experimentId)
        t.equal(status, "succeeded", what)
        t.ok(bytes > 0 && bytes <= limits.logBytes + 100_000, `${what}: ${bytes} bytes are kept`)
        t.match(text, shown, what)
        t.match(text, /last\n$/, what)
        t.notMatch(text, UNSHOWN, what)
        t.notMatch(text, KEY, what)
      }
    })

  t.test("run: a program that prints without an end is kept until somebody ends it", async (t) => {
    const experimentId = await here.experiment("Does it end?")
    const enough = join(here.work, "out/enough")
    const lines = `say(b"one more line\\n" * 100_000)\n    if n == 20:\n        open("${enough}", "w").close()`
    const running = doors.run?.(experimentId, `for n in range(10**9):\n    ${lines}`)
    while (!existsSync(enough)) await pause(50)
    running?.signal("SIGTERM")
    await running?.ended()
    rmSync(enough)
    const { status, bytes, text } = await kept(experimentId)
    t.equal(status, "cancelled")
    t.ok(bytes > 16_000_000 && bytes <= limits.logBytes + 100_000, `${bytes} bytes are kept`)
    t.match(text, /… \d+ lines were left out here …/)
  })
}
