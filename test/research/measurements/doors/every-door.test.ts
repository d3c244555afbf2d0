/**
 * Ten seeds, seven arms and three numbers of labels, reported in each way: the table, the effects of findings, the
 * comparison of a reproduction and the brief are the same to the digit, and match the values.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { folderFor } from "../../../support/service.ts"
import { launch } from "../../../web/browser.ts"
import { built } from "../../../web/built.ts"
import { openLab } from "../../../support/lab.ts"
import { box, command, hasPython, http, mcp, python, table } from "./doors.ts"
import { readingsOf } from "./readings.ts"
import { cellsOf, type Door, LABELS, questions, SEEDS, tellThreeSizes } from "./three-sizes.ts"

built()
const lab = await openLab(t)
const browser = await launch()
t.teardown(() => browser.close())
const folder = folderFor(t)
mkdirSync(join(folder, "home"))
const doors: Record<string, Door> = {
  HTTP: http,
  MCP: mcp,
  ...((await hasPython()) && { "the Python client": python(folder), "research_room.py run": command(folder) }),
  "research-room metrics": table(folder),
  "the page": box(lab, browser),
}

/** The quantile of Student's t for 95 % at nine degrees of freedom, according to R. */
const T = 2.262157162798205

/**
 * How much a shift lowers the error, computed here: the mean of paired differences, with Student's t for nine degrees
 * of freedom.
 */
function difference(labels: number, run: 0 | 1 = 0) {
  const at = (arm: string, seed: number) =>
    cellsOf(run).find((cell) => cell.arm === arm && cell.labels === labels && cell.seed === seed)?.error ?? Number.NaN
  const differences = SEEDS.map((seed) => at("shift", seed) - at("baseline", seed))
  const mean = differences.reduce((sum, each) => sum + each, 0) / SEEDS.length
  const se = Math.sqrt(
    differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (SEEDS.length - 1) / SEEDS.length,
  )
  return { estimate: mean, se, low: mean - T * se, high: mean + T * se }
}
const isNear = (a: number | null | undefined, b: number) => Math.abs((a ?? Number.NaN) - b) < 1e-9

let first: Awaited<ReturnType<typeof readingsOf>> | undefined
for (const [name, door] of Object.entries(doors))
  t.test(`the story reported by ${name}`, async (t) => {
    const story = await tellThreeSizes(lab, door)
    const { roomId, experimentId, reader, findings, attempts } = story
    const measurements = await reader.read("experiment_measurements", {
      experimentId,
      ...questions,
      by: [...questions.by],
      intents: ["exploratory"],
    })
    t.equal(measurements.groups.length, 21)
    t.ok(measurements.groups.every(({ n }) => n === 10))
    const { effects } = await reader.read("record", { versionId: String(findings[0]) })
    for (const [index, labels] of LABELS.entries()) {
      const right = difference(labels)
      const contrast = measurements.groups.find(({ key }) => key.arm === "shift" && key.labels === labels)?.contrast
      for (const member of ["estimate", "se", "low", "high"] as const) {
        t.ok(
          isNear(contrast?.[member], right[member]),
          `${member} at ${labels} in the table: ${contrast?.[member]} ${right[member]}`,
        )
        t.ok(isNear(effects[index]?.[member], right[member]), `${member} at ${labels} in the finding`)
      }
    }
    const { items } = await reader.read("record_evidence", { versionId: String(findings[0]) })
    const sentence = "The interval of −3.16, 95 % −3.46 to −2.86, holds the first estimate, −3.213 (F1)."
    t.match(items[0], { verdict: "reproduces", comparison: sentence })
    t.match(await reader.read("attempt", { attemptId: String(attempts[1]) }), {
      intent: "reproduction",
      reproduces: { attemptId: attempts[0] },
    })

    const { findings: told } = await reader.read("room_brief", { roomId })
    t.match(
      told.find(({ versionId }) => versionId === findings[0]),
      { effects: effects.map(({ sentence }) => sentence), evidence: { reproductions: 1 } },
      "the brief shows all of its effects",
    )
    const readable = await readingsOf(story, lab.house.baseUrl)
    first ??= readable
    t.match(
      readable["the table as Markdown"],
      "| shift | 50 | 10 | 12.21 | 11.93 to 12.49 | 0.40 | −3.213 | −3.421 to −3.006 | 10 | yes |",
    )
    t.match(readable["the brief"], "error of shift − baseline at labels 50: −3.213 %, 95 % −3.421 to −3.006, 10 pairs;")
    t.match(readable["the finding that repeats it"], sentence)
    t.match(readable["the hypothesis"], "supported by measured effects")
    for (const [what, text] of Object.entries(readable))
      t.equal(text, first[what as keyof typeof first], `${what} is the same as with the first way of reporting`)
  })
