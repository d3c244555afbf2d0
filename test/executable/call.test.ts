/** Calling the program: what it says about itself, its flags and their environment variables, and wrong calls. */
import { pattern } from "../support/pattern.ts"
import { readdirSync } from "node:fs"
import tap, { test } from "tap"
import manifest from "../../package.json" with { type: "json" }
import { ask } from "../support/ask.ts"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const call = (...args: string[]) => run(program, args, place)

test("both ways of asking give the package's version, and leave nothing behind", async (t) => {
  for (const args of [["version"], ["--version"]])
    t.strictSame(await call(...args), { code: 0, signal: null, out: `${manifest.version}\n`, err: "" })
  t.strictSame(readdirSync(place.folder), ["home"])
  t.strictSame(readdirSync(`${place.folder}/home`), [])
  t.match(await call("version", "extra"), { code: 2, out: "", err: /extra/ }, "but nothing else is taken with it")
})

/** The commands, as the help of their parent lists them. */
async function commandsIn(...above: string[]): Promise<string[]> {
  const { out } = await call(...above, "--help")
  const list = out.split("Commands:\n")[1] ?? ""
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name as string).filter((name) => name !== "help")
}

test("every command has help, and every flag an environment variable named after it", async (t) => {
  const commands = await commandsIn()
  for (const expected of ["serve", "demo", "user", "room", "credential", "check", "version"])
    t.ok(commands.includes(expected), expected)
  const paths = (
    await Promise.all(commands.map(async (name) => [[name], ...(await commandsIn(name)).map((inner) => [name, inner])]))
  ).flat()
  for (const path of paths) {
    const { code, out, err } = await call(...path, "--help")
    t.strictSame([code, err], [0, ""], path.join(" "))
    t.match(out, new RegExp(`^Usage: research-room ${path.join(" ")}`))
    // A description may take several lines; the next flag, or the end, closes it.
    for (const [, flag, text] of out.matchAll(/^ {2}--([a-z-]+)((?:.|\n(?! {2}-))*)/gm)) {
      if (flag === "help" || flag === "version") continue
      t.match(
        text?.replace(/\s+/g, " "),
        new RegExp(`env: RESEARCH_ROOM_${flag?.replaceAll("-", "_").toUpperCase()}`),
        `${path.join(" ")} --${flag}`,
      )
    }
  }
})

const wrong: readonly [args: string[], sentence: RegExp, env?: Record<string, string>][] = [
  [["fly"], /unknown command 'fly'/],
  [["serv"], /unknown command 'serv'.*serve/],
  [["user"], /Usage: research-room user/],
  [["user", "fly"], /unknown command 'fly'/],
  [["serve", "--fly"], /unknown option '--fly'/],
  [["serve", "--prt", "1"], /unknown option '--prt'.*--port/],
  [["serve", "here"], /too many arguments/],
  [["serve", "--port"], /'--port <number>' argument missing/],
  [
    ["serve", "--port", "http"],
    /'--port <number>' argument 'http' is invalid\. It must be a whole number from 0 to 65535\./,
  ],
  [["serve", "--port", "65536"], /from 0 to 65535/],
  [["serve", "--port", "-1"], /--port/],
  [["serve", "--port", "80.5"], /from 0 to 65535/],
  [["serve", "--base-url", "rooms.example.org"], /It must be an address such as/],
  [["serve", "--base-url", "ftp://rooms.example.org"], /It must begin with http/],
  [["serve", "--base-url", "https://rooms.example.org/?a=1"], /without query, fragment and user/],
  [["serve", "--base-url", "https://ada@rooms.example.org"], /without query, fragment and user/],
  [["serve", "--github-api", "github"], /It must be an address such as/],
  [["serve", "--repositories", "/nope/nothing"], /'\/nope\/nothing' is invalid\. There is no such folder\./],
  [
    ["serve", "--host", "0.0.0.0"],
    /Other machines can reach the service on 0\.0\.0\.0: give the address they use with --base-url\./,
  ],
  [["demo", "--host", "::"], /with --base-url/],
  [
    ["serve"],
    /RESEARCH_ROOM_BASE_ULR is not a variable of this program/,
    { RESEARCH_ROOM_BASE_ULR: "https://rooms.example.org" },
  ],
  [["serve"], /RESEARCH_ROOM_REPOSITORIES.*There is no such folder/, { RESEARCH_ROOM_REPOSITORIES: "/nope/nothing" }],
  [
    ["user", "list"],
    /RESEARCH_ROOM_DATEN, RESEARCH_ROOM_X are not variables/,
    { RESEARCH_ROOM_DATEN: "data", RESEARCH_ROOM_X: "" },
  ],
  [["demo", "--port", "x"], /from 0 to 65535/],
  [
    ["serve"],
    /'http' from env 'RESEARCH_ROOM_PORT' is invalid\. It must be a whole number/,
    { RESEARCH_ROOM_PORT: "http" },
  ],
  [["serve"], /from env 'RESEARCH_ROOM_BASE_URL' is invalid/, { RESEARCH_ROOM_BASE_URL: "nowhere" }],
]

