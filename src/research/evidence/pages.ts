/** Reads the evidence about a record and its uses, page by page, newest first. */
import type { Db } from "../../ledger/storage/database.ts"
import { labelledObject } from "../../ledger/lists/labelled.ts"
import type { Author } from "../../contract/answers/parts.ts"
import { type EvidenceItem, FALLEN, type Independence, type RecordUse } from "../../contract/answers/evidence.ts"
import { keysOf, picked } from "../../contract/typed.ts"
import type { RecordKind } from "../../contract/objects/objects.ts"
import { independence } from "./words.ts"
import type { UserKind } from "./verdict.ts"
import { JsonText, parsed, type Stored } from "../../contract/json.ts"
import { AGENT_AT, authorIn } from "../../ledger/journal/actor.ts"

/** The degrees of independence that are stored with a word. */
export interface StoredDegrees {
  readonly independent: number
  readonly otherAgent: number | null
  readonly otherCode: number | null
  readonly otherCommit: number | null
}

/** SQL for them. @param word the alias of a row of `evidence_words` */
export const DEGREES = (word: string): string => `${word}.independent, ${word}.other_agent AS otherAgent,
    ${word}.other_code AS otherCode, ${word}.other_commit AS otherCommit`

type WordRow = Omit<
  EvidenceItem,
  | "by"
  | "experiment"
  | "attempt"
  | "author"
  | "independent"
  | "independence"
  | "withdrawn"
  | "checked"
  | "comparison"
  | "part"
> &
  Author &
  StoredDegrees & {
    readonly by: Stored<EvidenceItem["by"]>
    readonly experiment: Stored<NonNullable<EvidenceItem["experiment"]>> | null
    readonly attempt: Stored<NonNullable<EvidenceItem["attempt"]>> | null
    readonly targetId: string
    readonly speakerId: string
    readonly checked: Stored<NonNullable<EvidenceItem["checked"]>> | null
    readonly comparison: string | null
    readonly part: string | null
    readonly withdrawnAt: string | null
    readonly withdrawnBecause: string | null
  }
type UseRow = Omit<RecordUse, "by"> & { readonly by: Stored<RecordUse["by"]> }

/** A label, marked if it belongs to another Room than the record `t`. */
const labelled = (id: string, member: string, label: string, room: string) =>
  labelledObject(`'${member}', ${id}, 'label', ${label}`, room, "t.room_id")
/** The object that speaks about a record or uses it. */
const object = (kind: string, id: string, label: string, wording: string, status: string, room: string) =>
  labelledObject(
    `'kind', ${kind}, 'id', ${id}, 'label', ${label}, 'wording', ${wording}, 'status', ${status}`,
    room,
    "t.room_id",
  )
const ofRecord = (record: string, standing: string) =>
  object(
    `${record}.kind`,
    `${record}.version_id`,
    `${record}.label`,
    `${record}.wording`,
    `coalesce(${standing}.status, 'current')`,
    `${record}.room_id`,
  )
const ofAttempt = object("'attempt'", "a.attempt_id", "a.label", "NULL", "a.status", "a.room_id")

/**
 * The checks of a finding `b`: how many cited outputs match the reported ones, and the denominator. It reads only the
 * attempts that the finding names, because its experiment may have a million.
 */
const CHECKED = `CASE WHEN b.kind = 'finding' THEN (SELECT json_object(
    'outputs', (SELECT count(*)
      FROM finding_evidence d
      WHERE d.version_id = b.version_id AND d.kind = 'attempt_output'),
    'outputsEqual', (SELECT count(*)
      FROM finding_evidence d
      CROSS JOIN attempt_outputs o ON o.attempt_id = d.attempt_id AND o.output_label = d.output_label
        AND o.digest = d.digest
      WHERE d.version_id = b.version_id AND d.kind = 'attempt_output'),
    'named', (SELECT count(*)
      FROM finding_attempts n
      CROSS JOIN attempts m ON m.attempt_id = n.attempt_id AND +m.experiment_id = f.experiment_id
      WHERE n.version_id = b.version_id),
    'attempts', f.attempts_before)
  FROM findings f WHERE f.version_id = b.version_id) END`

/** The position in the journal of the write that made a word. */
const SAID_AT = `CASE w.source WHEN 'finding_link'
    THEN (SELECT y.history_position FROM timeline_entries y WHERE y.entry_id = l.entry_id)
    WHEN 'research_link' THEN k.history_position ELSE coalesce(b.history_position, a.history_position) END`

