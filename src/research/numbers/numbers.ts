/** What the numbers of texts and records are in a Room. */
import type { Labels } from "../../ledger/lists/labelled.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { KeptTables } from "../measurements/kept-tables.ts"
import type { Values } from "../measurements/values.ts"
import { checking, type Context, type Checking } from "./check.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"
import { known } from "../../ledger/write/references.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Attempts } from "../attempts/attempts.ts"
import type { NumbersSummary, RecordNumbers } from "../../contract/answers/numbers.ts"
import { parse, type Stored } from "../../contract/json.ts"

// The numbers of records: of a finding and of a checkpoint, in all of their texts.

/** Numbers that are named of those that are not in the record. */
const UNRESOLVED = 10
const NONE: NumbersSummary = { numbers: 0, resolve: 0, mayBe: 0, moved: 0, unknown: 0, settings: 0, unread: 0 }

const added = (one: NumbersSummary, other: NumbersSummary): NumbersSummary => ({
  numbers: one.numbers + other.numbers,
  resolve: one.resolve + other.resolve,
  mayBe: one.mayBe + other.mayBe,
  moved: one.moved + other.moved,
  unknown: one.unknown + other.unknown,
  settings: one.settings + other.settings,
  unread: one.unread + other.unread,
})

interface Said {
  readonly roomId: string
  readonly since: string
  readonly said: Stored<(string | null)[]>
}

function recordNumbers(db: Db, numbers: Pick<Checking, "ofRecord">) {
  const checkpointText = db.prepare<Said & { citations: Stored<string[]> }>(
    `SELECT c.room_id AS roomId, c.at AS since, h.content -> '$.citations' AS citations,
       json_array(c.conclusion, h.content ->> '$.answer', h.content ->> '$.synthesis') AS said
     FROM checkpoints c JOIN journal h ON h.position = c.history_position WHERE c.checkpoint_id = +?`,
  )
  const findingText = db.prepare<Said>(
    `SELECT r.room_id AS roomId, r.created_at AS since,
       json_array(r.wording, h.content ->> '$.scope', h.content ->> '$.limitations') AS said
     FROM records r JOIN journal h ON h.position = r.history_position
     WHERE r.version_id = +? AND r.kind = 'finding'`,
  )

  function summed(context: Context, texts: readonly (string | null)[]): RecordNumbers {
    const checks = texts.flatMap((text) => (text === null ? [] : numbers.ofRecord(context, text)))
    const lacking = checks.flatMap(({ numbers: all }) =>
      all.filter(({ state }) => state === "unknown" || state === "may_be").map(({ text }) => text),
    )
    return {
      ...checks.reduce<NumbersSummary>((sum, { summary }) => added(sum, summary), NONE),
      unresolved: [...new Set(lacking)].slice(0, UNRESOLVED),
    }
  }

  return {
    /** Sums up the numbers of a checkpoint: in its conclusion, its answer and its synthesis. */
    ofCheckpoint(checkpointId: string): RecordNumbers {
      const { roomId, since, said, citations } = checkpointText.one(checkpointId)
      return summed({ roomId, versionIds: parse(citations), checkpointId, since }, parse(said))
    },
    /** Sums up the numbers of a finding: in its wording, its scope and its limitations. */
    ofFinding(versionId: string): RecordNumbers {
      const { roomId, since, said } = findingText.one(versionId)
      return summed({ roomId, versionIds: [versionId], since }, parse(said))
    },
  }
}

export type { Context } from "./check.ts"
export type Numbers = ReturnType<typeof numbers>

export function numbers(db: Db, values: Values, labelled: Labels, keptTables: Pick<KeptTables, "shown">) {
  const checks = checking(db, values, labelled, keptTables)
  return { ...checks, ...recordNumbers(db, checks) }
}

// The read that checks a text against a Room.

export interface ReadTables {
  readonly rooms: Rooms
  readonly attempts: Pick<Attempts, "find">
  readonly numbers: Numbers
}

function numberReads({ rooms, attempts, numbers }: ReadTables) {
  return {
    check_text({ params: { roomId }, query: { text, versionId, attemptIds = [] } }) {
      rooms.mustExist(roomId)
      for (const attemptId of attemptIds) known("attempt", attempts.find(attemptId))
      const versionIds = versionId === undefined ? [] : [versionId]
      return numbers.check({ roomId, versionIds, attemptIds }, text)
    },
  } satisfies Partial<Readers>
}

export interface Tables extends Ground {
  readonly values: Values
  readonly labelled: Labels
  readonly keptTables: KeptTables
}

export const domain = {
  tables: [({ db, values, labelled, keptTables }: Tables) => ({ numbers: numbers(db, values, labelled, keptTables) })],
  reads: [numberReads],
} satisfies Domain
