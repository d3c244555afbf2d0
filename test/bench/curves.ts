/**
 * A Room with 500 attempts of 200,000 points each: how long the comparison pages take. The service's own code stores
 * the curves, one report at a time; only the first attempts have their points stored, since these pages do not read
 * them.
 */
import { join } from "node:path"
import { openDatabase } from "../../src/ledger/storage/opening.ts"
import { curves } from "../../src/research/attempts/curves.ts"
import { copyData, dataFile, readDemo, remove, repositoriesOf } from "./data/demo.ts"
import { startServe } from "./process.ts"
import { progress } from "./progress.ts"
import { Cloner, idSql, scatteredIdOf, scatteredIdSql } from "./reads/fill/clone.ts"
import type { Bench } from "./settings.ts"

/** The size of a report, and the metrics that together have an attempt's points. */
const [TOLD, METRICS] = [1_000, ["loss", "gradient norm"]]
/** Attempts whose points are stored too. */
const WITH_POINTS = 16

interface Size {
  readonly attempts: number
  readonly points: number
}

/** Fills a copy of the demo. @returns the Room, its experiment and its attempts */
function fill(folder: string, roomId: string, { attempts, points }: Size) {
  const db = openDatabase(dataFile(folder))
  const found = db
    .prepare<{ attemptId: string; experimentId: string }>(
      `SELECT attempt_id AS attemptId, experiment_id AS experimentId
        FROM attempts
        WHERE room_id = ? AND status = 'succeeded'
        LIMIT 1`,
    )
    .one(roomId)
  const cloner = new Cloner(db, points)
  const row = ["attempt_id", found.attemptId] as const
  const content = `json_set(t.content, '$.configuration',
    json_object('rate', 0.001 * (n % 7 + 1), 'warmup', n % 4 * 100, 'seed', n))`
  const history_position = cloner.written("attempts", row, attempts, content)
  const differing = {
    attempt_id: scatteredIdSql("attempt"),
    entry_id: idSql("entry"),
    label: "'A' || (n + 1000)",
    history_position,
  }
  cloner.like("attempts", row, attempts, differing)
  const lines = curves(db)
  const last = db.prepare(
    `INSERT OR REPLACE INTO attempt_last_metrics (attempt_id, name, split, dimensions_id, ordinal, unit, step, value,
      points, from_step, to_step, stretch)
     VALUES (?, ?, '', 0, ?, 'nat', ?, ?, ?, ?, ?, ?)`,
  )
  const shown = progress("curves", attempts)
  const each = points / METRICS.length
  const valueAt = (n: number, step: number) =>
    step % 50_021 === 50_020
      ? Number.NaN
      : 2 + 0.1 * (n % 4) + 10 * Math.exp(-step / 20_000) + 0.05 * Math.sin(step * 12.9898 + n)
  for (let n = 1; n <= attempts; n += 1) {
    const attemptId = scatteredIdOf("attempt", n)
    db.exec("BEGIN")
    for (const [at, name] of METRICS.entries())
      for (let from = 0; from < each; from += TOLD) {
        const told = Array.from({ length: TOLD }, (_, index) => [from + index, valueAt(n + at, from + index)] as const)
        const kept = lines.add([attemptId, name, "", 0], told)
        const end = told.at(-1)
        last.run(
          attemptId,
          name,
          at * each + from + TOLD,
          end?.[0] ?? 0,
          String(end?.[1] ?? 0),
          kept.points,
          kept.fromStep,
          kept.toStep,
          kept.stretch,
        )
      }
    if (n <= WITH_POINTS)
      db.prepare(
        `INSERT INTO attempt_metrics (attempt_id, ordinal, name, split, dimensions_id, unit, step, value, reported_at)
         SELECT ?, n, CASE WHEN n <= ${each} THEN '${METRICS[0]}' ELSE '${METRICS[1]}' END, NULL, 0, 'nat',
            (n - 1) % ${each}, CAST(n / 7.0 AS TEXT), '2026-11-20T09:30:00.000Z' FROM temp.numbers`,
      ).run(attemptId)
    db.exec("COMMIT")
    shown.step(`attempt ${n}`)
  }
  shown.end()
  const { bytes, kept } = db
    .prepare<{ bytes: number; kept: number }>(
      "SELECT sum(length(points)) AS bytes, sum(length(points)) / 16 AS kept FROM attempt_curves",
    )
    .one()
  db.close()
  return {
    roomId,
    experimentId: found.experimentId,
    bytes,
    kept,
    ids: Array.from({ length: 16 }, (_, n) => scatteredIdOf("attempt", n + 1)),
  }
}

export async function curvesOf(bench: Bench): Promise<void> {
  const { scratch, demo, report, reads } = bench
  const size = { attempts: 500, points: 200_000 }
  const folder = join(scratch, "curves")
  copyData(demo, folder)
  const { roomId, experimentId, ids, bytes, kept } = fill(folder, readDemo(demo).rooms.main.roomId, size)
  const { port, end } = await startServe(folder, repositoriesOf(demo))
  const of = `ids=${ids.join(",")}`
  const paths: Readonly<Record<string, string>> = {
    "the Room's attempts, the newest 50": `/rooms/${roomId}/attempts`,
    "sorted by a metric": `/rooms/${roomId}/attempts?sort=metric:loss`,
    "of one experiment": `/experiments/${experimentId}`,
    "a setting against a metric, all 500": `/rooms/${roomId}/attempts?view=picture&setting=rate&metric=loss`,
    "16 compared, with curves": `/attempts/compare?${of}&baseline=${ids[0]}`,
    "one metric of 16 alone": `/attempts/curves?${of}&metric=loss`,
    "a hundredth of its steps": `/attempts/curves?${of}&metric=loss&from=50000&to=51000`,
    "the same as JSON": `/api/research/attempt-curves?attemptIds=${ids.join(",")}&metric=loss`,
    "the table as CSV": `/api/research/attempt-table?roomId=${roomId}&format=csv`,
  }
  const rounds = Math.max(9, Math.round(reads / 10))
  const rows = []
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = []
    let [first, length] = [0, 0]
    for (let round = 0; round < rounds; round += 1) {
      const start = performance.now()
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      length = (await response.arrayBuffer()).byteLength
      if (!response.ok) throw new Error(`${path} is answered ${response.status}`)
      const took = performance.now() - start
      if (round === 0) first = took
      else times.push(took)
    }
    rows.push({ name, cells: [[first], times, [Math.max(...times)], [length / 1_000]] })
    if (name.startsWith("the Room") || name.startsWith("16"))
      report.aimOf(`${name}, ms`, times, { atMost: name.startsWith("16") ? 250 : 300 })
  }
  await end()
  remove(folder)
  report.table({
    title: `A Room with ${size.attempts} attempts of ${size.points.toLocaleString("en")} points each; times in ms`,
    notes: [
      `Kept of ${(size.attempts * size.points).toLocaleString("en")} points for curves: ` +
        `${kept.toLocaleString("en")}, ${(bytes / 1e6).toFixed(0)} MB; of the first ${WITH_POINTS} attempts the ` +
        "points themselves are there too.",
    ],
    columns: [
      { name: "first", digits: 1 },
      { name: "median", digits: 1 },
      { name: "longest", digits: 1 },
      { name: "kB", digits: 0 },
    ],
    rows,
  })
}
