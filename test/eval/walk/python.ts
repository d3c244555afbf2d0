/** The working path in Python: each program that the agent runs is a call, its text and what it prints are in the context. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context } from "./context.ts"
import * as science from "./science.ts"
import type { Walker } from "./walk.ts"

const program = process.env.REACH_PYTHON ?? "python3"

/** Whether this machine has a Python that the client is for. */
export const hasPython = (): boolean =>
  spawnSync(program, ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"], { encoding: "utf8" }).status === 0

/** A value as Python writes it. */
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
/** The arguments of a call. @param expressions of Python, by the name that they stand for */
const args = (input: object, expressions: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ ...input, ...expressions })
    .map(([name, value]) => `${snake(name)}=${name in expressions ? expressions[name] : py(value)}`)
    .join(", ")

export const python: Walker = async ({ baseUrl, token, repository }) => {
  const context = new Context()
  const folder = mkdtempSync(join(tmpdir(), "research-room-walk-"))
  async function shell(sent: string, words: readonly string[]): Promise<string> {
    const child = spawn(program, words, {
      cwd: folder,
      env: { ...process.env, RESEARCH_ROOM_TOKEN: token, RESEARCH_ROOM_SPOOL: join(folder, "spool") },
    })
    let told = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (piece: string) => (told += piece))
    const [code] = (await once(child, "close")) as [number]
    context.exchanged(sent, told)
    if (code !== 0) throw new Error(told)
    return told
  }
  const run = (lines: string): Promise<string> => {
    const script = `from research_room import Room; room = Room()\n${lines}`
    context.mustKnow(["from research_room import Room"], "the client")
    context.mustKnow(
      [...lines.matchAll(/\b(?:room|Room)\.(\w+)/g)].map(([, name = ""]) => name),
      lines,
    )
    context.mustKnow(
      [...lines.matchAll(/(?<=[(,] ?)(\w+)=(?!=)/g)].map(([, name = ""]) => name),
      lines,
    )
    context.mustKnow(
      [...lines.matchAll(/"(\w+)":/g)].map(([, name = ""]) => name).filter((name) => !["ends_at", "steps", "seed"].includes(name)),
      lines,
    )
    return shell(`python3 -c '${script}'`, ["-c", script])
  }
  try {
    const index = await (await fetch(`${baseUrl}/llms.txt`)).text()
    context.exchanged("GET /llms.txt", index)
    const address = context.find(/\(([^)]*\/research_room\.py)\)/)
    writeFileSync(join(folder, "research_room.py"), await (await fetch(address)).text())
    const look = "import research_room; print(research_room.__doc__, research_room.Room.__doc__)"
    await shell(`curl -sSO ${address} && python3 -c '${look}'`, ["-c", look])
    await run(`print(room.get_identity())`)
    await run(`print(room.get_room_brief(format="markdown"))`)
    await run(`help(Room)`)
    const roomId = context.find(/"room": \{\n +"id": "([^"]+)"/)
    await run(`print(next(room.all_room_threads()))`)
    const place = { roomId, threadId: context.find(/"threadId": "([^"]+)"/) }
    await run(`print(room.propose_experiment(${args(science.proposal(place))}))`)
    context.wrote()
    const experimentId = context.find(/"experimentId": "([^"]+)"/)
    await run(`print(room.take_experiment(${args({ experimentId, expectedRevision: 1, expectedStatus: "open" })}))`)
    const guard = { expectedRevision: 2, expectedStatus: "claimed" }
    await run(`print(room.accept_plan(${args(science.plan(experimentId, guard, repository))}))`)
    const planId = context.find(/"planId": "([^"]+)"/)
    const attempt = `experiment=${py(experimentId)}, plan=${py(planId)}, argv=["python", "train.py", "--warm-up", "400"], configuration={"steps": 1000}, repository=${py(repository)}, dimensions=["seed"]`
    await run(
      `with room.attempt(${attempt}) as attempt: attempt.log(loss=2.31, step=1000, seed=1)\nprint(attempt.attempt_id, attempt.label)`,
    )
    const attemptId = context.find(/\n([0-9a-f-]{36}) A\d+/)
    await run(`print(room.publish_finding(${args(science.finding(place, experimentId, planId, attemptId))}))`)
    const versionId = context.find(/"versionId": "([^"]+)"/)
    const linked = await run(`print(room.link_experiment_finding(${args(science.link(experimentId, versionId, attemptId))}))`)
    const watermark = Number(/"entry": \{[^}]*"sequence": (\d+)/.exec(linked)?.[1])
    await run(`print(room.post_research_checkpoint(${args(science.checkpoint(place.threadId, watermark, versionId))}))`)
    return context
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
