/**
 * What writes name by its digest: pictures and logs. Their bytes, and which writes use them. What no write uses is not
 * served, and is deleted later.
 */
import * as v from "valibot"
import type { Cut } from "../../contract/answers/fields.ts"
import {
  citedLines,
  type Figure,
  type FigureType,
  figure,
  type LogKind,
  logKinds,
} from "../../contract/definitions/attachments.ts"
import { holdsMark } from "../../contract/nouns/withholding.ts"
import { limits } from "../../contract/limits.ts"
import { isObject, trusted } from "../../contract/json.ts"
import { DIGEST } from "../../contract/schema/fields.ts"
import type { Issue } from "../../contract/refusals.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"
import { placeOf } from "./columns.ts"

/**
 * A piece of a log: lines before it, where its compressed bytes are in a part or else in the log's last bytes, and
 * whether it goes on with the line before.
 */
export interface Piece {
  readonly line: number
  readonly part?: number | undefined
  readonly at: number
  readonly size: number
  readonly continues: boolean
}
/** A log as stored: the bytes and lines that were sent, and its pieces. */
export interface LogIndex {
  readonly bytes: number
  readonly lines: number
  readonly cut: Cut | null
  /** How the pieces are compressed; left out for deflate. */
  readonly packing?: "zstd" | undefined
  readonly pieces: readonly Piece[]
}
export interface StoredLog {
  readonly digest: string
  readonly log: LogIndex
  /** The pieces, each compressed alone: in parts that are stored before the log is, and the last bytes. */
  readonly parts: readonly Buffer[]
  readonly bytes: Buffer
}
/** A picture as stored. */
export interface StoredFigure {
  readonly digest: string
  readonly mediaType: FigureType
  /** In pixels. */
  readonly width: number
  readonly height: number
  readonly bytes: Buffer
}

// What a body names.

const figures = v.array(figure)

/** The figures of a body, which may hold marks of withheld text. */
const figuresOf = (body: unknown): readonly Figure[] =>
  isObject(body) && "figures" in body && v.is(figures, body.figures) ? body.figures : []

/** The logs that a body names, which may hold marks of withheld parts. */
function logsOf(body: unknown): { readonly kind: LogKind; readonly digest: string }[] {
  if (!isObject(body)) return []
  return logKinds.flatMap((kind) => {
    const named = body[kind]
    return isObject(named) && typeof named.digest === "string" && DIGEST.test(named.digest)
      ? [{ kind, digest: named.digest }]
      : []
  })
}

const cited = v.array(
  v.object({
    kind: v.string(),
    attemptId: v.optional(v.string()),
    digest: v.optional(v.string()),
    lines: v.optional(citedLines),
  }),
)

interface CitedLines {
  /** The place in the evidence. */
  readonly index: number
  readonly attemptId: string
  readonly digest: string
  readonly lines: readonly number[]
}

/** The evidence of a body that cites lines of logs. */
function citedLogs(body: unknown): CitedLines[] {
  const evidence = isObject(body) && "evidence" in body ? v.safeParse(cited, body.evidence) : undefined
  if (!evidence?.success) return []
  return evidence.output.flatMap(({ kind, attemptId, digest: named, lines }, index) =>
    kind === "attempt_log" && attemptId !== undefined && named !== undefined && lines !== undefined
      ? [{ index, attemptId: attemptId.toLowerCase(), digest: named, lines }]
      : [],
  )
}

// Their table.

export type Attachments = ReturnType<typeof attachments>

