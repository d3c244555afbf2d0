/**
 * Settings that connect an agent's program, tried with programs that read them: parsers of JSON and TOML, the official
 * MCP client, a shell and Python. The page shows the same texts (test/web/connect.test.ts).
 */
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { chmodSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { startResearchRoom } from "research-room/testing"
import tap, { test } from "tap"
import { guides, variables } from "../../src/discovery/connecting.ts"
import { executable, newPlace, run } from "../support/program.ts"

const program = executable()
const place = newPlace()
const house = await startResearchRoom()
tap.teardown(async () => {
  place.remove()
  await house.close()
})
const { token, username } = house.credentials.member_all
const env = { RESEARCH_ROOM_URL: house.baseUrl, RESEARCH_ROOM_TOKEN: token }
const python = process.env.REACH_PYTHON ?? "python3"
const hasPython = (version: string) =>
  spawnSync(python, ["-c", `import sys; sys.exit(sys.version_info < (${version}))`]).status === 0

/** What `research-room connect` prints for a program. */
async function printed(name: string, given: Readonly<Record<string, string>> = env): Promise<string> {
  const { code, out } = await run(program, ["connect", name], { ...place, env: given })
  tap.equal(code, 0, `${name} is printed`)
  return out.trimEnd()
}

/** The output of a program, while the service in this process keeps running. */
async function told(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(command, args, { cwd: place.folder, env, stdio: ["ignore", "pipe", "pipe"] })
  let [out, err] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (out += piece))
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (err += piece))
  const [code] = await once(child, "close")
  return { code, out, err }
}

interface Server {
  readonly type?: string
  readonly url?: string
  readonly httpUrl?: string
  readonly headers?: { readonly Authorization: string }
  readonly command?: string
  readonly args?: string[]
  readonly env?: Record<string, string>
}

async function whoami(transport: Transport): Promise<string> {
  const client = new Client({ name: "a test's agent", version: "1" })
  await client.connect(transport)
  const { content } = await client.callTool({ name: "whoami", arguments: {} })
  await client.close()
  return JSON.stringify(content)
}
const over = (url: string | undefined, authorization: string | undefined) =>
  new StreamableHTTPClientTransport(new URL(url ?? ""), {
    requestInit: { headers: { authorization: authorization ?? "" } },
  })

/** How each program refers to an environment variable, or what it asks its user for. */
const references: Readonly<Record<string, RegExp>> = {
  "claude-code": /\$\{([A-Z_]+)\}/,
  cursor: /\$\{env:([A-Z_]+)\}/,
  gemini: /\$\{([A-Z_]+)\}/,
  opencode: /\{env:([A-Z_]+)\}/,
}

test("with the settings of programs that use JSON the official MCP client reaches the service", async (t) => {
  for (const [name, reference] of Object.entries(references)) {
    const text = await printed(name)
    t.notMatch(text, token, `${name}: the file holds no secret`)
    const { mcpServers, mcp } = JSON.parse(text) as Record<string, Record<string, Server>>
    const { url, httpUrl, headers } = (mcpServers ?? mcp)?.["research-room"] ?? {}
    const filled = headers?.Authorization.replace(reference, (_, variable: keyof typeof env) => env[variable])
    t.match(await whoami(over(url ?? httpUrl, filled)), username, name)
  }
  const { inputs, servers } = JSON.parse(await printed("vscode")) as {
    inputs: { type: string; id: string; password: boolean }[]
    servers: Record<string, Server>
  }
  t.match(inputs, [{ type: "promptString", password: true }])
  const { type, url, headers } = servers["research-room"] ?? {}
  t.equal(type, "http")
  t.match(
    await whoami(over(url, headers?.Authorization.replace(`\${input:${inputs[0]?.id}}`, token))),
    username,
    "vscode",
  )
})

test("the settings of a program that starts a command start this program", async (t) => {
  const { mcpServers } = JSON.parse(await printed("command")) as { mcpServers: Record<string, Server> }
  const { command = "", args, env: given } = mcpServers["research-room"] ?? {}
  t.equal(command, "research-room")
  const here = { ...given, PATH: [dirname(program), process.env.PATH].join(delimiter) }
  t.match(await whoami(new StdioClientTransport({ command, args: args ?? [], env: here, stderr: "pipe" })), username)
})

test("Codex' settings are TOML that names the address and the variable", {
  skip: !hasPython("3, 11") && "no Python 3.11 here",
}, async (t) => {
  const read = "import json, sys, tomllib; print(json.dumps(tomllib.loads(sys.stdin.read())))"
  const { stdout } = spawnSync(python, ["-c", read], { input: await printed("codex"), encoding: "utf8" })
  const { mcp_servers: servers } = JSON.parse(stdout) as {
    mcp_servers: Record<string, { url: string; bearer_token_env_var: keyof typeof env }>
  }
  const { url, bearer_token_env_var: variable } = servers["research-room"] ?? {}
  t.match(await whoami(over(url, `Bearer ${variable === undefined ? "" : env[variable]}`)), username)
})