test("a wrong flag or value is one clear line on standard error, and exit 2; nothing is created", async (t) => {
  for (const [args, sentence, env] of wrong) {
    const { code, out, err } = await run(program, args, { ...place, ...(env && { env }) })
    const what = `${args.join(" ")} ${JSON.stringify(env ?? {})}`
    t.strictSame([code, out], [2, ""], what)
    t.match(err, sentence, what)
    if (args.length > 1 || args[0] !== "user") t.equal(err.trim().split("\n").length, 1, `${what}: one line`)
    t.notMatch(err, /\n +at /, `${what}: no stack trace`)
  }
  t.strictSame(readdirSync(place.folder), ["home"])
})

test("flags are also read from the environment, and a flag on the command line wins", async (t) => {
  const env = {
    RESEARCH_ROOM_DATA: "from-env",
    RESEARCH_ROOM_BASE_URL: "https://rooms.example.org/lab/",
    RESEARCH_ROOM_HOST: "127.0.0.1",
  }
  const service = await serve(program, [], { ...place, env })
  t.match(
    service.out,
    pattern(
      /^research-room serves from-env at https:\/\/rooms\.example\.org\/lab\nIt listens on 127\.0\.0\.1, /,
      /port (\d+)\nAn agent starts at https:\/\/rooms\.example\.org\/lab\/llms\.txt\n/,
    ),
  )
  await service.printed(/\n {2}https:\/\/rooms\.example\.org\/lab\/setup\?token=rru_\w{36}\n/)
  service.signal("SIGTERM")
  t.equal((await service.ended()).code, 0)

  const given = await serve(program, ["--data", "from-flag", "--base-url", "http://localhost"], { ...place, env })
  t.match(given.out, /^research-room serves from-flag at http:\/\/localhost\n/)
  given.signal("SIGTERM")
  await given.ended()
  t.strictSame(readdirSync(place.folder).sort(), ["from-env", "from-flag", "home"])
})

test("by default it listens on loopback alone and keeps its data in ./data", async (t) => {
  const service = await serve(program, [], place)
  t.match(service.baseUrl, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.ok(readdirSync(`${place.folder}/data`).includes("research-room.db"))
  t.match((await ask(`${service.baseUrl}/api/health/ready`)).body, {
    status: "ready",
    softwareVersion: manifest.version,
  })
  service.signal("SIGTERM")
  await service.ended()
})

test("SIGUSR1 opens no debugger, and changes nothing", { skip: process.platform === "win32" }, async (t) => {
  const service = await serve(program, ["--data", "data"], place)
  for (let n = 0; n < 3; n += 1) {
    service.signal("SIGUSR1")
    t.equal((await ask(`${service.baseUrl}/api/health/live`)).status, 200)
  }
  service.signal("SIGTERM")
  const { code, err } = await service.ended()
  t.equal(code, 0)
  t.notMatch(err, /[Dd]ebugger/)
})
