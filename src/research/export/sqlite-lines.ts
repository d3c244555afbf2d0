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
import { attempt, each, experiment, map, plan } from "./json-lines.ts"
import type { ExportedRoom } from "./room.ts"
import type { ViewName } from "./sqlite-views.ts"

/** Entries, or items of evidence on one record, held in memory at a time. */
const PAGE = 200

/** Yields every entry of the activity with its accepted content. */
function* entryLines(db: Db, roomId: string): Generator<string> {
  const { fullAfter } = activity(db)
  for (let after = 0; ; ) {
    const page = fullAfter(roomId, after, undefined, PAGE)
    for (const { body, content } of page) yield extendJson(body, { body: new JsonText(stored(content)) })
    if (page.length < PAGE) return
    after = page.at(-1)?.sequence ?? after
  }
}

/** @param db the snapshot that the Room is read from */
export function linesOf(db: Db, room: ExportedRoom): Readonly<Record<ViewName, Generator<string>>> {
  const { of: effectsOf } = effects(db, workingOut(values(db)), repeatedEffects(db))
  const { bearingOn } = evidencePages(db)

  function* effectLines(): Generator<string> {
    for (const { versionId, label, kind } of room.records())
      if (kind === "finding")
        for (const [position, effect] of effectsOf(versionId).entries()) yield writeJson({ versionId, finding: label, position, ...effect })
  }
  function* evidenceLines(): Generator<string> {
    for (const { versionId, label } of room.records())
      for (let before: number | undefined; ; ) {
        const page = bearingOn(versionId, before, PAGE)
        for (const item of page) yield writeJson({ versionId, record: label, ...item })
        if (page.length < PAGE) break
        before = page.at(-1)?.sequence
      }
  }
  function* recordLines(wanted: "finding" | "hypothesis"): Generator<string> {
    for (const row of room.records())
      if (row.kind === wanted) yield writeJson({ ...recordSummary(row), content: new JsonText(row.content) })
  }
  const points = each(room.metrics(), ({ attemptId, label, ordinal, name, split, dimensions, unit, step, value, reportedAt }) => ({
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
    entries: entryLines(db, room.summary.roomId),
    experiments: map(each(room.experiments(), experiment), room.atHome),
    plans: each(room.plans(), plan),
    attempts: each(room.attempts(), attempt),
    measurements: points,
    effects: effectLines(),
    findings: map(recordLines("finding"), room.atHome),
    evidence: map(evidenceLines(), room.atHome),
    hypotheses: map(recordLines("hypothesis"), room.atHome),
  }
}
