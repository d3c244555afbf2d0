/** The research in Python: each program that the agent runs is a call; its text and its output are in the context. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context } from "./context.ts"
import * as science from "./science.ts"
import type { Given, Walker } from "./walk.ts"

const program = process.env.REACH_PYTHON ?? "python3"

/** Whether this machine has a Python that the client supports. */
export const hasPython = (): boolean =>
  spawnSync(program, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"], { encoding: "utf8" }).status === 0

/** A value as a Python literal. */
function py(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(py).join(", ")}]`
  if (value === null) return "None"
  if (typeof value === "boolean") return value ? "True" : "False"
  if (typeof value !== "object") return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${py(inner)}`)
    .join(", ")}}`
}
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
/** The arguments of a call. @param expressions Python expressions, by the name they replace */
const args = (input: object, expressions: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ ...input, ...expressions })
    .map(([name, value]) => `${snake(name)}=${name in expressions ? expressions[name] : py(value)}`)
    .join(", ")

/** Names that the agent itself defined in a program. */
const OWN_NAMES = new Set(["ends_at", "steps", "seed", "loss", "by"])

/** An agent that writes programs, with what it has read. */
export function openPython({ baseUrl, token, wire }: Given) {
  const context = new Context(wire)
  const folder = mkdtempSync(join(tmpdir(), "research-room-walk-"))
  const env = { ...process.env, RESEARCH_ROOM_TOKEN: token, RESEARCH_ROOM_SPOOL: join(folder, "spool") }
  /** Runs Python. @throws Error with what it printed, if it failed */
  async function started(shown: string, words: readonly string[]): Promise<void> {
    const child = spawn(program, words, { cwd: folder, env })
    let told = ""
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => (told += piece))
    const [code] = (await once(child, "close")) as [number]
    context.exchanged(shown, told)
    if (code !== 0) throw new Error(told)
  }
  /** Asks the client for the parameters of methods. */
  async function ask(...methods: string[]): Promise<void> {
    context.mustKnow(["python3 research_room.py NAME", ...methods], "a method")
    await started(`python3 research_room.py ${methods.join(" ")}`, ["research_room.py", ...methods])
  }
  /** Runs a program of the agent. The agent must have read each name in it that is not its own. */
  async function run(lines: string): Promise<void> {
    const script = `from research_room import Room\nroom = Room()\n${lines}`
    const named = (pattern: RegExp) =>
      [...lines.matchAll(pattern)].map(([, name = ""]) => name).filter((name) => !OWN_NAMES.has(name))
    context.mustKnow(["from research_room import Room", ...named(/\b(?:room|batch|attempt)\.(\w+)/g)], lines)
    context.mustKnow([...named(/(?<=[(,] ?)(\w+)=(?!=)/g), ...named(/"(\w+)":/g)], lines)
    await started(`python3 -c '${script}'`, ["-c", script])
  }
  /** Keeps the client's file and reads how to begin. */
  async function arrive(): Promise<void> {
    const index = await (await fetch(`${baseUrl}/llms.txt`)).text()
    context.exchanged("GET /llms.txt", index)
    const address = context.find(/\(([^)]*\/research_room\.py)\)/)
    const file = await context.unread(async () => (await fetch(address)).text())
    writeFileSync(join(folder, "research_room.py"), file)
    const look = "import research_room; print(research_room.__doc__)"
    await started(`curl -sSO ${address} && python3 -c '${look}'`, ["-c", look])
  }
  return { context, arrive, ask, run, close: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A call of a method. @param expressions Python expressions, by the name they replace */
export const called = (method: string, input: object, expressions: Readonly<Record<string, string>> = {}) =>
  `${method}(${args(input, expressions)})`

export const python: Walker = async (given) => {
  const { repository } = given
  const { context, arrive, ask, run, close } = openPython(given)
  const guardOf = (name: string) => ({
    expectedRevision: `${name}.result.revision`,
    expectedStatus: `${name}.result.status`,
  })
  try {
    await arrive()
    await run(`print(room.get_room_brief(format="markdown", budget=4000))`)
    const place = {
      roomId: context.find(/Room ([0-9a-f-]{36})/),
      threadId: context.find(/opening Thread ([0-9a-f-]{36})/),
    }
    await ask("propose_experiment")
    await run(`print(${called("room.propose_experiment", science.proposal(place))})`)
    context.wrote()
    const experimentId = context.find(/"target": \{"id": "([^"]+)"/)
    const open = {
      expectedRevision: Number(context.find(/"result": \{[^}]*"revision": (\d+)/)),
      expectedStatus: context.find(/"result": \{[^}]*"status": "(\w+)"/),
    }

    await ask("take_experiment", "accept_plan", "attempt")
    await run(`with room.batch() as batch:
    taken = ${called("batch.take_experiment", { experimentId, ...open })}
    ${called("batch.accept_plan", science.plan(experimentId, {}, repository), guardOf("taken"))}
print(batch)`)
    const planId = context.find(/"planId": "([^"]+)"/)
    const held = {
      expectedRevision: Number(context.find(/"result": \{[^}]*"revision": (\d+)/)),
      expectedStatus: context.find(/"result": \{[^}]*"status": "(\w+)"/),
    }
    const { argv, configuration } = science.registration("", experimentId, planId, {}, repository)
    const launched = args({
      experiment: experimentId,
      plan: planId,
      argv,
      configuration,
      repository,
      dimensions: ["seed"],
    })
    await run(`with room.attempt(${launched}) as attempt:
    attempt.log(loss=2.31, step=1000, seed=1)
print(attempt)`)
    const attemptId = context.find(/attempt_id ([0-9a-f-]{36})/)

    await ask("publish_finding", "link_experiment_finding", "report_experiment_status", "post_research_checkpoint")
    const finding = { findingVersionId: "finding.targetId" }
    const covered = {
      expectedWatermark: "by.entry.sequence",
      coversThrough: "by.entry.sequence",
      citations: "[finding.targetId]",
    }
    await run(`with room.batch() as batch:
    finding = ${called("batch.publish_finding", science.finding(place, experimentId, planId, attemptId))}
    ${called("batch.link_experiment_finding", science.link(experimentId, "", attemptId), finding)}
    by = ${called("batch.report_experiment_status", science.completion(experimentId, held))}
    ${called("batch.post_research_checkpoint", science.checkpoint(place.threadId, 0, ""), covered)}
print(batch)`)
    return context
  } finally {
    close()
  }
}
