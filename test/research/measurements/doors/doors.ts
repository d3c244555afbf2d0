/** The ways to report values, each used as its users would. Steps besides the report are left to each way. */
import { execFile } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Browser, Page } from "playwright-core"
import type { Lab } from "../../../support/lab.ts"
import { overHttp } from "../../../mcp/agent.ts"
import { executable, run } from "../../../support/program.ts"
import { signInAs } from "../../../web/pages.ts"
import { type Asked, type Cell, type Door, registration } from "./three-sizes.ts"

const metricsOf = (cells: readonly Cell[]) =>
  cells.map(({ error, ...dimensions }) => ({ name: "error", value: error, unit: "%", dimensions }))
const reportedAt = () => new Date().toISOString()
/** The expected values for an experiment that ada took. */
const held = ({ by }: Asked) => (by === "ada" ? { expectedRevision: 2, expectedStatus: "claimed" as const } : {})
const started = (attemptId: string) =>
  ({
    attemptId,
    expectedRevision: 1,
    expectedStatus: "registered",
    event: "started",
    reportedAt: reportedAt(),
  }) as const
const ended = (attemptId: string, revision = 2) =>
  ({
    attemptId,
    expectedRevision: revision,
    expectedStatus: "started",
    event: "succeeded",
    reportedAt: reportedAt(),
  }) as const

