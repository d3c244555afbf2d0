/** Imports a Room from a crate: proves the crate and replays its writes, all of them or none. */
import { Readable } from "node:stream"
import { type CrateFile, openCrate, CrateFault } from "../../research/import/crate-file.ts"
import { pathOf } from "../../research/export/parts.ts"
import { originOf, peopleOf, provedWrites, type ProvedWrite } from "../../research/import/writes.ts"
import type { RoomOrigin } from "../../contract/nouns/rooms.ts"
import type { OnProgress } from "../../ledger/replay/replay.ts"
import { keysOf } from "../../contract/typed.ts"
import { limits } from "../../contract/limits.ts"
import { figureTypes } from "../../contract/definitions/attachments.ts"
import { operationOf } from "../../contract/operations/index.ts"
import { Refusal, messageOf } from "../../contract/refusals.ts"
import { received } from "../../attachments/image.ts"
import { takeLog } from "../../attachments/log.ts"
import { isoTime } from "../../ledger/world.ts"
import type { Person } from "../../people/people.ts"
import { type RoomSource, FILE, type Arrival, type Home, sourceOf } from "../../rooms/imported.ts"
import type { Instance } from "../compose/instance.ts"
import type { Described } from "../../contract/nouns/people.ts"
import { canonicalJson, parse, trusted } from "../../contract/json.ts"
import { isStorageFault } from "../../ledger/storage/database.ts"
import type { Given } from "../../ledger/world.ts"
import { joinRequestBefore } from "../past/pasts.ts"

// Replays the proved writes of Rooms of other instances. The replay of each must give the same digest as at its
// origin.

/** How many entries are indexed for search at a time. */
const GROUP = 500

export interface IncomingRooms {
  /** Returns the instance that a Room comes from. */
  readonly from: (roomId: string) => RoomSource
  /** The names at the origin of the people in the writes, by id. */
  readonly people: ReadonlyMap<string, string>
}

/**
 * @param adopted the homes that the Room had before the origin adopted it
 * @throws CrateFault if this instance created or adopted the Room
 */
function mustNotBeOwn({ tables, instanceId, lineage }: Instance, roomId: string, adopted: readonly Home[] = []): void {
  if (tables.rooms.openingThread(roomId) === undefined || tables.imported.from(roomId) !== undefined) return
  const home = tables.imported.homes(roomId).at(-1)
  const left = adopted.find((each) => [instanceId, ...lineage].includes(each.instanceId))
  const why =
    home !== undefined
      ? ` It was adopted from ${home.baseUrl}: after entry ${home.throughSequence} its history here is separate, ` +
        "and what is written elsewhere no longer arrives."
      : left !== undefined
        ? ` Another instance adopted it through entry ${left.throughSequence}; ` +
          "what was written there since is not imported here."
        : ""
  throw new CrateFault(`The Room ${roomId} is this instance's own.${why}`)
}

/** Proves that the entry is an adoption if the origin declares one here, and only then. @throws CrateFault */
function mustMatchAdoption(
  adopted: readonly Home[],
  sequence: number,
  { operation, content }: ProvedWrite["entry"],
  where: string,
): void {
  const declared = adopted.find(({ throughSequence }) => throughSequence === sequence - 1)
  const recorded = operation === "adopt_room" ? trusted<{ origin?: Partial<Home> }>(content).origin : undefined
  const isSame =
    declared?.instanceId === recorded?.instanceId &&
    declared?.baseUrl === recorded?.baseUrl &&
    declared?.throughSequence === recorded?.throughSequence
  if (!isSame) throw new CrateFault(`${where} does not match the declared origin of the Room before its adoption.`)
}

/**
 * Proves that all withheld words of a Room are withheld by writes of the Room that were imported too. @throws
 * CrateFault
 */
function mustBeExplained({ tables }: Instance, roomId: string): void {
  const open = tables.withheld.unexplained(roomId)
  if (open !== undefined)
    throw new CrateFault(
      `Entry ${open} of the history of Room ${roomId} is withheld in part, but no write of the activity withholds it.`,
    )
}

