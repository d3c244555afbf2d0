/**
 * Pictures that writes show: their bytes, and which writes use them. A picture that no write uses is not served, and is
 * deleted later.
 */
import { figuresOf, type FigureType } from "../../contract/definitions/figures.ts"
import { holdsMark, markBegins } from "../../contract/definitions/withheld-text.ts"
import { limits } from "../../contract/limits.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"
import { placeOf } from "./columns.ts"

/** A picture as stored. */
export interface StoredFigure {
  readonly digest: string
  readonly mediaType: FigureType
  /** In pixels. */
  readonly width: number
  readonly height: number
  readonly bytes: Buffer
}

export type Figures = ReturnType<typeof figures>

export function figures(db: Db) {
  const insert = inserting(db, "figures", {
    // Another upload of the same picture keeps it for another day.
    onConflict: "DO UPDATE SET uploaded_by = excluded.uploaded_by, uploaded_at = excluded.uploaded_at",
  })
  const use = inserting(db, "figure_uses", { onConflict: "DO NOTHING" })
  const named = "EXISTS (SELECT 1 FROM figure_uses u WHERE u.digest = f.digest)"
  const COLUMNS = "f.digest, f.media_type AS mediaType, f.width, f.height"
  const served = db.prepare<StoredFigure>(`SELECT ${COLUMNS}, f.bytes FROM figures f WHERE f.digest = +? AND ${named}`)
  const sizes = db.prepare<{ digest: string; width: number; height: number }>(
    "SELECT digest, width, height FROM figures WHERE digest IN (SELECT value FROM json_each(+?))",
  )
  const OF_ROOM = `SELECT DISTINCT u.digest FROM figure_uses u JOIN journal j ON j.position = u.history_position
    WHERE j.room = ${placeOf("+?")} AND j.room_sequence IS NOT NULL`
  const ofRoom = db.prepare<Omit<StoredFigure, "bytes">>(
    `SELECT ${COLUMNS} FROM figures f WHERE f.digest IN (${OF_ROOM}) ORDER BY f.digest`,
  )
  const lacking = db.prepare<{ digest: string }>(
    `${OF_ROOM} AND u.digest NOT IN (SELECT digest FROM figures) ORDER BY 1`,
  )
  const unuse = db.prepare<{ digest: string }>(
    `DELETE FROM figure_uses WHERE (digest, history_position) IN (SELECT m.value ->> '$.digest', j.position FROM journal j, json_each(j.content, '$.figures') m
     WHERE j.position = +? AND instr(m.value ->> '$.alt', '${markBegins}') > 0) RETURNING digest`,
  )
  const unuseAll = db.prepare<{ digest: string }>(
    "DELETE FROM figure_uses WHERE history_position IN (SELECT value FROM json_each(+?)) RETURNING digest",
  )
  const forget = db.prepare(
    `DELETE FROM figures AS f WHERE f.digest IN (SELECT value FROM json_each(+?)) AND NOT ${named}`,
  )
  const isOld = `f.uploaded_at < strftime('%Y-%m-%dT%H:%M:%fZ', +?, '-${limits.unnamedFigureHours} hours')`
  const tooMany = `f.digest IN (SELECT f.digest FROM figures f WHERE f.uploaded_by = +? AND NOT ${named}
    ORDER BY f.uploaded_at DESC, f.digest LIMIT -1 OFFSET ${limits.unnamedFigures})`
  const prune = db.prepare(`DELETE FROM figures AS f WHERE NOT ${named} AND (${isOld} OR ${tooMany})`)
  const sizesOf = (digests: readonly string[]) =>
    new Map(sizes.all(JSON.stringify(digests)).map((row) => [row.digest, row]))
  const forgetUnused = (uses: readonly { digest: string }[]): void => {
    if (uses.length > 0) forget.run(JSON.stringify(uses.map(({ digest }) => digest)))
  }

  return {
    /** Stores an uploaded picture, and deletes expired uploads that no write uses. Within a transaction. */
    keep(figure: StoredFigure, uploadedBy: string, uploadedAt: string): void {
      insert({ ...figure, uploadedBy, uploadedAt })
      prune.run(uploadedAt, uploadedBy)
    },
    /** Returns a picture that a write uses; undefined for any other. */
    served: (digest: string): StoredFigure | undefined => served.get(digest),
    /** Returns the width and height in pixels of the pictures that are stored here, by digest. */
    sizesOf,
    /** Returns the faults in the figures of a body: each must have been uploaded here. */
    faults(body: unknown): Issue[] {
      const used = figuresOf(body)
      if (used.length === 0) return []
      const known = sizesOf(used.map(({ digest }) => digest))
      return used.flatMap(({ digest }, index) =>
        known.has(digest)
          ? []
          : [{ path: `/figures/${index}/digest`, message: "is the digest of no picture that was uploaded here" }],
      )
    },
    /**
     * Records the pictures that a write uses. If the alternative text of a picture is withheld, so is the picture.
     * Within a transaction.
     */
    name(historyPosition: number, body: unknown): void {
      for (const { digest, alt } of figuresOf(body)) if (!holdsMark(alt)) use({ digest, historyPosition })
    },
    /** Returns the pictures that writes of a Room use, without their bytes. */
    ofRoom: (roomId: string): Omit<StoredFigure, "bytes">[] => ofRoom.all(roomId),
    /** Returns the digests of pictures that writes of a Room use and that are not stored here. */
    lacking: (roomId: string): string[] => lacking.all(roomId).map(({ digest }) => digest),
    /**
     * Deletes the pictures whose alternative texts in a write were withheld, unless another write uses them. Within a
     * transaction.
     */
    withhold: (position: number) => forgetUnused(unuse.all(position)),
    /** Deletes the pictures that only the writes at these positions of the journal use. Within a transaction. */
    drop: (positions: readonly number[]) => forgetUnused(unuseAll.all(JSON.stringify(positions))),
  }
}
