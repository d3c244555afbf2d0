/** The columns of the journal. Whatever other columns of a row already say is left out, and restored on reading. */
import { present } from "../../contract/typed.ts"
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
  /**
   * The credential or personal key; null for a person in the browser; its Room's id, or another, for a write of another
   * instance.
   */
  readonly sender: string | null
  /** The name of the agent at the time of the write; empty for a person in the browser, left out if not recorded. */
  readonly agent?: string | undefined
}

/** How many numbers are cached at once. */
const REMEMBERED = 2_000

/**
 * Caches numbers for a connection. A number assigned in the open transaction may be rolled back and then assigned to
 * another name, so only numbers from committed transactions are cached.
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

/**
 * The numbers by which the journal refers to Rooms, Threads and writers: ids are long, and most writes refer to the
 * same few.
 */
export interface Keys {
  /** Must be called after each commit of this connection, while no transaction is open. */
  committed(): void
  /** Returns the number of a Room or Thread, and assigns one if it has none. Within the transaction that uses it. */
  place(id: string): number
  /** Returns the number of a writer, likewise. */
  writer(writer: Writer): number
}

export function keys(db: Db): Keys {
  const numbers = remembered.get(db) ?? new Remembered()
  remembered.set(db, numbers)
  const place = db.prepare<{ key: number }>("SELECT place AS key FROM places WHERE id = +?")
  const addPlace = inserting(db, "places")
  const writer = db.prepare<{ key: number }>(
    `SELECT writer AS key
      FROM writers
      WHERE user_id = +? AND sender = +? AND username = +? AND shown_as = +? AND person_id = +? AND agent IS +?`,
  )
  const addWriter = inserting(db, "writers")
  return {
    committed: () => numbers.committed(),
    place: (id) =>
      numbers.number(
        id,
        () => place.get(id),
        () => addPlace({ id }),
      ),
    writer({ userId, username, here, sender, agent }) {
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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** The prefix of a digest in its text form. */
export const SHA256 = "sha256:"

/** A UUID as 16 bytes; any other id as the bytes of its text, padded if they would be 16. */
export function packedId(id: string): Buffer {
  if (UUID.test(id)) return Buffer.from(id.replaceAll("-", ""), "hex")
  const bytes = Buffer.from(id)
  return bytes.length === 16 ? Buffer.concat([bytes, Buffer.alloc(1)]) : bytes
}

export const packedDigest = (digest: string): Buffer => Buffer.from(digest.slice(SHA256.length), "hex")
export const unpackedDigest = (digest: Buffer): string => SHA256 + digest.toString("hex")
/** SQL for the text of a digest: the driver returns text faster than bytes. @param column SQL for the bytes */
export const DIGEST = (column: string): string => `'${SHA256}' || lower(hex(${column}))`

interface Places {
  readonly roomId: string | null
  readonly threadId: string | null
}
const placeNames = ["threadId", "roomId"] as const

/**
 * Packs the ids of a path. If the write's Thread or Room is the only one, just its name is stored. @param params JSON
 */
export const packedParams = (params: string | null, places: Places): string | null =>
  placeNames.find((name) => params === `{"${name}":"${places[name]}"}`) ?? params
export function unpackedParams(params: string | null, places: Places): string | null {
  const name = placeNames.find((each) => each === params)
  return name === undefined ? params : `{"${name}":"${places[name]}"}`
}

/**
 * Packs what a write took from the world. For most writes that is only the id of their entry, which the row has. @param
 * given JSON
 */
export const packedGiven = (given: string | null, entryId: string | null): string | null =>
  entryId !== null && given === `{"ids":["${entryId}"]}` ? null : given
export const unpackedGiven = (given: string | null, entryId: string | null): string | null =>
  given === null && entryId !== null ? `{"ids":["${entryId}"]}` : given

/** The object that a write's receipt and entries name: a record, a Thread, or the write's own message. */
export interface Target {
  readonly entryId: string | null
  /** null: the entry itself, which is a message. */
  readonly targetKind: string | null
  readonly targetId: string | null
  readonly label: string | null
  /** The Room that gave the label, if it is another Room. */
  readonly labelledBy: string | null
}

/** SQL for a member of `given` of a write `j`. The JSON is parsed only if it can have the member; few rows do. */
const given = (member: string, value: string, otherwise: string): string =>
  `iif(instr(j.given, '"${member}"') > 0, ${value}, ${otherwise})`

/** SQL for the target's columns of a write `j` and its entry `e`. */
export const TARGET =
  "e.entry_id AS entryId, j.target_kind AS targetKind, j.target_id AS targetId, j.label, " +
  `${given("labelledBy", "j.given ->> '$.labelledBy'", "NULL")} AS labelledBy`

/** The same with the ids of people on this instance, which may differ from their ids on their own. */
export const TARGET_HERE = TARGET.replace(
  "j.target_id AS",
  `${given("people", `coalesce(j.given ->> ('$.people."' || j.target_id || '"'), j.target_id)`, "j.target_id")} AS`,
)

/** The JSON text of a target; the members are sorted by name. */
export function targetText({ entryId, targetKind, targetId, label, labelledBy }: Target): string {
  const other = labelledBy === null ? "" : `,"labelFromOtherRoom":true,"originRoomId":"${labelledBy}"`
  return (
    `{"id":${JSON.stringify(targetId ?? entryId)},"kind":"${targetKind ?? "message"}",` +
    `"label":${label === null ? "null" : JSON.stringify(label)}${other}}`
  )
}
