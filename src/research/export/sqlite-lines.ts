/** The rows of a Room's SQLite file as JSON, view by view. */
import { extendJson, JsonText, stored, writeJson } from "../../contract/json.ts"
import { activity } from "../../ledger/journal/activity.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { evidencePages } from "../evidence/pages.ts"
import { effects } from "../measurements/effects.ts"
import { repeatedEffects } from "../measurements/repeated-effects.ts"
import { values } from "../measurements/values.ts"
import { workingOut } from "../measurements/working-out.ts"
import { recordSummary } from "../records/shown.ts"
import { attempt, each, experiment, plan } from "./json-lines.ts"
import type { ExportedRoom } from "./room.ts"
import { PAGE, paged, sequenceOf } from "./rows.ts"
import type { ViewName } from "./sqlite-views.ts"

/** @param db the snapshot that the Room is read from */
export function linesOf(db: Db, room: ExportedRoom): Readonly<Record<ViewName, Iterable<string>>> {
  const { of: effectsOf } = effects(db, workingOut(values(db)), repeatedEffects(db))
  const { bearingOn } = evidencePages(db)
  const { fullAfter } = activity(db)
  const { roomId } = room.summary

  const entries = paged(0, (after) => fullAfter(roomId, after, undefined, PAGE), sequenceOf).map(({ body, content }) =>
    extendJson(body, { body: new JsonText(stored(content)) }),
  )

  function* effectLines(): Generator<string> {
    for (const { versionId, label, kind } of room.records())
      if (kind === "finding")
        for (const [position, effect] of effectsOf(versionId).entries())
          yield writeJson({ versionId, finding: label, position, ...effect })
  }
  function* evidenceLines(): Generator<string> {
    for (const { versionId, label } of room.records()) {
      const items = paged(undefined, (before: number | undefined) => bearingOn(versionId, before, PAGE), sequenceOf)
      for (const item of items) yield writeJson({ versionId, record: label, ...item })
    }
  }
  function* recordLines(wanted: "finding" | "hypothesis"): Generator<string> {
    for (const row of room.records())
      if (row.kind === wanted) yield writeJson({ ...recordSummary(row), content: new JsonText(row.content) })
  }
  const points = room
    .metrics()
    .map(({ attemptId, label, ordinal, name, split, dimensions, unit, step, value, reportedAt }) => ({
      attemptId,
      attempt: label,
      ordinal,
      metric: name,
      split,
      unit,
      step,
      reportedAt,
      dimensions: dimensions === null ? null : new JsonText(stored(dimensions)),
      value: new JsonText(value),
    }))
  return {
    entries,
    experiments: each(room.experiments().map(experiment)).map(room.atHome),
    plans: each(room.plans().map(plan)),
    attempts: each(room.attempts().map(attempt)),
    measurements: each(points),
    effects: effectLines(),
    findings: recordLines("finding").map(room.atHome),
    evidence: evidenceLines().map(room.atHome),
    hypotheses: recordLines("hypothesis").map(room.atHome),
  }
}
