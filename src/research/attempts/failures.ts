/** What failed in a Room, and why, as a brief and a read list it; and the attempts without an outcome. */
import { writerName } from "../../contract/answers/parts.ts"
import { words } from "../../contract/definitions/sentence.ts"
import { limits } from "../../contract/limits.ts"
import { pathTo } from "../../contract/reads/index.ts"
import { oneLine, shortened } from "../../contract/text.ts"
import { type BriefItem, type BriefSources, inPlace, itemsOf } from "../../ledger/domains/brief.ts"
import { AGENT_AT } from "../../ledger/journal/actor.ts"
import { keysetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { WHY_FAILED } from "./summary.ts"

/** A failure, with its sequence in the Room and the Thread of the object that failed. */
export interface Failure extends Omit<BriefItem<"failures">, "why"> {
  readonly sequence: number
  readonly threadId: string
  readonly why: string | null
}
const whyOf = ({ why }: Failure): string => why ?? "It gave no reason."

const FAILURE = `SELECT f.sequence, f.kind, f.id, f.at, coalesce(a.label, l.label) AS label, f.thread_id AS threadId,
    CASE f.kind WHEN 'attempt_failed' THEN ${WHY_FAILED} WHEN 'attempt_diverged' THEN f.detail
      WHEN 'retraction' THEN t.label || ' was retracted: ' || l.explanation END AS why,
    p.username AS by, ${AGENT_AT("coalesce(a.history_position, l.history_position)")} AS agent
  FROM room_failures f
  LEFT JOIN attempts a ON f.kind IN ('attempt_failed', 'attempt_diverged') AND a.attempt_id = f.id
  LEFT JOIN research_links l ON f.kind = 'retraction' AND l.link_id = f.id
  LEFT JOIN records t ON t.version_id = l.target_version_id
  JOIN people p ON p.user_id = coalesce(a.registrant_id, l.author_id)`

export type Failures = ReturnType<typeof failures>

export function failures(db: Db) {
  const before = db.prepare<Failure>(
    `${FAILURE} WHERE f.room_id = +? AND f.sequence < +? ORDER BY f.sequence DESC LIMIT +?`,
  )
  return {
    /** Up to `count` failures of a Room before a sequence, newest first. */
    before: (roomId: string, sequence = Number.MAX_SAFE_INTEGER, count: number): Failure[] =>
      before.all(roomId, sequence, count),
  }
}

export function failureReads({ rooms, failures }: { readonly rooms: Rooms; readonly failures: Failures }) {
  return {
    room_failures({ params: { roomId }, query }) {
      rooms.mustExist(roomId)
      const found = failures.before(roomId, query.after, pageSize(query) + 1)
      return keysetPage(
        found.map((failure) => ({ ...failure, why: whyOf(failure) })),
        query,
        ({ sequence }) => sequence,
      )
    },
  } satisfies Partial<Readers>
}

// The list of failures in a brief, and the step of an attempt without an outcome.

interface Running {
  readonly attemptId: string
  readonly label: string
  readonly status: "registered" | "started"
  readonly revision: number
  readonly registrant: string
  readonly updatedAt: string
}

export function attemptsInBrief({ db }: { readonly db: Db }) {
  const newest = inPlace<Failure>(
    db,
    "f",
    (place) => `${FAILURE} WHERE ${place} ORDER BY f.sequence DESC LIMIT ${limits.briefSight}`,
  )
  const running = inPlace<Running>(
    db,
    "a",
    (place) => `SELECT a.attempt_id AS attemptId, a.label, a.status, a.revision, p.username AS registrant,
        a.updated_at AS updatedAt
     FROM attempts a
      JOIN people p ON p.user_id = a.registrant_id
      WHERE a.status IN ('registered', 'started') AND ${place}
      ORDER BY a.history_position
      LIMIT ${limits.briefSight}`,
  )
  return {
    failures: {
      title: "What failed, and why",
      line: ({ kind, label, id, why, at, by, agent }) =>
        `${label ?? id} (${words(kind)}, ${writerName({ username: by, agent })}, ${at.slice(0, 10)}): ${oneLine(why)}`,
      link: ({ roomId }) => pathTo("room_failures", { roomId }),
      read(place) {
        const rows = newest(place)
        return {
          items: () =>
            itemsOf(rows, (row, most) => {
              const { sequence: _place, threadId: _thread, why: _why, ...failure } = row
              return { ...failure, why: shortened(whyOf(row), most) }
            }),
        }
      },
    },
    attempts: {
      read(place) {
        const steps = running(place).map(({ attemptId, label, status, revision, registrant, updatedAt }) => ({
          what: "report_outcome" as const,
          id: attemptId,
          label,
          why: `${registrant} registered it; its status has been ${status} since ${updatedAt}.`,
          body: { attemptId, expectedRevision: revision, expectedStatus: status },
        }))
        return { steps: () => steps }
      },
    },
  } satisfies Partial<BriefSources>
}
