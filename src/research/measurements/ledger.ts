/** The ledger of a Room's runs: who ran what with which settings, and what came of it, one row an attempt. */
import type { RunRow } from "../../contract/nouns/attempt-answers.ts"
import { parse, stored, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { shortened } from "../../contract/text.ts"
import type { Author } from "../../contract/answers/parts.ts"
import { AUTHOR, authored } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { labelledObject } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { attemptList } from "../attempts/attempts.ts"
import { ORDINAL } from "../attempts/summary.ts"
import type { BlockScalars } from "../attempts/reported.ts"
import { type Scalar, textOf } from "./cells.ts"
import { folded, isSeed, launchOf } from "./stated.ts"

type Launched = readonly [argv: unknown, configuration: unknown, commit: string]

interface Row
  extends Author,
    Pick<RunRow, "attemptId" | "label" | "experimentId" | "experimentLabel" | "intent" | "status" | "failedAt"> {
  readonly launched: Stored<Launched>
  readonly dimensions: Stored<readonly BlockScalars[]>
  readonly findings: Stored<RunRow["findings"]>
  readonly findingCount: number
  readonly reproduces: Stored<RunRow["reproduces"]> | null
}

/** Settings, dimensions and findings of an attempt that are told, and verdicts of a finding. */
const MEMBERS = 24
/** Blocks of values that are looked through for the dimensions of an attempt. */
const BLOCKS = 64

/** The verdicts that a finding's links give, as "supports H1 at 400 labels". */
const VERDICTS = `(SELECT json_group_array(said)
  FROM (SELECT v.verdict || ' ' || h.label || coalesce(' ' || v.part, '') AS said
    FROM finding_links l
      JOIN finding_verdicts v ON v.link_id = l.link_id
      JOIN records h ON h.version_id = v.version_id
    WHERE l.version_id = f.version_id
      AND NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = l.link_id)
    LIMIT ${MEMBERS}))`

/** What an attempt was to reproduce, and with which verdict: the one that was worked out, or else its author's. */
const REPRODUCES = (kind: string, id: string, row: string) =>
  labelledObject(
    `'kind', '${kind}', 'id', ${id}, 'label', ${row}.label, 'implementation', q.implementation,
    'verdict', coalesce((SELECT w.verdict
      FROM evidence_words w
      WHERE w.speaker_id = a.attempt_id AND w.target_id = ${id} AND w.source = 'reproduction'
      LIMIT 1), q.verdict)`,
    `${row}.room_id`,
    "a.room_id",
  )
const FINDING = labelledObject(
  `'versionId', f.version_id, 'label', y.label, 'role', f.role, 'outcome', n.outcome, 'verdicts', json(${VERDICTS})`,
  "y.room_id",
  "a.room_id",
)

const COLUMNS = `a.attempt_id AS attemptId, a.label, a.experiment_id AS experimentId, e.label AS experimentLabel,
  a.intent, a.status, ${AUTHOR("a")},
  json_extract(${contentOf("a")}, '$.argv', '$.configuration', '$.repository.commit') AS launched,
  CASE WHEN a.status IN ('failed', 'preflight_failed') THEN
    (SELECT v.body ->> '$.failure.stage'
      FROM attempt_events v
      WHERE v.attempt_id = a.attempt_id AND v.revision = a.revision) END AS failedAt,
  (SELECT json_group_array(json(dimensions))
    FROM (SELECT v.dimensions FROM attempt_values v WHERE v.attempt_id = a.attempt_id LIMIT ${BLOCKS})) AS dimensions,
  (SELECT json_group_array(json(finding))
    FROM (SELECT ${FINDING} AS finding
      FROM finding_attempts f
        JOIN records y ON y.version_id = f.version_id
        JOIN findings n ON n.version_id = f.version_id
      WHERE f.attempt_id = a.attempt_id
      LIMIT ${MEMBERS})) AS findings,
  (SELECT count(*) FROM finding_attempts f WHERE f.attempt_id = a.attempt_id) AS findingCount,
  CASE WHEN o.attempt_id IS NOT NULL THEN ${REPRODUCES("attempt", "o.attempt_id", "o")}
    WHEN z.version_id IS NOT NULL THEN ${REPRODUCES("finding", "z.version_id", "z")} END AS reproduces`
const RELATED = `JOIN people p ON p.user_id = a.registrant_id
  JOIN experiments e ON e.experiment_id = a.experiment_id
  LEFT JOIN reproductions q ON q.attempt_id = a.attempt_id
  LEFT JOIN attempts o ON o.attempt_id = a.reproduces_attempt_id
  LEFT JOIN records z ON z.version_id = a.reproduces_version_id`
const runs = {
  any: `SELECT ${COLUMNS} FROM attempts a ${RELATED}`,
  // SQLite keeps the order of a CROSS JOIN, so the few attempts of the finding are read first.
  ofFinding: `SELECT ${COLUMNS}
    FROM finding_attempts t
      CROSS JOIN attempts a ON a.attempt_id = t.attempt_id ${RELATED}`,
}

/** Whole numbers as ranges: "0-9, 12". Other values follow. */
export function rangesOf(values: readonly Scalar[]): string {
  const whole = [...new Set(values.filter((value) => typeof value === "number" && Number.isInteger(value)))].map(Number)
  const ranges: [number, number][] = []
  for (const value of whole.sort((one, other) => one - other)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === value - 1) last[1] = value
    else ranges.push([value, value])
  }
  const others = values.filter((value) => !Number.isInteger(value)).map(textOf)
  return [...ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)), ...new Set(others)].join(", ")
}

