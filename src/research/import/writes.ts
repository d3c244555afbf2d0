/**
 * Reads what a crate holds: its origin, the people that it names, and its writes. Each write is proved against its
 * Room's activity before it is replayed.
 */
import * as v from "valibot"
import { isDeepStrictEqual } from "node:util"
import { entryDigest, firstPreviousDigest } from "../../contract/reads/activity.ts"
import { canonicalJson, digestOf, isObject, type JsonObject } from "../../contract/json.ts"
import { plain, READABLE } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { recordedOperation, type OperationName } from "../../contract/operations/index.ts"
import type { Entry } from "../../ledger/journal/journal.ts"
import { FORM } from "../export/parts.ts"
import { CrateFault, type CrateFile } from "./crate-file.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { type Claim, claimsIn, isNamedBy, isWithholdable, withMarks } from "../../contract/nouns/withholding.ts"
import { type Described, isOrcid } from "../../contract/nouns/people.ts"

// The origin of a crate and the people that it names.

/** The most people that a crate may name. */
const MOST_PEOPLE = 20_000

const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "is not an id"))
/** The name of a person on the instance that wrote the crate. */
const NAME = v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/, "is not a name"))
/**
 * The address of a service as a browser writes it. Another spelling of the same host would pass for another instance.
 */
export const address = v.pipe(
  v.string(),
  v.maxLength(300),
  v.url(),
  v.check((value) => {
    const { protocol, hostname, username, search, hash, href } = new URL(value)
    const isPlain = username === "" && search === "" && hash === "" && !hostname.endsWith(".")
    return (protocol === "http:" || protocol === "https:") && isPlain && href.replace(/\/$/, "") === value
  }, "is not the address of a service"),
)

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(1))
/** An instance that had a Room before it was adopted, and the last entry of its activity there. */
export const homeSchema = v.object({ instanceId: uuid, baseUrl: address, throughSequence: count })
/** The most times that a Room may have been adopted. */
export const MOST_HOMES = 100
export const elsewhereSchema = v.object({
  instanceId: uuid,
  baseUrl: address,
  softwareVersion: v.pipe(v.string(), v.maxLength(50)),
  adopted: v.optional(v.pipe(v.array(homeSchema), v.maxLength(MOST_HOMES))),
})
const originSchema = v.object({
  ...elsewhereSchema.entries,
  roomId: uuid,
  entries: count,
  /** The cited Rooms that come from yet another instance, or were adopted. */
  cited: v.record(uuid, elsewhereSchema),
})
export type CrateOrigin = v.InferOutput<typeof originSchema>

function checked<S extends v.GenericSchema>(schema: S, value: unknown, what: string): v.InferOutput<S> {
  const found = v.safeParse(schema, value, { abortEarly: true })
  if (found.success) return found.output
  throw new CrateFault(
    `${what} is not as this program writes it (${v.getDotPath(found.issues[0]) ?? "it"}: ${found.issues[0].message}).`,
  )
}

async function first(crate: CrateFile, path: string): Promise<unknown> {
  for await (const { value } of crate.lines(path)) return value
  throw new CrateFault(`${path} in the crate is empty.`)
}

/** @throws CrateFault for a crate of a later format */
export async function originOf(crate: CrateFile): Promise<CrateOrigin> {
  const origin = await first(crate, "origin.json")
  const { success, output } = v.safeParse(v.object({ form: v.number() }), origin)
  if (success && output.form > FORM)
    throw new CrateFault(`The crate is of a newer version (form ${output.form}; this program reads ${FORM}).`)
  return checked(originSchema, origin, "origin.json in the crate")
}

