/** Rooms of other instances as they arrive: each write is replayed here, and must come out as it did there. */
import { messageOf } from "../../contract/faults.ts"
import type { Described } from "../../contract/answers/description.ts"
import { canonicalJson, parse, trusted } from "../../contract/json.ts"
import { isStorageFault } from "../../ledger/storage/database.ts"
import type { Given } from "../../ledger/journal/journal.ts"
import { type Arrival, type RoomSource, type Home, sourceOf } from "../../rooms/imported.ts"
import { CrateFault } from "../../research/import/crate-file.ts"
import type { ProvedWrite } from "../../research/import/writes.ts"
import { priorJoinRequests } from "../past/join-requests.ts"
import type { Instance } from "../compose/instance.ts"

/** Entries that are indexed for search together. */
const GROUP = 500

export interface IncomingRooms {
  /** The instance that a Room comes from. */
  readonly from: (roomId: string) => RoomSource
  /** What everybody whom the writes name is called there, by id. */
  readonly people: ReadonlyMap<string, string>
  /** Whether a Room comes only because another one names something of it. */
  readonly isAlong: (roomId: string) => boolean
}

/**
 * @param adopted what is said of where the Room was before it was adopted where it comes from
 * @throws CrateFault for a Room that this instance made, or adopted
 */
export function mustNotBeOwn({ tables, instanceId, lineage }: Instance, roomId: string, adopted: readonly Home[] = []): void {
  if (tables.rooms.openingThread(roomId) === undefined || tables.imported.from(roomId) !== undefined) return
  const home = tables.imported.homes(roomId).at(-1)
  const left = adopted.find((each) => [instanceId, ...lineage].includes(each.instanceId))
  const why =
    home !== undefined
      ? ` It was adopted from ${home.baseUrl}: after entry ${home.throughSequence} its history here went its own way, and what is written elsewhere no longer arrives.`
      : left !== undefined
        ? ` Another one adopted it through entry ${left.throughSequence}; what was written there since is not taken here.`
        : ""
  throw new CrateFault(`The Room ${roomId} is this instance's own.${why}`)
}

/** Proves that an entry adopts the Room where that was said of it, and nowhere else. @throws CrateFault */
function mustBeAdopted(adopted: readonly Home[], sequence: number, { operation, content }: ProvedWrite["entry"], where: string): void {
  const told = adopted.find(({ throughSequence }) => throughSequence === sequence - 1)
  const said = operation === "adopt_room" ? trusted<{ origin?: Partial<Home> }>(content).origin : undefined
  const isIt = told?.instanceId === said?.instanceId && told?.baseUrl === said?.baseUrl && told?.throughSequence === said?.throughSequence
  if (!isIt) throw new CrateFault(`${where} is not what is said of where the Room was before it was adopted.`)
}

/** Proves that whatever came withheld of a Room is withheld by a write of it that has come too. @throws CrateFault */
export function mustBeExplained({ tables }: Instance, roomId: string): void {
  const open = tables.withheld.unexplained(roomId)
  if (open !== undefined)
    throw new CrateFault(
      `Entry ${open} of the history of Room ${roomId} is said to be withheld in part, and no write of the activity withholds that.`,
    )
}

/** Replays proved writes within one open transaction. One of these for each transaction. */
export class ProvedReplay {
  readonly #instance: Instance
  readonly #arrivals: IncomingRooms
  /** Rooms whose origin is noted in this transaction. */
  readonly #noted = new Set<string>()
  #done = 0

  constructor(instance: Instance, arrivals: IncomingRooms) {
    this.#instance = instance
    this.#arrivals = arrivals
  }

  /** How many writes were done that were not here. */
  get done(): number {
    return this.#done
  }

  /** The last entry of a Room's activity that is here. */
  through = (roomId: string): number => this.#instance.ledger.activity.watermark(roomId)

