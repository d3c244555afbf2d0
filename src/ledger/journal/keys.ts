/** The numbers by which the journal refers to Rooms, Threads and writers: ids are long, and most writes refer to the same few. */
import { present } from "../../contract/present.ts"
import type { Db } from "../storage/database.ts"
import { inserting } from "../storage/inserting.ts"

/** The author of a write, as the record has it. */
export interface Writer {
  /** null: nobody was signed in. */
  readonly userId: string | null
  /** The person's username at the time. */
  readonly username: string | null
  /** Their name and id on this instance, if either differs, as it may for people of other instances. */
  readonly here?: { readonly userId: string; readonly username: string }
  /** The credential or personal key; null for a person in the browser; its Room's id, or another, for a write of another instance. */
  readonly sender: string | null
  /** The name of the agent at the time of the write; empty for a person in the browser, left out if not recorded. */
  readonly agent?: string | undefined
}

/** How many numbers are cached at once. */
const REMEMBERED = 2_000

/**
 * Caches numbers for a connection. A number assigned in the open transaction may be rolled back and then assigned to another name, so
 * only numbers from committed transactions are cached.
 */
class Remembered {
  readonly #found = new Map<string, number>()
  readonly #assigned = new Set<string>()

  /** The numbers assigned so far are committed and may be cached. */
  committed(): void {
    this.#assigned.clear()
  }

  number(name: string, find: () => { readonly key: number } | undefined, add: () => void): number {
    const known = this.#found.get(name)
    if (known !== undefined) return known
    const found = find()?.key
    if (found === undefined) {
      this.#assigned.add(name)
      add()
      return present(find()).key
    }
    if (this.#assigned.has(name)) return found
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
    /** Must be called after each commit of this connection, while no transaction is open. */
    committed: (): void => numbers.committed(),
    /** Returns the number of a Room or Thread, and assigns one if it has none. Within the transaction that uses it. */
    place: (id: string | null): number | null =>
      id === null
        ? null
        : numbers.number(
            id,
            () => place.get(id),
            () => addPlace({ id }),
          ),
    /** Returns the number of a writer, likewise. */
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

/** SQL for the number of a Room or Thread. @param id SQL for its id */
export const placeOf = (id: string): string => `(SELECT place FROM places WHERE id = ${id})`
/** SQL for the id of a Room or Thread. @param place SQL for its number */
export const idOf = (place: string): string => `(SELECT id FROM places WHERE place = ${place})`