const named = v.optional(v.nullable(v.pipe(v.string(), v.regex(READABLE), v.maxLength(5 * limits.title))))
/** A person as another instance describes them. Earlier versions leave out how they want to be cited. */
export const personLine = v.strictObject({
  userId: uuid,
  username: NAME,
  name: named,
  givenName: named,
  familyName: named,
  orcid: v.optional(
    v.nullable(
      v.pipe(v.string(), v.regex(/^[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$/), v.check(isOrcid, "is not an ORCID")),
    ),
  ),
})

/** Invisible characters, and those that change the direction of text. A name with them may look like another name. */
const UNSEEN = /[\p{Cc}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u
const seen = (name: string | null) => (name === null || UNSEEN.test(name) ? null : name)

/**
 * How a person wants to be cited, without names that have invisible characters; undefined if their instance does not
 * say.
 */
export const describedBy = ({
  name,
  givenName = null,
  familyName = null,
  orcid = null,
}: v.InferOutput<typeof personLine>) =>
  name === undefined ? undefined : { name: seen(name), givenName: seen(givenName), familyName: seen(familyName), orcid }

/** Reads the people that a crate names: their names, and how they want to be cited, by id. @throws CrateFault */
export async function peopleOf(crate: CrateFile) {
  const people = new Map<string, string>()
  const described = new Map<string, Described>()
  for await (const { number, value } of crate.lines("people.jsonl")) {
    const found = v.safeParse(personLine, value)
    if (!found.success || people.has(found.output.userId))
      throw new CrateFault(`people.jsonl line ${number} does not name a person, or names one a second time.`)
    people.set(found.output.userId, found.output.username)
    const description = describedBy(found.output)
    if (description !== undefined) described.set(found.output.userId, description)
    if (people.size > MOST_PEOPLE) throw new CrateFault(`The crate names more than ${MOST_PEOPLE} people.`)
  }
  return { people, described }
}

// Checks parts that another instance withheld: a proved write of the same activity must have withheld each.

/** The part of a withholding write that says what it withholds. It is unproved until its turn in the activity. */
const markSchema = v.object({
  sequence: v.number(),
  operation: v.literal("withhold_content" satisfies OperationName),
  at: v.string(),
  actor: v.object({ userId: v.string(), username: v.string() }),
  body: v.object({
    of: v.object({
      sequence: v.optional(v.number()),
      entryId: v.optional(v.string()),
      versionId: v.optional(v.string()),
    }),
    fields: v.pipe(v.array(v.string()), v.maxLength(1_000)),
    reason: v.string(),
  }),
})
type Mark = v.InferOutput<typeof markSchema>

/** An unproved write that may have withheld parts. */
interface WithheldPart {
  readonly sequence: number
  readonly body: JsonObject
  readonly client?: JsonObject | undefined
  readonly given: { readonly ids?: readonly string[] | undefined }
}

/** The withholding writes of some Rooms that have been seen so far. */
export class Withholdings {
  readonly #rooms = new Map<string, Mark[]>()

  /** Notes a write if it withholds something. */
  note(roomId: string, written: unknown): void {
    const { success, output } = v.safeParse(markSchema, written)
    if (success) this.#rooms.getOrInsertComputed(roomId, () => []).push(output)
  }

  #explains(roomId: string, { sequence, given }: WithheldPart, { place, notice }: Claim): boolean {
    return (this.#rooms.get(roomId) ?? []).some((each) => {
      const { of, fields, reason } = each.body
      const id = of.entryId ?? of.versionId
      const isOf = of.sequence === sequence || (id !== undefined && given.ids?.includes(id) === true)
      const isNoticed = isDeepStrictEqual(notice, { at: each.at, by: each.actor, reason })
      return isOf && isNoticed && each.sequence > sequence && fields.some((field) => isNamedBy(place, field))
    })
  }

  /**
   * Returns a write with marks in place of its withheld parts.
   * @param isWhole whether its body has the digest of the accepted one
   * @returns null if nothing was withheld
   * @throws CrateFault for a part that no write withheld
   */
  marked(
    roomId: string,
    operation: Operation,
    received: WithheldPart,
    {
      contentDigest,
      isWhole,
      where,
    }: { readonly contentDigest: string; readonly isWhole: boolean; readonly where: string },
  ): { readonly content: string; readonly client: JsonObject | undefined } | null {
    if (!isWithholdable(operation)) return null
    const whole = { ...received.body, ...(received.client === undefined ? {} : { client: received.client }) }
    const claims = claimsIn(operation, whole).filter(({ place }) => !isWhole || isNamedBy(place, "/client"))
    const explained = claims.filter((claim) => this.#explains(roomId, received, claim))
    const open = claims.find((claim) => !claim.mayBeContent && !explained.includes(claim))
    if (open !== undefined)
      throw new CrateFault(
        `${where} is said to be withheld at ${open.place}, and no write of the activity withholds that.`,
      )
    if (explained.length === 0) return null
    const { client, ...content } = withMarks(whole, contentDigest, explained)
    return { content: canonicalJson(content), client: client as JsonObject | undefined }
  }
}

/** The most ids that a write may have been given. */
const MOST_IDS = 100

const at = v.pipe(
  v.string(),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  v.check((value) => !Number.isNaN(Date.parse(value)), "is not a time"),
)
const digest = v.pipe(v.string(), v.regex(/^sha256:[0-9a-f]{64}$/))
/** The actor, with the name of the agent, which the digest in the feed covers. */
const actor = v.strictObject({
  userId: uuid,
  username: NAME,
  agent: v.optional(v.nullable(plain(limits.credentialLabel))),
})
const object = v.custom<JsonObject>((value) => isObject(value) && !Array.isArray(value), "is not an object")

const writeSchema = v.strictObject({
  sequence: v.pipe(v.number(), v.safeInteger()),
  operation: v.string(),
  at,
  actor,
  path: v.record(v.string(), uuid),
  body: object,
  client: v.optional(object),
  // Only ids are taken from it. The replay computes everything else that a write was given.
  given: v.object({ ids: v.optional(v.pipe(v.array(uuid), v.maxLength(MOST_IDS))) }),
})
const feedSchema = v.looseObject({
  sequence: v.number(),
  operation: v.string(),
  at,
  actor,
  target: v.looseObject({ kind: v.string(), id: v.string(), originRoomId: v.optional(uuid) }),
  contentDigest: digest,
  digest,
  previousDigest: digest,
})

/** A write that matches its entry of the feed. Replaying it must make an entry with the same digest. */
export interface ProvedWrite {
  readonly roomId: string
  readonly sequence: number
  readonly entry: Omit<Entry, "position" | "sender">
  /** The digest of its entry in the activity. */
  readonly digest: string
  /** The ids of all people that it names. */
  readonly people: readonly string[]
  /** The member that its body names. */
  readonly member: { readonly userId: string; readonly username: string } | null
}

/** Follows the feed of one Room, and proves each write against its entry. */
export class Prover {
  readonly #roomId: string
  readonly #of: string
  readonly #withheld: Withholdings
  #sequence: number
  #digest: string

  /**
   * @param withheld writes that withhold parts of earlier ones @param of how messages name the Room @param after the
   * last entry already proved
   */
  constructor(
    roomId: string,
    withheld: Withholdings,
    of = "",
    after: { readonly sequence: number; readonly digest: string } = { sequence: 0, digest: firstPreviousDigest },
  ) {
    this.#roomId = roomId
    this.#withheld = withheld
    this.#of = of
    this.#sequence = after.sequence
    this.#digest = after.digest
  }

  /** @throws CrateFault if an entry does not follow from the one before it, or the write does not match it */
  prove(activity: unknown, written: unknown): ProvedWrite {
    const due = this.#sequence + 1
    const inFeed = `Entry ${due} of the activity${this.#of}`
    const inHistory = `Entry ${due} of the history${this.#of}`
    const entry = checked(feedSchema, activity, inFeed)
    if (
      entry.sequence !== due ||
      entry.previousDigest !== this.#digest ||
      entryDigest(activity as Parameters<typeof entryDigest>[0]) !== entry.digest
    )
      throw new CrateFault(`${inFeed} does not follow from the one before it.`)
    const write = checked(writeSchema, written, inHistory)
    const operation = recordedOperation(write.operation)
    if (operation === undefined || operation.family !== "research" || operation.activity === null)
      throw new CrateFault(
        `${inHistory} is ${write.operation}, which this program does not know: it is from a newer version.`,
      )
    const content = canonicalJson(write.body)
    const { userId, username } = write.actor
    const isWhole = digestOf(content) === entry.contentDigest
    const marked = this.#withheld.marked(this.#roomId, operation, write, {
      contentDigest: entry.contentDigest,
      isWhole,
      where: inHistory,
    })
    const isMatch =
      write.sequence === due &&
      write.operation === entry.operation &&
      write.at === entry.at &&
      userId === entry.actor.userId &&
      username === entry.actor.username &&
      write.actor.agent === entry.actor.agent &&
      (isWhole || marked !== null)
    if (!isMatch) throw new CrateFault(`${inHistory} is not what the activity says was accepted.`)
    this.#sequence = due
    this.#digest = entry.digest
    const named = write.operation === "add_member" ? entry.target.id : undefined
    const member = write.path.userId ?? named
    return {
      roomId: this.#roomId,
      sequence: due,
      digest: entry.digest,
      member: named === undefined ? null : { userId: named, username: String(write.body.username) },
      people: member === undefined ? [userId] : [userId, member],
      entry: {
        operation: write.operation,
        userId,
        username,
        ...(entry.actor.agent !== undefined && { agent: entry.actor.agent ?? "" }),
        at: write.at,
        params: write.path,
        ...(marked === null
          ? { content, client: write.client }
          : // Only the instance that received the write knows the digest of a retry.
            { ...marked, keptDigests: { contentDigest: entry.contentDigest, requestDigest: "" } }),
        // The digest of the feed covers these values. A name in the body is a name on the other instance.
        given: {
          ...(write.given.ids && { ids: write.given.ids }),
          ...(entry.target.originRoomId !== undefined && { labelledBy: entry.target.originRoomId }),
          ...(named !== undefined && { named }),
        },
      },
    }
  }
}