/** Plain requests, as curl sends them, without this project's code. */
export const http: Door = async (asked) => {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${asked.baseUrl}/api/agent/research${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${asked.token}`, "content-type": "application/json" },
      body: JSON.stringify({ schemaVersion: 3, requestId: crypto.randomUUID(), ...body }),
    })
    if (!response.ok) throw new Error(await response.text())
  }
  const registered = registration(asked)
  const { attemptId } = registered
  await post("/register_attempt", { ...registered, ...held(asked) })
  await post("/report_attempt_event", started(attemptId))
  await post("/report_attempt_event", { ...ended(attemptId), metrics: metricsOf(asked.cells) })
  return attemptId
}

/** One batch of writes over MCP, as an agent sends its measurements. */
export const mcp: Door = async (asked) => {
  const agent = await overHttp(asked.baseUrl, asked.token)
  const registered = registration(asked)
  const { attemptId } = registered
  const { isError, text } = await agent.call("write", {
    writes: [
      { operation: "register_attempt", input: { ...registered, ...held(asked) } },
      { operation: "report_attempt_event", input: started(attemptId) },
      { operation: "report_attempt_event", input: { ...ended(attemptId), metrics: metricsOf(asked.cells) } },
    ],
  })
  await agent.close()
  if (isError) throw new Error(text)
  return attemptId
}

const PROGRAM = `import json, os
from research_room import Room

asked = json.loads(os.environ["ASKED"])
room = Room(asked["baseUrl"], asked["token"])
with room.attempt(
    asked["experimentId"],
    argv=["python", "train.py"],
    repository=asked["repository"],
    reproduces={"attemptId": asked["reproduces"]} if "reproduces" in asked else None,
    dimensions=["arm", "labels", "seed"],
) as attempt:
    for cell in asked["cells"]:
        attempt.log(**cell, unit={"error": "%"})
assert attempt.trouble == [], attempt.trouble
print(attempt.attempt_id)
`
const execute = promisify(execFile)

/** The Python client as the service serves it, run on this machine's Python. */
export const python =
  (folder: string): Door =>
  async ({ client: _, ...asked }) => {
    writeFileSync(join(folder, "research_room.py"), await (await fetch(`${asked.baseUrl}/research_room.py`)).text())
    writeFileSync(join(folder, "train.py"), PROGRAM)
    const env = { ...process.env, ASKED: JSON.stringify(asked), RESEARCH_ROOM_SPOOL: join(folder, "spool") }
    return (await execute(process.env.REACH_PYTHON ?? "python3", ["train.py"], { cwd: folder, env })).stdout.trim()
  }
/** Whether this machine has a Python that can run the client. */
export const hasPython = (): Promise<boolean> =>
  execute(process.env.REACH_PYTHON ?? "python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).then(
    () => true,
    () => false,
  )

async function program(folder: string, asked: Asked, ...words: string[]): Promise<void> {
  const env = {
    RESEARCH_ROOM_URL: asked.baseUrl,
    RESEARCH_ROOM_TOKEN: asked.token,
    RESEARCH_ROOM_SPOOL: join(folder, "spool"),
    PATH: process.env.PATH ?? "",
  }
  const { code, err } = await run(executable(), words, { folder, env })
  if (code !== 0) throw new Error(err)
}

/** A command that appends its measurements to a file, run by the Python client. */
export const command =
  (folder: string): Door =>
  async (asked) => {
    const { experimentId, repository, reproduces, cells, client } = asked
    const lines = cells.map(({ error, arm, ...dimensions }) =>
      JSON.stringify({ name: "error", value: error, unit: "%", arm, dimensions }),
    )
    writeFileSync(join(folder, "measured.jsonl"), `${lines.join("\n")}\n`)
    const at = ["--experiment", experimentId, "--repository", repository.url, "--commit", repository.commit]
    const again = reproduces === undefined ? [] : ["--reproduces", reproduces]
    writeFileSync(join(folder, "research_room.py"), await (await fetch(`${asked.baseUrl}/research_room.py`)).text())
    const words = ["run", ...at, ...again, "--", "sh", "-c", 'cat measured.jsonl >> "$RESEARCH_ROOM_METRICS"']
    const env = { ...process.env, RESEARCH_ROOM_TOKEN: asked.token, RESEARCH_ROOM_SPOOL: join(folder, "spool") }
    await execute(process.env.REACH_PYTHON ?? "python3", ["research_room.py", ...words], { cwd: folder, env })
    const { items } = await client.read("attempts", { experimentId, order: "label" })
    return String(items.at(-1)?.attemptId)
  }

const csv = (cells: readonly Cell[]): string =>
  [
    "metric,unit,value,arm,labels,seed",
    ...cells.map(({ arm, labels, seed, error }) => `error,%,${error},${arm},${labels},${seed}`),
  ].join("\n")

/** Reports an attempt over HTTP, with `values` called between its start and its end. */
const around =
  (values: (attemptId: string, asked: Asked) => Promise<void>): Door =>
  async (asked) => {
    const registered = registration(asked)
    const { attemptId } = registered
    await asked.client.write("register_attempt", { ...registered, ...held(asked) })
    await asked.client.write("report_attempt_event", started(attemptId))
    await values(attemptId, asked)
    await asked.client.write("report_attempt_event", ended(attemptId, 3))
    return attemptId
  }

/** A table in a file, reported by the executable. */
export const table = (folder: string): Door =>
  around(async (attemptId, asked) => {
    writeFileSync(join(folder, "measured.csv"), csv(asked.cells))
    await program(folder, asked, "metrics", attemptId, "measured.csv", "--yes")
  })

/** A person pastes a table into the form on the attempt's page; for the second attempt they choose the file. */
export const box = (lab: Lab, browser: Browser): Door =>
  around(async (attemptId, { cells, by, baseUrl, reproduces }) => {
    const context = await browser.newContext()
    const page: Page = await context.newPage()
    await signInAs(page, baseUrl, lab.house.people[by === "ada" ? "owner" : "member"], `/attempts/${attemptId}`)
    await page.getByText("Add values from a table").click()
    if (reproduces === undefined) await page.getByLabel("Table", { exact: true }).fill(csv(cells))
    else
      await page
        .getByLabel("From a file")
        .setInputFiles({ name: "measured.csv", mimeType: "text/csv", buffer: Buffer.from(csv(cells)) })
    await page.getByRole("button", { name: "Read the table" }).click()
    await page.getByRole("button", { name: "Report the values" }).click()
    await page.waitForURL(/done=report_attempt_event/)
    await context.close()
  })
