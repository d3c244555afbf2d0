/** The numbers by which rows of the journal name Rooms, Threads and who wrote: ids are long, and most writes name the same few. */
import { present } from "../../contract/present.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"

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

/** Numbers that are remembered at once. */
const REMEMBERED = 2_000

/**
 * Remembers numbers for a connection. A number that its open transaction gave out may be rolled back and given to another name, so only
 * those are remembered that were committed before it.
 */
class Remembered {
  readonly #found = new Map<string, number>()
  readonly #given = new Set<string>()

  /** What was given out stays: nothing of it can be rolled back any more. */
  committed(): void {
    this.#given.clear()
  }

  number(name: string, find: () => { readonly key: number } | undefined, add: () => void): number {
    const known = this.#found.get(name)
    if (known !== undefined) return known
    const found = find()?.key
    if (found === undefined) {
      this.#given.add(name)
      add()
      return present(find()).key
    }
    if (this.#given.has(name)) return found
    if (this.#found.size >= REMEMBERED) this.#found.clear()
    this.#found.set(name, found)
    return found
  }
}
const remembered = new WeakMap<Db, Remembered>()

export type Keys = ReturnType<typeof keys>

export function keys(db: Db) {
  const numbers = remembered.get(db) ?? new Remembered()
  remembered.set(db, numbers)
  const place = db.prepare<{ key: number }>("SELECT place AS key FROM places WHERE id = +?")
  const addPlace = inserting(db, "places")
  const writer = db.prepare<{ key: number }>(
    "SELECT writer AS key FROM writers WHERE user_id = +? AND sender = +? AND username = +? AND shown_as = +? AND person_id = +? AND agent IS +?",
  )
  const addWriter = inserting(db, "writers")
  return {
    /** Told after each commit of this connection, while no transaction is open. */
    committed: (): void => numbers.committed(),
    /** The number of a Room or Thread, given out where it has none yet. Within the transaction that uses it. */
    place: (id: string | null): number | null =>
      id === null
        ? null
        : numbers.number(
            id,
            () => place.get(id),
            () => addPlace({ id }),
          ),
    /** The number of whoever wrote, likewise. */
    writer({ userId, username, here, sender, agent }: Writer): number {
      const row = {
        userId: userId ?? "",
        sender: sender ?? "",
        username: username ?? "",
        shownAs: here?.username ?? username ?? "",
        personId: here?.userId ?? userId ?? "",
        agent: agent ?? null,
      }
      return numbers.number(
        JSON.stringify(row),
        () => writer.get(row.userId, row.sender, row.username, row.shownAs, row.personId, row.agent),
        () => addWriter(row),
      )
    },
  }
}

/** SQL for the number of a Room or Thread whose id is given. */
export const placeOf = (id: string): string => `(SELECT place FROM places WHERE id = ${id})`
/** SQL for the id of a Room or Thread whose number is given. */
export const idOf = (place: string): string => `(SELECT id FROM places WHERE place = ${place})`
