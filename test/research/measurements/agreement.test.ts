/**
 * Every figure of the measurement table agrees with SciPy's: with results stored here, and with SciPy itself if
 * `PYTHON_WITH_SCIPY` names a Python that has it.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import t from "tap"
import { Points } from "../../../src/research/measurements/cells.ts"
import { pooled } from "../../../src/research/measurements/statistics.ts"
import { tableOf } from "../../../src/research/measurements/table.ts"
import { layouts, studies } from "./layouts.ts"
import { frameOf } from "./frame-of.ts"

const kept = resolve(import.meta.dirname, "scipy.json.gz")

interface Said {
  readonly tables: readonly (readonly Readonly<Record<string, unknown>>[])[]
  readonly pooled: readonly Readonly<Record<string, unknown>>[]
}

/** Asks SciPy for new results. */
function asked(python: string): Said {
  const input = JSON.stringify({ layouts, studies })
  const script = resolve(import.meta.dirname, "../../../build/reach/with-scipy.py")
  const { stdout, stderr, status } = spawnSync(python, [script], { input, encoding: "utf8", maxBuffer: 64e6 })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const python = process.env.PYTHON_WITH_SCIPY
const fresh = python === undefined ? undefined : asked(python)
if (fresh !== undefined && process.env.KEEP === "1") writeFileSync(kept, gzipSync(JSON.stringify(fresh), { level: 9 }))

let figures = 0

/** The paths at which two answers differ by more than one part in 1e9 of the scale of their values. */
function differences(ours: unknown, theirs: unknown, scale: number, path: string): string[] {
  if (typeof theirs === "number" && typeof ours === "number") {
    figures += 1
    return Math.abs(ours - theirs) <= 1e-9 * Math.max(Math.abs(theirs), scale)
      ? []
      : [`${path}: ${ours} is not ${theirs}`]
  }
  if (theirs === null || typeof theirs !== "object")
    return ours === theirs ? [] : [`${path}: ${String(ours)} is not ${String(theirs)}`]
  const held = (ours ?? {}) as Record<string, unknown>
  return Object.entries(theirs).flatMap(([name, value]) =>
    differences(held[name], value, name === "p" ? 1 : scale, `${path}.${name}`),
  )
}

function holds(said: Said, where: string): void {
  t.equal(said.tables.length, layouts.length, `${where} has every layout`)
  const wrong = layouts.flatMap(({ cells, question }, index) => {
    const scale = Math.max(...cells.map(({ value }) => (Number.isFinite(value) ? Math.abs(value) : 0)), 0)
    const ours = tableOf(frameOf(cells), question).groups.map(({ key, summary, contrast }) => ({
      key: question.by.map((dimension) => key[dimension]),
      summary,
      contrast,
    }))
    return differences(ours, said.tables[index], scale, `layout ${index}`)
  })
  t.same(wrong, [], `every figure of every table agrees with ${where}`)
  t.same(
    studies.flatMap((study, index) => differences(pooled(study), said.pooled[index], 1, `study ${index}`)),
    [],
    `every pooled estimate agrees with ${where}`,
  )
}

holds(JSON.parse(gunzipSync(readFileSync(kept)).toString()), "the kept results of SciPy")
if (fresh !== undefined) holds(fresh, "SciPy")
t.ok(figures > 10_000, `${figures} figures were compared`)

const told = (isReversed: boolean) =>
  layouts.map(({ cells, question }) =>
    JSON.stringify(tableOf(frameOf(isReversed ? cells.toReversed() : cells), question), (_, value) =>
      value instanceof Points ? value.first(value.values.length) : value,
    ),
  )
t.same(told(true), told(false), "the order of arrival changes no digit")