/** Replays proved writes within one open transaction. Each transaction needs a new object. */
export class ProvedReplay {
  readonly #instance: Instance
  readonly #arrivals: IncomingRooms
  /** Rooms whose origin was stored in this transaction. */
  readonly #noted = new Set<string>()
  #done = 0

  constructor(instance: Instance, arrivals: IncomingRooms) {
    this.#instance = instance
    this.#arrivals = arrivals
  }

  /** How many new writes were replayed. */
  get done(): number {
    return this.#done
  }

  /** Returns the last entry of a Room's activity that is here. */
  through = (roomId: string): number => this.#instance.ledger.activity.watermark(roomId)

  /**
   * Replays a write, or compares it if it is here already. @throws CrateFault if it differs, or its replay gives
   * another result
   */
  take(write: ProvedWrite): void {
    const { roomId, sequence, entry } = write
    const where = `Entry ${sequence} of the history of Room ${roomId} (${entry.operation})`
    const through = this.through(roomId)
    if (sequence <= through) {
      const [here] = this.#instance.ledger.activity.after(roomId, sequence - 1, undefined, 1)
      if (here !== undefined && parse(here.body).digest === write.digest) return
      throw new CrateFault(`${where} is a different one here: the Room has another history.`)
    }
    if (sequence !== through + 1) throw new CrateFault(`${where} is out of order: the next entry is ${through + 1}.`)
    const people = this.#storeOrigin(write, where, through)
    try {
      this.#replay({ ...write, entry: { ...write.entry, given: { ...write.entry.given, ...people } } })
    } catch (error) {
      // A disk failure is not a fault of the Room.
      throw error instanceof CrateFault || isStorageFault(error)
        ? error
        : new CrateFault(`${where} cannot be replayed here: ${messageOf(error)}`, { cause: error })
    }
    this.#done += 1
    if (this.#done % GROUP === 0) this.#instance.ledger.replaying.settle()
  }

  /**
   * Stores how people of other instances want to be cited, if their own instance says it or nothing is known of them
   * yet.
   * @param by the instance that says it @param baseUrl its address
   */
  describe(described: Iterable<readonly [userId: string, Described]>, by: string, baseUrl: string): void {
    const { tables, accounts } = this.#instance
    for (const [idThere, description] of described) {
      const userId = tables.people.findRemote(baseUrl, idThere)?.userId
      const known = userId === undefined ? undefined : tables.people.described(userId)
      if (userId === undefined || known === undefined || known.instanceId === null) continue
      const { name, givenName, familyName, orcid } = known
      const before: Described = { name, givenName, familyName, orcid }
      const isNews = canonicalJson({ ...before }) !== canonicalJson({ ...description })
      if (isNews && (known.instanceId === by || Object.values(before).every((part) => part === null)))
        accounts.describeRemote(userId, description)
    }
  }

  /**
   * Stores the origin of a Room and the people it names, before its first new write.
   * @returns the local ids of people whose ids differ here
   */
  #storeOrigin(
    { roomId, sequence, entry, people, member }: ProvedWrite,
    where: string,
    through: number,
  ): Pick<Given, "people"> {
    const { tables, importing, instanceId, lineage } = this.#instance
    const { adopted = [], ...from } = this.#arrivals.from(roomId)
    mustMatchAdoption(adopted, sequence, entry, where)
    // Authors before an adoption belong to the previous home of the Room.
    const of: Pick<Home, "instanceId" | "baseUrl"> =
      adopted.find(({ throughSequence }) => sequence <= throughSequence) ?? from
    if (through > 0 && tables.imported.from(roomId) === undefined)
      throw new CrateFault(`${where} is not here, although the Room is this instance's own: it has another history.`)
    if ([from, of].some((each) => [instanceId, ...lineage].includes(each.instanceId)))
      throw new CrateFault(`${where} is declared to be from this instance, but is not here.`)
    const { baseUrl } = sourceOf(from, of)
    const unknownPeople: { userId: string; username: string }[] = []
    for (const userId of new Set(people)) {
      const username = this.#arrivals.people.get(userId)
      if (username === undefined) throw new CrateFault(`${where} names ${userId}, who is not described.`)
      const known = tables.people.findRemote(baseUrl, userId)
      if (known === undefined) unknownPeople.push({ userId, username })
      else if (known.knownAs !== username)
        throw new CrateFault(`${where} calls ${userId} ${username}, but that person is known as ${known.knownAs}.`)
    }
    for (const { userId, username } of [entry, member ?? entry])
      if (this.#arrivals.people.get(userId ?? "") !== username)
        throw new CrateFault(`${where} names ${username}, but that person has another name.`)
    const isNoted = this.#noted.has(roomId) && unknownPeople.length === 0
    if (isNoted) return this.#idsHere(baseUrl, people)
    importing.import_room(null, {
      roomId,
      ...from,
      people: unknownPeople,
      ...(of !== from && { of: { instanceId: of.instanceId, baseUrl: of.baseUrl } }),
      ...(adopted[0] !== undefined && { knownIn: adopted[0].instanceId }),
    } satisfies Arrival)
    this.#noted.add(roomId)
    return this.#idsHere(baseUrl, people)
  }

  /**
   * Maps ids of the origin to local ones. Another instance, such as a restored copy, may use the same ids for other
   * people.
   */
  #idsHere(baseUrl: string, people: readonly string[]): Pick<Given, "people"> {
    const changed = people.flatMap((id) => {
      const localId = this.#instance.tables.people.findRemote(baseUrl, id)?.userId ?? id
      return localId === id ? [] : [[id, localId] as const]
    })
    return changed.length === 0 ? {} : { people: Object.fromEntries(changed) }
  }