test(
  "a shell runs the lines: the environment, curl, Python, the skill, " + "and the command that adds the server",
  async (t) => {
    const asked = join(place.folder, "claude")
    writeFileSync(asked, '#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word"; done\n')
    chmodSync(asked, 0o755)
    /** The output of some lines in a fresh shell. */
    const inShell = async (...names: string[]) => {
      const texts: string[] = []
      for (const name of ["environment", ...names]) texts.push(await printed(name))
      const home = { HOME: place.folder, PATH: [place.folder, process.env.PATH].join(delimiter) }
      const { code, out, err } = await told("sh", ["-eu", "-c", texts.join("\n")], home)
      t.same([code, err], [0, ""], names.join(", "))
      return out
    }
    t.match(JSON.parse(await inShell("curl")), { username })
    t.same(
      (await inShell("claude-code-add")).trimEnd().split("\n").slice(-1),
      [`Authorization: Bearer ${token}`],
      "one word, with the token",
    )
    if (!hasPython("3, 9")) return
    t.equal(await inShell("python"), `${username}\n`)
    await inShell("skill")
    const folder = join(place.folder, ".agents/skills/research-room")
    const begun = ["-c", "from research_room import Room; print(Room().get_identity().username)"]
    const client = await told(python, begun, { ...env, PATH: process.env.PATH, PYTHONPATH: folder })
    t.equal(client.out, `${username}\n`, "the client of the skill's folder speaks to this service")
  },
)

test("the skill is a folder in the open format, with the same bytes each time", async (t) => {
  const got = async () => {
    const answer = await fetch(`${house.baseUrl}/skill.zip`)
    t.equal(answer.headers.get("content-type"), "application/zip")
    return Buffer.from(await answer.arrayBuffer())
  }
  const zip = await got()
  const other = await startResearchRoom()
  t.teardown(() => other.close())
  const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")
  t.equal(digest(zip), digest(await got()))
  const { unzipSync, strFromU8 } = await import("fflate")
  const files = unzipSync(zip)
  t.same(Object.keys(files), ["research-room/SKILL.md", "research-room/research_room.py"])
  const skill = strFromU8(files["research-room/SKILL.md"] ?? new Uint8Array())
  const [, name = "", description = ""] =
    /^---\nname: ([a-z0-9-]{1,64})\ndescription: (".*")\n---\n\n# /.exec(skill) ?? []
  t.equal(name, "research-room", "named like its folder")
  const said = JSON.parse(description) as string
  t.ok(said.length <= 1024 && said.includes(house.baseUrl))
  t.ok(skill.split("\n").length < 500, "as short as the format requires")
  const ofOther = unzipSync(new Uint8Array(await (await fetch(`${other.baseUrl}/skill.zip`)).arrayBuffer()))
  const here = (files: Record<string, Uint8Array>, baseUrl: string) =>
    Object.values(files).map((file) => strFromU8(file).replaceAll(baseUrl, ""))
  t.same(here(ofOther, other.baseUrl), here(files, house.baseUrl), "only the address differs")
})

test("every text is there, with the variables that the programs read and no others", async (t) => {
  const { out } = await run(program, ["connect"], place)
  t.same(
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0]),
    guides.map(({ name }) => name),
  )
  const given = Object.fromEntries(variables.map(([name]) => [name, "http://127.0.0.1:1"]))
  for (const { name, where } of guides) {
    const {
      code,
      out: text,
      err,
    } = await run(program, ["connect", name], { ...place, env: { ...given, RESEARCH_ROOM_TOKEN: token } })
    t.same([code, err], [0, `${where}\n`], `${name}, and no variable is unknown to the program`)
    for (const [variable] of text.matchAll(/RESEARCH_ROOM_[A-Z]+/g))
      t.ok(variable in given, `${name} names ${variable}`)
  }
  t.match(await printed("environment", { RESEARCH_ROOM_URL: house.baseUrl }), "PASTE_THE_TOKEN_HERE")
  t.match(await printed("prompt"), `GET /api/research/rooms/{roomId}/brief?format=markdown`)
})

test("a wrong call gets one sentence", async (t) => {
  t.match(await run(program, ["connect", "codex"], place), {
    code: 2,
    out: "",
    err: "research-room: Name the service with --url, or RESEARCH_ROOM_URL.\n",
  })
  t.match(await run(program, ["connect", "emacs"], { ...place, env }), { code: 2, out: "", err: /claude-code, / })
})