export function attachments(db: Db) {
  const insert = inserting(db, "attachments", {
    // Another upload of the same bytes keeps them for another day.
    onConflict: "DO UPDATE SET uploaded_by = excluded.uploaded_by, uploaded_at = excluded.uploaded_at",
  })
  const insertPart = inserting(db, "log_parts", { onConflict: "DO NOTHING" })
  const countParts = db.prepare<{ count: number }>("SELECT count(*) AS count FROM log_parts WHERE digest = +?")
  const dropParts = db.prepare("DELETE FROM log_parts WHERE digest = +?")
  const forgetLost = db.prepare("DELETE FROM log_parts WHERE digest NOT IN (SELECT digest FROM attachments)")
  const use = inserting(db, "attachment_uses", { onConflict: "DO NOTHING" })
  const named = "EXISTS (SELECT 1 FROM attachment_uses u WHERE u.digest = f.digest)"
  const COLUMNS = "f.digest, f.media_type AS mediaType, f.width, f.height"
  const served = db.prepare<StoredFigure>(
    `SELECT ${COLUMNS}, f.bytes FROM attachments f WHERE f.digest = +? AND f.log IS NULL AND ${named}`,
  )
  const sizes = db.prepare<{ digest: string; width: number; height: number }>(
    "SELECT digest, width, height FROM attachments WHERE log IS NULL AND digest IN (SELECT value FROM json_each(+?))",
  )
  const OF_ROOM = `SELECT DISTINCT u.digest FROM attachment_uses u JOIN journal j ON j.position = u.history_position
    WHERE j.room = ${placeOf("+?")} AND j.room_sequence IS NOT NULL`
  const ofRoom = db.prepare<Omit<StoredFigure, "bytes">>(
    `SELECT ${COLUMNS} FROM attachments f WHERE f.log IS NULL AND f.digest IN (${OF_ROOM}) ORDER BY f.digest`,
  )
  const lacking = db.prepare<{ digest: string }>(
    `${OF_ROOM} AND u.digest NOT IN (SELECT digest FROM attachments) ORDER BY 1`,
  )
  const logsOfRoom = db.prepare<{ digest: string }>(
    `SELECT f.digest FROM attachments f WHERE f.log IS NOT NULL AND f.digest IN (${OF_ROOM}) ORDER BY f.digest`,
  )
  const bodyAt = db.prepare<{ content: string }>("SELECT content FROM journal WHERE position = +?")
  const index = db.prepare<{ log: string }>("SELECT log FROM attachments WHERE digest = +? AND log IS NOT NULL")
  const piece = db.prepare<{ bytes: Buffer }>(
    "SELECT substr(bytes, +?, +?) AS bytes FROM attachments WHERE digest = +?",
  )
  const pieceOfPart = db.prepare<{ bytes: Buffer }>(
    "SELECT substr(bytes, +?, +?) AS bytes FROM log_parts WHERE digest = +? AND part = +?",
  )
  const reported = db.prepare<{ digest: string }>(
    `SELECT u.digest FROM attachment_uses u JOIN journal j ON j.position = u.history_position
     WHERE u.digest = +? AND j.target_kind = 'attempt' AND j.target_id = +?`,
  )
  const unuseAll = db.prepare<{ digest: string }>(
    "DELETE FROM attachment_uses WHERE history_position IN (SELECT value FROM json_each(+?)) RETURNING digest",
  )
  const forget = db.prepare(
    `DELETE FROM attachments AS f WHERE f.digest IN (SELECT value FROM json_each(+?)) AND NOT ${named}`,
  )
  const isOld = `f.uploaded_at < strftime('%Y-%m-%dT%H:%M:%fZ', +?, '-${limits.unnamedFigureHours} hours')`
  const tooMany = `f.digest IN (SELECT f.digest FROM attachments f WHERE f.uploaded_by = +? AND NOT ${named}
    ORDER BY f.uploaded_at DESC, f.digest LIMIT -1 OFFSET ${limits.unnamedFigures})`
  const prune = db.prepare(`DELETE FROM attachments AS f WHERE NOT ${named} AND (${isOld} OR ${tooMany})`)
  const sizesOf = (digests: readonly string[]) =>
    new Map(sizes.all(JSON.stringify(digests)).map((row) => [row.digest, row]))
  const forgetUnused = (uses: readonly { digest: string }[]): void => {
    if (uses.length > 0) forget.run(JSON.stringify(uses.map(({ digest }) => digest)))
  }

  const indexOf = (digest: string): LogIndex | undefined => {
    const row = index.get(digest)
    return row && trusted<LogIndex>(row.log)
  }
  let isSwept = false
  /** Stores a part of a log that is not stored yet. */
  function keepPart({ digest, parts }: StoredLog, part: number): void {
    // A process that was killed between two parts left them without a log.
    if (!isSwept) forgetLost.run()
    isSwept = true
    const bytes = parts[part]
    if (bytes !== undefined) insertPart({ digest, part, bytes })
  }
  function name(historyPosition: number, body: unknown): void {
    for (const { digest, alt } of figuresOf(body)) if (!holdsMark(alt)) use({ digest, historyPosition })
    for (const { digest } of logsOf(body)) use({ digest, historyPosition })
  }
  /** Returns the faults of cited lines: they must be lines of a log that the attempt reported. */
  function faultsOfCited({ index: at, attemptId, digest, lines: [from = 0, to = 0] }: CitedLines): Issue[] {
    if (reported.get(digest, attemptId) === undefined)
      return [{ path: `/evidence/${at}/digest`, message: "is the digest of no log that this attempt reported" }]
    const lines = indexOf(digest)?.lines ?? 0
    const message = `must be two lines in order, of the ${lines} that the log has`
    return from > to || to > lines ? [{ path: `/evidence/${at}/lines`, message }] : []
  }

  return {
    /** Stores an uploaded picture, and deletes expired uploads that no write uses. Within a transaction. */
    keep(figure: StoredFigure, uploadedBy: string, uploadedAt: string): void {
      insert({ ...figure, uploadedBy, uploadedAt })
      prune.run(uploadedAt, uploadedBy)
    },
    /** Stores a part of an uploaded log before the log itself. Within a transaction. */
    keepPart,
    /** Deletes the parts of a log that will not be stored. Within a transaction. */
    dropParts: (digest: string): void => {
      if (indexOf(digest) === undefined) dropParts.run(digest)
    },
    /** Stores an uploaded log in the same way, with those of its parts that are not. */
    keepLog(taken: StoredLog, uploadedBy: string, uploadedAt: string): void {
      const { digest, bytes, log, parts } = taken
      if (indexOf(digest) === undefined && countParts.one(digest).count < parts.length)
        for (const part of parts.keys()) keepPart(taken, part)
      insert({ digest, mediaType: "text/plain", bytes, log: JSON.stringify(log), uploadedBy, uploadedAt })
      prune.run(uploadedAt, uploadedBy)
    },
    /** Returns the index of a log that is stored here; undefined if it is not. */
    logIndex: indexOf,
    /** Returns one compressed piece of a log. */
    logPiece: (digest: string, { part, at, size }: Piece): Buffer =>
      (part === undefined ? piece.one(at + 1, size, digest) : pieceOfPart.one(at + 1, size, digest, part)).bytes,
    /** Returns a picture that a write uses; undefined for any other. */
    served: (digest: string): StoredFigure | undefined => served.get(digest),
    /** Returns the width and height in pixels of the pictures that are stored here, by digest. */
    sizesOf,
    /** Returns the faults in what a body names: it must have been uploaded here, and cited lines must be there. */
    faults(body: unknown): Issue[] {
      const used = figuresOf(body)
      const known = used.length === 0 ? undefined : sizesOf(used.map(({ digest }) => digest))
      return [
        ...used.flatMap(({ digest }, at) =>
          known?.has(digest)
            ? []
            : [{ path: `/figures/${at}/digest`, message: "is the digest of no picture that was uploaded here" }],
        ),
        ...logsOf(body).flatMap(({ kind, digest }) =>
          indexOf(digest) === undefined
            ? [{ path: `/${kind}/digest`, message: "is the digest of no log that was uploaded here" }]
            : [],
        ),
        ...citedLogs(body).flatMap(faultsOfCited),
      ]
    },
    /**
     * Records what a write uses. If the alternative text of a picture is withheld, so is the picture; a log goes with
     * its digest. Within a transaction.
     */
    name,
    /** Returns the pictures that writes of a Room use, without their bytes. */
    ofRoom: (roomId: string): Omit<StoredFigure, "bytes">[] => ofRoom.all(roomId),
    /** Returns the digests of the logs that attempts of a Room reported and that are stored here. */
    logsOfRoom: (roomId: string): string[] => logsOfRoom.all(roomId).map(({ digest }) => digest),
    /** Returns the digests of what writes of a Room use and that is not stored here. */
    lacking: (roomId: string): string[] => lacking.all(roomId).map(({ digest }) => digest),
    /**
     * Deletes what a write no longer names since parts of it were withheld, unless another uses it. Within a
     * transaction.
     */
    withhold(position: number): void {
      const before = unuseAll.all(JSON.stringify([position]))
      name(position, JSON.parse(bodyAt.one(position).content))
      forgetUnused(before)
    },
    /** Deletes what only the writes at these positions of the journal use. Within a transaction. */
    drop: (positions: readonly number[]) => forgetUnused(unuseAll.all(JSON.stringify(positions))),
  }
}