/** @param from the words to select, as `w` */
const wordsFrom = (from: string) => `
  SELECT w.target_id AS targetId, w.speaker_id AS speakerId, w.sequence, w.source, w.verdict, w.at,
    ${DEGREES("w")}, p.user_id AS userId, p.username, ${AGENT_AT(SAID_AT)} AS agent,
    CASE WHEN w.source = 'research_link' THEN
        ${object("'link'", "k.link_id", "k.label", "NULL", LINK_STATUS, "k.room_id")}
      WHEN b.version_id IS NOT NULL THEN ${ofRecord("b", "s")} ELSE ${ofAttempt} END AS by,
    CASE WHEN e.experiment_id IS NOT NULL THEN ${labelled("e.experiment_id", "experimentId", "e.label", "e.room_id")}
        END AS experiment,
    CASE WHEN a.attempt_id IS NOT NULL AND b.version_id IS NOT NULL
        THEN ${labelled("a.attempt_id", "attemptId", "a.label", "a.room_id")} END AS attempt,
    coalesce(v.explanation, x.explanation, k.explanation,
      iif(b.version_id IS NULL, q.explanation, NULL)) AS explanation, v.part,
    CASE WHEN w.withdrawn = 1 THEN 'withdrawn' WHEN w.counted = 1 THEN 'counted'
      WHEN w.verdict IS NULL OR w.source = 'research_link' THEN 'uncounted'
      WHEN ${FALLEN("coalesce(s.status, 'current')")} THEN 'fallen' ELSE 'replaced' END AS standing,
    ${CHECKED} AS checked, w.comparison, coalesce(l.link_id, k.link_id) AS linkId, g.at AS withdrawnAt,
    g.explanation AS withdrawnBecause
  FROM ${from}
  JOIN records t ON t.version_id = w.target_id
  JOIN people p ON p.user_id = w.author_id
  LEFT JOIN finding_links l ON w.source = 'finding_link' AND l.link_id = w.source_id
  LEFT JOIN finding_verdicts v ON v.link_id = l.link_id AND v.position = w.position
  LEFT JOIN record_references x ON w.source = 'reference' AND x.version_id = w.source_id AND x.part = 'reference'
    AND x.position = w.position
  LEFT JOIN research_links k ON w.source = 'research_link' AND k.link_id = w.source_id
  LEFT JOIN link_withdrawals g ON g.link_id = w.source_id
  LEFT JOIN attempts a ON a.attempt_id = CASE w.source WHEN 'reproduction' THEN w.speaker_id
    WHEN 'finding_link' THEN l.attempt_id END
  LEFT JOIN reproductions q ON w.source = 'reproduction' AND q.attempt_id = w.speaker_id
  LEFT JOIN experiments e ON e.experiment_id = coalesce(l.experiment_id, a.experiment_id)
  LEFT JOIN records b ON b.version_id = CASE w.source WHEN 'reproduction' THEN w.source_id
    WHEN 'research_link' THEN NULL ELSE w.speaker_id END
  LEFT JOIN standings s ON s.version_id = b.version_id`

/** The newest words about each record in a JSON list. The second parameter is their number for each record. */
const NEWEST = `json_each(+?) i JOIN evidence_words w ON w.target_id = i.value
    AND w.sequence > (SELECT coalesce(max(m.sequence), 0) - +? FROM evidence_words m WHERE m.target_id = i.value)`

const LINK_STATUS = "iif(g.link_id IS NULL, 'asserted', 'withdrawn')"
/** The objects other than records that use records: how to join each kind, and how to show it. */
const users = {
  experiment: {
    join: "LEFT JOIN experiments e ON e.experiment_id = u.by_id",
    shown: object("'experiment'", "e.experiment_id", "e.label", "e.question", "e.status", "e.room_id"),
  },
  plan: {
    join: "LEFT JOIN plans n ON n.plan_id = u.by_id",
    shown: object("'plan'", "n.plan_id", "n.label", "NULL", "NULL", "n.room_id"),
  },
  attempt: { join: "LEFT JOIN attempts a ON a.attempt_id = u.by_id", shown: ofAttempt },
  checkpoint: {
    join: "LEFT JOIN checkpoints c ON c.checkpoint_id = u.by_id",
    shown: object("'checkpoint'", "c.checkpoint_id", "NULL", "c.conclusion", "c.state", "c.room_id"),
  },
  finding_link: {
    join: "LEFT JOIN finding_links l ON l.link_id = u.by_id",
    shown: object("'finding_link'", "l.link_id", "NULL", "f.label || ': ' || f.wording", LINK_STATUS, "l.room_id"),
  },
  link: {
    join: "LEFT JOIN research_links k ON k.link_id = u.by_id",
    shown: object("'link'", "k.link_id", "k.label", "k.explanation", LINK_STATUS, "k.room_id"),
  },
  entry: {
    join: "LEFT JOIN timeline_entries y ON y.entry_id = u.by_id",
    shown: object("'entry'", "y.entry_id", "NULL", "h.title", "NULL", "h.room_id"),
  },
} as const satisfies Readonly<Record<Exclude<UserKind, RecordKind>, { join: string; shown: string }>>

