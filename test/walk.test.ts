/**
 * Every block of shell and TypeScript in the README and in the walk runs as written, line by line as a person pastes
 * them.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import tap, { type Test } from "tap"
import { startOwn } from "./support/service.ts"

const root = join(import.meta.dirname, "..")
const text = (file: string) => readFileSync(join(root, file), "utf8")
const blocks = (file: string, language: string): string[] =>
  [...text(file).matchAll(/^```(\w+)\n([^]*?)^```$/gm)].flatMap(([, found, block = ""]) =>
    found === language ? [block] : [],
  )
const languages = (file: string): string[] => [
  ...new Set([...text(file).matchAll(/^```(\w+)$/gm)].map(([, language = ""]) => language)),
]

/** A folder as that of the repository, with a program in it that is this source. */
function place(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), "research-room-walk-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, "dist"))
  const program = join(folder, "dist/research-room")
  writeFileSync(
    program,
    `#!/bin/sh\nexec ${process.execPath} --conditions=research-room-source ${join(root, "src/main.ts")} "$@"\n`,
  )
  chmodSync(program, 0o755)
  return folder
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Runs a script, and ends the service that it started. */
async function pasted(t: Test, script: string, given: Readonly<Record<string, string>> = {}): Promise<string> {
  t.ok(script.length > 100, "there is something to run")
  const folder = place(t)
  const env = { ...process.env, HOME: folder, ...given }
  const ending = `trap '[ -z "\${!:-}" ] || kill $!' EXIT\n`
  const running = spawn("bash", ["-euo", "pipefail", "-c", ending + script], { cwd: folder, env })
  let [out, failed] = ["", ""]
  running.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece))
  running.stderr.setEncoding("utf8").on("data", (piece: string) => (failed += piece))
  const [code] = (await once(running, "close")) as [number]
  t.equal(code, 0, "it runs", { out, failed })
  t.notMatch(out, /"refusal":"/, "and nothing is refused")
  return out
}

const isHere = (program: string) => spawnSync(program, ["--version"]).status === 0

tap.test("the README's first block names what there is", async (t) => {
  const { scripts } = JSON.parse(text("package.json")) as { scripts: Record<string, string> }
  const start = blocks("README.md", "sh")[0]?.replace(/#.*$/gm, "") ?? ""
  const names = [...start.matchAll(/\bnpm (?:run )?(\w+)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => name !== "ci")
  t.strictSame(names, ["start", "test", "build"])
  for (const name of names) t.ok(scripts[name], `npm run ${name}`)
  t.match(scripts.build, "executable.ts", "which makes dist/research-room")
  t.ok(scripts["test:all"], "npm run test:all")
  t.ok(text("README.md").split("\n").length <= 120, "it is short")
  t.strictSame(languages("README.md"), ["sh"], "the tests below run these")
  t.strictSame(languages(".github/walk.md"), ["sh", "ts"])
})

if (!["curl", "bash", "node", "python3"].every(isHere))
  tap.comment("curl, bash, node or python3 is missing on this machine: nothing was pasted")
else {
  const [setUp = "", ...working] = blocks(".github/walk.md", "sh")

  tap.test("the walk, from set-up to the first hypothesis", async (t) => {
    const own = await startOwn()
    t.teardown(() => own.close())
    const at = setUp.replace(/^B=.*$/m, `B=${own.baseUrl}`)
    const out = await pasted(t, at, { TOKEN: own.instance.accounts.openSetUp() ?? "" })
    t.match(out, /"replayed":true/)
    t.match(out, /"kind":"room_created"/)
    t.match(out, /"label":"H1"/)
  })

  tap.test("the walk, from the demo to the Library", async (t) => {
    const helpers = setUp
      .split("\n")
      .filter((line) => /^(?:field|id|agent)\(\)/.test(line))
      .join("\n")
    const script = working.join("\n").replaceAll("8788", String(await freePort()))
    const runs = `${helpers}\n${script}\ncurl -sS "$B/api/research/attempts?experimentId=$E"`
    const out = await pasted(t, runs)
    t.match(out, /"argvComparedWith":"with"/)
    t.match(out, /"saved":\["1706\.03762"|"alreadySaved":\["1706/)
    const attempts = out.slice(out.lastIndexOf('{"schemaVersion"'))
    t.equal(attempts.match(/"status":"succeeded"/g)?.length, 3, "what was reported by hand, and both runs")
    t.match(attempts, /"value":3\.4[,}]/, "with what the command measured")
  })

  tap.test("the README, in one shell", async (t) => {
    const [, ...rest] = blocks("README.md", "sh")
    t.equal(rest.length, 3, "curl, Python, MCP")
    const out = await pasted(t, rest.join("\n").replaceAll("8788", String(await freePort())))
    t.match(out, /Let us write the prediction down\./, "it reads what it wrote")
    t.match(out, /^2 message$/m, "and what Python wrote")
    const answers = out
      .split("\n")
      .filter((line) => line.startsWith('{"result"') || line.startsWith('{"jsonrpc"'))
      .map(
        (line) =>
          JSON.parse(line) as { result: { tools?: unknown[]; content?: { text: string }[]; isError?: boolean } },
      )
    t.equal(answers[0]?.result.tools?.length, 15)
    t.match(answers[1]?.result.content?.[0]?.text, /A Room to write in/)
    t.match(answers[2]?.result, { isError: false, content: [{ text: /"operation":"create_thread"/ }] })
  })
}

tap.test("the walk's program", async (t) => {
  const [program = ""] = blocks(".github/walk.md", "ts")
  // Below the package, so that its name is found.
  const folder = mkdtempSync(join(root, "test", ".walk-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, "program.ts"), program)
  const running = spawn(process.execPath, ["--conditions=research-room-source", join(folder, "program.ts")])
  let [out, failed] = ["", ""]
  running.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece))
  running.stderr.setEncoding("utf8").on("data", (piece: string) => (failed += piece))
  const [code] = (await once(running, "close")) as [number]
  t.strictSame([code, failed], [0, ""])
  t.match(out, /^\w+\n/, "it prints the kinds of the entries", { out })
})
