/** Reads the origin of a crate and the people that it names. */
import * as v from "valibot"
import { type Described, isOrcid } from "../../contract/answers/description.ts"
import { limits } from "../../contract/limits.ts"
import { READABLE } from "../../contract/schema/fields.ts"
import { CrateFault, type CrateFile } from "./crate-file.ts"

/** The format version of crates that this program reads and writes. */
export const FORM = 1
/** The most people that a crate may name. */
const MOST_PEOPLE = 20_000

export const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "is not an id"))
/** The name of a person on the instance that wrote the crate. */
export const NAME = v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/, "is not a name"))
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

export function checked<S extends v.GenericSchema>(schema: S, value: unknown, what: string): v.InferOutput<S> {
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