  /** @throws CrateFault where it is not what is here, or does not come out as it was */
  take(write: ProvedWrite): void {
    const { roomId, sequence, entry } = write
    const where = `Entry ${sequence} of the history of Room ${roomId} (${entry.operation})`
    const through = this.through(roomId)
    if (sequence <= through) {
      const [here] = this.#instance.ledger.activity.after(roomId, sequence - 1, undefined, 1)
      if (here !== undefined && parse(here.body).digest === write.digest) return
      throw new CrateFault(`${where} is another one here: the Room has another history.`)
    }
    if (sequence !== through + 1) throw new CrateFault(`${where} comes before the one that is due, ${through + 1}.`)
    const here = this.#arrive(write, where, through)
    try {
      this.#replay({ ...write, entry: { ...write.entry, given: { ...write.entry.given, ...here } } })
    } catch (error) {
      // What the disk does is no fault of the Room's.
      throw error instanceof CrateFault || isStorageFault(error)
        ? error
        : new CrateFault(`${where} cannot be done here: ${messageOf(error)}`, { cause: error })
    }
    this.#done += 1
    if (this.#done % GROUP === 0) this.#instance.ledger.replaying.settle()
  }

  /**
   * Notes how people of other instances want to be cited: as their own instance says, or where nothing is known, as any.
   * @param by the instance that says so @param baseUrl its address
   */
  describe(described: Iterable<readonly [userId: string, Described]>, by: string, baseUrl: string): void {
    const { tables, accounts } = this.#instance
    for (const [idThere, told] of described) {
      const userId = tables.people.foreigner(baseUrl, idThere)?.userId
      const known = userId === undefined ? undefined : tables.people.described(userId)
      if (userId === undefined || known === undefined || known.instanceId === null) continue
      const { name, givenName, familyName, orcid } = known
      const before: Described = { name, givenName, familyName, orcid }
      const isNews = canonicalJson({ ...before }) !== canonicalJson({ ...told })
      if (isNews && (known.instanceId === by || Object.values(before).every((part) => part === null))) accounts.told(userId, told)
    }
  }

  /**
   * Notes the origin of a Room, and the people it names, before the first new write.
   * @returns the ids that people of there have here, where those are others
   */
  #arrive({ roomId, sequence, entry, people, member }: ProvedWrite, where: string, through: number): Pick<Given, "people"> {
    const { tables, importing, instanceId, lineage } = this.#instance
    const { adopted = [], ...from } = this.#arrivals.from(roomId)
    mustBeAdopted(adopted, sequence, entry, where)
    // Authors from before the adoption belong to the instance where the Room was then.
    const of: Pick<Home, "instanceId" | "baseUrl"> = adopted.find(({ throughSequence }) => sequence <= throughSequence) ?? from
    if (through > 0 && tables.imported.from(roomId) === undefined)
      throw new CrateFault(`${where} is not here, though the Room is this instance's own: it has another history.`)
    if ([from, of].some((each) => [instanceId, ...lineage].includes(each.instanceId)))
      throw new CrateFault(`${where} is said to be of this instance, and is not here.`)
    const { baseUrl } = sourceOf(from, of)
    const unknownPeople: { userId: string; username: string }[] = []
    for (const userId of new Set(people)) {
      const username = this.#arrivals.people.get(userId)
      if (username === undefined) throw new CrateFault(`${where} names ${userId}, of whom nothing is said.`)
      const known = tables.people.foreigner(baseUrl, userId)
      if (known === undefined) unknownPeople.push({ userId, username })
      else if (known.knownAs !== username) throw new CrateFault(`${where} calls ${userId} ${username}, who is called ${known.knownAs}.`)
    }
    for (const { userId, username } of [entry, member ?? entry])
      if (this.#arrivals.people.get(userId ?? "") !== username) throw new CrateFault(`${where} names ${username}, who is called otherwise.`)
    const isNoted = this.#noted.has(roomId) && unknownPeople.length === 0
    if (isNoted) return this.#idsHere(baseUrl, people)
    importing.import_room(null, {
      roomId,
      ...from,
      people: unknownPeople,
      ...(this.#arrivals.isAlong(roomId) && { along: true }),
      ...(of !== from && { of: { instanceId: of.instanceId, baseUrl: of.baseUrl } }),
      ...(adopted[0] !== undefined && { knownIn: adopted[0].instanceId }),
    } satisfies Arrival)
    this.#noted.add(roomId)
    return this.#idsHere(baseUrl, people)
  }

  /** Another instance, such as a restored copy, may have people of the same ids: each has an id of its own here. */
  #idsHere(baseUrl: string, people: readonly string[]): Pick<Given, "people"> {
    const others = people.flatMap((id) => {
      const here = this.#instance.tables.people.foreigner(baseUrl, id)?.userId ?? id
      return here === id ? [] : [[id, here] as const]
    })
    return others.length === 0 ? {} : { people: Object.fromEntries(others) }
  }

  #replay({ roomId, sequence, digest, entry }: ProvedWrite): void {
    const { ledger, tables } = this.#instance
    const asked = priorJoinRequests(entry, roomId, (userId) => this.#arrivals.people.get(userId))
    if (asked !== null) ledger.replaying.received(asked, roomId)
    const made = ledger.replaying.received(entry, roomId)
    const is = made?.roomId === roomId && made.activity?.sequence === sequence && made.activity.digest === digest
    if (!is) throw new CrateFault(`Entry ${sequence} of the history of Room ${roomId} (${entry.operation}) does not come out as it was.`)
    if (sequence === 1 && tables.rooms.openingThread(roomId) === undefined)
      throw new CrateFault(`Entry 1 of the history of Room ${roomId} does not make it.`)
  }
}