const USES = `
  SELECT u.sequence, u.how, u.at,
    CASE u.by_kind
      ${keysOf(users)
        .map((kind) => `WHEN '${kind}' THEN ${users[kind].shown}`)
        .join("\n      ")}
      ELSE ${ofRecord("b", "s")} END AS by
  FROM record_uses u
  JOIN records t ON t.version_id = u.target_id
  LEFT JOIN records b ON b.version_id = u.by_id
  LEFT JOIN standings s ON s.version_id = b.version_id
  ${keysOf(users)
    .map((kind) => `${users[kind].join} AND u.by_kind = '${kind}'`)
    .join("\n  ")}
  LEFT JOIN records f ON f.version_id = l.version_id
  LEFT JOIN link_withdrawals g ON g.link_id = u.by_id
  LEFT JOIN threads h ON h.thread_id = (SELECT id FROM places WHERE place = y.thread)
  WHERE u.target_id = +? AND u.sequence < +? ORDER BY u.sequence DESC LIMIT +?`

/** Greater than every sequence. */
const END = Number.MAX_SAFE_INTEGER

/** Returns all degrees of independence of a word. @param inputs compares the inputs */
export const degrees = (
  { independent, otherAgent, otherCode, otherCommit }: StoredDegrees,
  inputs: () => boolean | null,
): Independence => ({
  person: independent === 1,
  agent: otherAgent === null ? null : otherAgent === 1,
  code: otherCode === null ? null : otherCode === 1,
  commit: otherCommit === null ? null : otherCommit === 1,
  // Without attempts behind it, a word has neither code nor inputs.
  inputs: otherCode === null ? null : inputs(),
})

/** Returns a word for an answer. @param isOtherInput compares the inputs of two objects */
const wordItem = (isOtherInput: (one: string, other: string) => boolean | null) => (row: WordRow) => ({
  ...picked(row, "sequence", "source", "verdict", "at", "explanation", "standing", "linkId"),
  by: new JsonText(row.by),
  ...(row.part === null ? {} : { part: row.part }),
  ...(row.experiment === null ? {} : { experiment: new JsonText(row.experiment) }),
  ...(row.attempt === null ? {} : { attempt: new JsonText(row.attempt) }),
  author: authorIn(row),
  independent: row.independent === 1,
  independence: degrees(row, () => isOtherInput(row.speakerId, row.targetId)),
  ...(row.checked === null ? {} : { checked: new JsonText(row.checked) }),
  ...(row.comparison === null ? {} : { comparison: row.comparison }),
  ...(row.withdrawnAt === null ? {} : { withdrawn: { at: row.withdrawnAt, explanation: row.withdrawnBecause ?? "" } }),
})

export function evidencePages(db: Db) {
  const words = db.prepare<WordRow>(
    `${wordsFrom("evidence_words w")} WHERE w.target_id = +? AND w.sequence < +? ORDER BY w.sequence DESC LIMIT +?`,
  )
  const newest = db.prepare<WordRow>(`${wordsFrom(NEWEST)} ORDER BY w.sequence DESC`)
  const ofReproduction = db.prepare<StoredDegrees>(
    `SELECT ${DEGREES("w")} FROM evidence_words w
     WHERE w.source_id = +? AND w.target_id = +? AND w.source = 'reproduction'`,
  )
  const uses = db.prepare<UseRow>(USES)
  const { comparingInputs } = independence(db)
  const record = db.prepare("SELECT 1 FROM records WHERE version_id = +?")
  return {
    /** Whether a record exists. */
    knows: (versionId: string): boolean => record.get(versionId) !== undefined,
    /** Returns up to `count` items of evidence about a record, before a sequence. */
    bearingOn: (versionId: string, before: number | undefined, count: number) =>
      words.all(versionId, before ?? END, count).map(wordItem(comparingInputs())),
    /** Returns up to `each` of the newest items of evidence about each of several records, with one query. */
    newestOn(versionIds: readonly string[], each: number): ReadonlyMap<string, EvidenceItem[]> {
      // Inputs are not compared here: for many records that would take longer than everything else.
      const item = wordItem(() => null)
      const found = newest
        .all(JSON.stringify(versionIds), each)
        .map((row) => ({ targetId: row.targetId, item: parsed<EvidenceItem>(item(row)) }))
      const grouped = Map.groupBy(found, ({ targetId }) => targetId)
      return new Map([...grouped].map(([id, items]) => [id, items.map(({ item }) => item)]))
    },
    /** Returns a function that compares reproductions of an attempt with it. */
    differing(attemptId: string): (reproductionId: string) => Independence {
      const isOtherInput = comparingInputs()
      return (reproductionId) =>
        degrees(ofReproduction.one(reproductionId, attemptId), () => isOtherInput(reproductionId, attemptId))
    },
    /** How a reproduction differs from what it reproduces; undefined until its verdict counts. */
    differenceOf(reproductionId: string, targetId: string): Independence | undefined {
      const found = ofReproduction.get(reproductionId, targetId)
      return found && degrees(found, () => comparingInputs()(reproductionId, targetId))
    },
    /** Returns up to `count` uses of a record, before a sequence. */
    usesOf: (versionId: string, before: number | undefined, count: number) =>
      uses.all(versionId, before ?? END, count).map(({ by, ...use }) => ({ ...use, by: new JsonText(by) })),
  }
}