  #replay({ roomId, sequence, digest, entry }: ProvedWrite): void {
    const { ledger, tables } = this.#instance
    const joinRequest = joinRequestBefore(entry, roomId, (userId) => this.#arrivals.people.get(userId))
    if (joinRequest !== null) ledger.replaying.received(joinRequest, roomId)
    const replayed = ledger.replaying.received(entry, roomId)
    const isSame =
      replayed?.roomId === roomId && replayed.activity?.sequence === sequence && replayed.activity.digest === digest
    if (!isSame)
      throw new CrateFault(
        `A replay of entry ${sequence} of the history of Room ${roomId} (${entry.operation}) gives another result.`,
      )
    if (sequence === 1 && tables.rooms.openingThread(roomId) === undefined)
      throw new CrateFault(`Entry 1 of the history of Room ${roomId} does not create the Room.`)
  }
}

export interface ImportReport {
  readonly roomId: string
  readonly title: string
  /** Where the Room comes from, or came from until it was adopted. */
  readonly origin: RoomOrigin
  /** How many writes were new; 0 if nothing was changed. */
  readonly added: number
  /** How many other Rooms were imported because this one cites them. */
  readonly cited: number
  /** Entries of the Room whose bodies no digest proves. */
  readonly unproved: readonly number[]
}

/**
 * Imports a crate into an instance without another writer, and writes this to the audit log. After a refusal nothing is
 * stored, unless it has `committed: null`; then the Room was imported.
 * @throws CrateFault with the entry and the reason
 */