const citedSchema = v.strictObject({
  roomId: uuid,
  before: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  activity: v.unknown(),
  write: v.unknown(),
})

/** Yields the writes of other Rooms in a crate, in the order of their replay. */
async function* citedWrites(
  crate: CrateFile,
  withheld: Withholdings,
): AsyncGenerator<ProvedWrite & { readonly before: number }> {
  const provers = new Map<string, Prover>()
  for await (const { number, value } of crate.lines("cited.jsonl")) {
    const { roomId, before, activity, write } = checked(citedSchema, value, `Line ${number} of cited.jsonl`)
    const prover = provers.getOrInsertComputed(
      roomId,
      () => new Prover(roomId, withheld, ` of the cited Room ${roomId}`),
    )
    yield { ...prover.prove(activity, write), before }
  }
}

/** Collects the withholding writes of a crate before its other writes are read. */
async function withholdingsOf(crate: CrateFile, roomId: string): Promise<Withholdings> {
  const withheld = new Withholdings()
  for await (const { value } of crate.lines("history.jsonl")) withheld.note(roomId, value)
  for await (const { value } of crate.lines("cited.jsonl"))
    if (isObject(value) && typeof value.roomId === "string") withheld.note(value.roomId, value.write)
  return withheld
}

/**
 * Yields every write of a crate in the order of their replay, each after it is proved.
 * @throws CrateFault at the first that does not match the feed
 */
export async function* provedWrites(crate: CrateFile, roomId: string): AsyncGenerator<ProvedWrite> {
  const withheld = await withholdingsOf(crate, roomId)
  const history = crate.lines("history.jsonl")
  const cited = citedWrites(crate, withheld)
  const prover = new Prover(roomId, withheld)
  let next = await cited.next()
  let due = 0
  for await (const { value } of crate.lines("activity.jsonl")) {
    due += 1
    for (; next.done !== true && next.value.before <= due; next = await cited.next()) yield next.value
    const line = await history.next()
    if (line.done === true) throw new CrateFault(`The history ends before entry ${due}.`)
    yield prover.prove(value, line.value.value)
  }
  if ((await history.next()).done !== true)
    throw new CrateFault(`The history continues after entry ${due}, the last of the activity.`)
  for (; next.done !== true; next = await cited.next()) yield next.value
}