/** The dimensions of the values that an attempt reported, with their distinct values. */
function dimensionsOf(blocks: readonly BlockScalars[]): Map<string, Scalar[]> {
  const found = new Map<string, Scalar[]>()
  for (const block of blocks)
    for (const [name, values] of Object.entries(block))
      found.set(name, [...new Set([...(found.get(name) ?? []), ...values])])
  return found
}

/** The first of some members, each in as many characters as a cell of a table has. */
const some = (members: readonly (readonly [name: string, text: string])[]): Record<string, string> =>
  Object.fromEntries(members.slice(0, MEMBERS).map(([name, text]) => [name, cut(text)]))
const cut = (text: string): string => shortened(text, limits.tableCell)

function shown(row: Row): RunRow {
  const { author, launched, dimensions: blocks, findings, findingCount, reproduces, ...run } = authored(row)
  const [argv, configuration, commit] = parse(launched)
  const { settings, command } = launchOf(stored(JSON.stringify([argv, configuration])))
  const dimensions = dimensionsOf(parse(blocks))
  const isRepeat = (name: string): boolean => isSeed(folded(name))
  const stated = [...settings.values()].filter(({ name }) => !dimensions.has(name))
  const seeds = [...dimensions].find(([name]) => isRepeat(name))?.[1] ?? []
  const statedSeed = stated.find(({ name }) => isRepeat(name))
  const seed = seeds.length > 0 ? rangesOf(seeds) : statedSeed === undefined ? null : textOf(statedSeed.value)
  const own = stated.filter(({ name }) => !isRepeat(name))
  return {
    ...run,
    registrant: author,
    commit: commit.slice(0, 12),
    command: cut(command),
    settings: some(own.map(({ name, value }) => [name, textOf(value)])),
    ...(own.length > MEMBERS && { moreSettings: own.length - MEMBERS }),
    measured: some([...dimensions].filter(([name]) => !isRepeat(name)).map(([name, found]) => [name, rangesOf(found)])),
    seeds: seed === null ? null : cut(seed),
    findings: parse(findings),
    ...(findingCount > MEMBERS && { moreFindings: findingCount - MEMBERS }),
    reproduces: reproduces === null ? null : parse(reproduces),
  }
}

export type Ledger = ReturnType<typeof ledger>
/** Lists the runs of a Room in the order of their labels. */
export function ledger(db: Db) {
  const list = attemptList<Row, number>(db, runs, ORDINAL, ORDINAL)
  return (...asked: Parameters<typeof list>): RunRow[] => list(...asked).map(shown)
}
