/** The numbers by which rows of the journal name Rooms, Threads and who wrote: ids are long, and most writes name the same few. */
import type { Db } from "../storage/database.ts"

/** Who wrote, as the record knows them. */
export interface Writer {
  /** null: nobody was signed in. */
  readonly userId: string | null
  /** What the person was called at the time. */
  readonly username: string | null
  /** Who they are here, where that differs: people of other instances have another name here, and may have another id. */
  readonly here?: { readonly userId: string; readonly username: string }
  /** The credential or personal key; null for a person in the browser; its Room's id, or another, for a write of another instance. */
  readonly sender: string | null
  /** The name of the agent at the moment of the write; empty for a person in the browser, left out where nothing was said of it. */
  readonly agent?: string | undefined
}

export type Keys = ReturnType<typeof keys>

export function keys(db: Db) {
  const place = db.prepare<{ key: number }>("SELECT place AS key FROM places WHERE id = +?")
  const addPlace = db.prepare<{ key: number }>("INSERT INTO places (id) VALUES (+?) RETURNING place AS key")
  const writer = db.prepare<{ key: number }>(
    "SELECT writer AS key FROM writers WHERE user_id = +? AND sender = +? AND username = +? AND shown_as = +? AND person_id = +? AND agent IS +?",
  )
  const addWriter = db.prepare<{ key: number }>(
    "INSERT INTO writers (user_id, sender, username, shown_as, person_id, agent) VALUES (+?, +?, +?, +?, +?, +?) RETURNING writer AS key",
  )
  return {
    /** The number of a Room or Thread, given out where it has none yet. Within the transaction that uses it. */
    place: (id: string | null): number | null => (id === null ? null : (place.get(id)?.key ?? addPlace.one(id).key)),
    /** The number of whoever wrote, likewise. */
    writer({ userId, username, here, sender, agent }: Writer): number {
      const row = [
        userId ?? "",
        sender ?? "",
        username ?? "",
        here?.username ?? username ?? "",
        here?.userId ?? userId ?? "",
        agent ?? null,
      ] as const
      return writer.get(...row)?.key ?? addWriter.one(...row).key
    },
  }
}

/** SQL for the number of a Room or Thread whose id is given. */
export const placeOf = (id: string): string => `(SELECT place FROM places WHERE id = ${id})`
/** SQL for the id of a Room or Thread whose number is given. */
export const idOf = (place: string): string => `(SELECT id FROM places WHERE place = ${place})`