export async function importCrate(
  instance: Instance,
  file: string,
  {
    adoptedBy,
    onProgress = () => {},
  }: { readonly adoptedBy?: Person | undefined; readonly onProgress?: OnProgress } = {},
): Promise<ImportReport> {
  const { db, ledger, tables, importing } = instance
  const crate = await openCrate(file)
  try {
    const { roomId, entries, cited: others, ...from } = await originOf(crate)
    const { people, described } = await peopleOf(crate)
    mustNotBeOwn(instance, roomId, from.adopted)
    db.exec("BEGIN IMMEDIATE")
    const { adopted: _adopted, ...source } = from
    const arriving = new ProvedReplay(instance, {
      from: (id) => ({ ...(id === roomId ? from : (others[id] ?? source)), toldBy: toldBy(others[id]) }),
      people,
    })
    // The file names the origin of its Room. For cited Rooms of a third instance, the crate's instance is the source of
    // that claim.
    const toldBy = (other: RoomSource | undefined) =>
      other === undefined || other.instanceId === from.instanceId ? FILE : from.baseUrl
    const cited = new Set<string>()
    let own = 0
    for await (const write of provedWrites(crate, roomId)) {
      if (write.roomId === roomId) onProgress((own += 1), Math.max(own, entries), "importing")
      else cited.add(write.roomId)
      arriving.take(write)
    }
    for (const each of [roomId, ...cited]) mustBeExplained(instance, each)
    if (own !== entries) throw new CrateFault(`The crate declares ${entries} entries, but holds ${own}.`)
    // Another instance told of the Room until now; its own export has the same entries.
    const formerly = tables.imported.origin(roomId)?.toldBy ?? FILE
    if (formerly !== FILE && arriving.through(roomId) === entries)
      importing.import_room(null, { roomId, ...source, toldBy: FILE, people: [] })
    // An older crate has older descriptions of people.
    if (arriving.through(roomId) === entries) arriving.describe(described, from.instanceId, from.baseUrl)
    await importFigures(instance, crate, roomId)
    const origin = tables.imported.origin(roomId)
    if (adoptedBy !== undefined && origin !== null) adopt(instance, origin, roomId, adoptedBy)
    // Withheld words of the title must not be in the report.
    ledger.replaying.settle()
    const room = tables.rooms.summary(roomId)
    if (room === undefined || origin === null) throw new Error(`the Room ${roomId} is not there after its import`)
    const added = arriving.done
    const subject = { kind: "room", id: roomId, name: room.title }
    const detail = { from: origin.baseUrl, through: origin.throughSequence, added }
    if (added > 0) tables.audit.write({ kind: "import_room", subject, roomId, detail })
    db.exec("COMMIT")
    await ledger.cleanse()
    return { roomId, title: room.title, origin, added, cited: cited.size, unproved: tables.withheld.unproved(roomId) }
  } finally {
    if (db.inTransaction) db.exec("ROLLBACK")
    crate.close()
  }
}

/**
 * Imports the pictures and logs of a Room from its crate, within an open transaction. What is not in the crate was
 * withheld.
 * @throws CrateFault if a file does not match its name
 */
async function importFigures({ tables, world }: Instance, crate: CrateFile, roomId: string): Promise<void> {
  for (const digest of tables.attachments.lacking(roomId)) {
    const text = await crate.bytes(pathOf.log(digest), 2 * limits.logBytes)
    if (text !== undefined) {
      const log = await takeLog(Readable.from([text]), () => {}, Number.POSITIVE_INFINITY)
      if (log.digest !== digest) throw new CrateFault(`${pathOf.log(digest)} in the crate is not the log of its name.`)
      tables.attachments.keepLog(log, roomId, isoTime(world.now()))
      continue
    }
    for (const mediaType of keysOf(figureTypes)) {
      const path = pathOf.figure(digest, mediaType)
      const bytes = await crate.bytes(path, limits.keptFigureBytes)
      if (bytes === undefined) continue
      try {
        tables.attachments.keep(await received(bytes, digest, mediaType), roomId, isoTime(world.now()))
      } catch (error) {
        throw error instanceof Refusal && error.code === "invalid_schema"
          ? new CrateFault(`${path} in the crate: ${error.message}`)
          : error
      }
    }
  }
}

/** Makes a person the owner of a Room of another instance, within an open transaction. */
function adopt(
  { ledger, world }: Instance,
  { instanceId, baseUrl, throughSequence }: RoomOrigin,
  roomId: string,
  person: Person,
) {
  const operation = operationOf("adopt_room")
  ledger.admitWithin({
    operation,
    actor: { userId: person.userId, username: person.username, grant: null },
    params: { roomId },
    body: {
      schemaVersion: operation.schemaVersion,
      requestId: world.id(),
      origin: { instanceId, baseUrl, throughSequence },
    },
  })
}
