/** What a crate says of itself: where it comes from, and who is named in it. */
import * as v from "valibot"
import { type Described, isOrcid } from "../../contract/answers/description.ts"
import { limits } from "../../contract/limits.ts"
import { READABLE } from "../../contract/schema/patterns.ts"
import { CrateFault, type CrateFile } from "./crate-file.ts"

/** The form of crates that this program reads and writes. */
export const FORM = 1
/** People that one crate may name. */
const MOST_PEOPLE = 20_000

export const uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "is not an id"))
/** What somebody is called where they are from: a name as people choose one, of those from elsewhere with the instance's. */
export const NAME = v.pipe(v.string(), v.regex(/^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/, "is not a name"))
/** The address of a service as a browser writes it: another spelling of the same host would pass for another instance. */
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
/** Where a Room was before it was adopted, and the last entry of its activity there. */
export const homeSchema = v.object({ instanceId: uuid, baseUrl: address, throughSequence: count })
/** How often one Room may have been adopted. */
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
  /** Of the cited Rooms, those that are of yet another instance, or were adopted. */
  cited: v.record(uuid, elsewhereSchema),
})
export type CrateOrigin = v.InferOutput<typeof originSchema>

async function first(crate: CrateFile, path: string): Promise<unknown> {
  for await (const { value } of crate.lines(path)) return value
  throw new CrateFault(`${path} in the crate is empty.`)
}

/** @throws CrateFault for a crate of a later form */
export async function originOf(crate: CrateFile): Promise<CrateOrigin> {
  const told = await first(crate, "origin.json")
  const { success, output } = v.safeParse(v.object({ form: v.number() }), told)
  if (success && output.form > FORM)
    throw new CrateFault(`The crate is of a newer version (form ${output.form}; this program reads ${FORM}).`)
  const found = v.safeParse(originSchema, told, { abortEarly: true })
  if (found.success) return found.output
  throw new CrateFault(
    `origin.json in the crate is not as this program writes it (${v.getDotPath(found.issues[0]) ?? "it"}: ${found.issues[0].message}).`,
  )
}

const named = v.optional(v.nullable(v.pipe(v.string(), v.regex(READABLE), v.maxLength(5 * limits.title))))
/** Somebody as another instance tells of them. How they want to be cited is left out by earlier versions. */
export const personLine = v.strictObject({
  userId: uuid,
  username: NAME,
  name: named,
  givenName: named,
  familyName: named,
  orcid: v.optional(
    v.nullable(v.pipe(v.string(), v.regex(/^[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$/), v.check(isOrcid, "is not an ORCID"))),
  ),
})

/** Signs that nobody sees, or that turn what stands around them: a name with them may look like another one. */
const UNSEEN = /[\p{Cc}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u
const seen = (name: string | null) => (name === null || UNSEEN.test(name) ? null : name)

/** How somebody wants to be cited, as far as their instance says and it can be seen; undefined where it does not speak of it. */
export const describedBy = ({ name, givenName = null, familyName = null, orcid = null }: v.InferOutput<typeof personLine>) =>
  name === undefined ? undefined : { name: seen(name), givenName: seen(givenName), familyName: seen(familyName), orcid }

/** Everybody who is named there, by id: what they are called, and how they want to be cited. @throws CrateFault */
export async function peopleOf(crate: CrateFile) {
  const people = new Map<string, string>()
  const described = new Map<string, Described>()
  for await (const { number, value } of crate.lines("people.jsonl")) {
    const found = v.safeParse(personLine, value)
    if (!found.success || people.has(found.output.userId))
      throw new CrateFault(`people.jsonl line ${number} names no person, or the same person twice.`)
    people.set(found.output.userId, found.output.username)
    const told = describedBy(found.output)
    if (told !== undefined) described.set(found.output.userId, told)
    if (people.size > MOST_PEOPLE) throw new CrateFault(`The crate names more than ${MOST_PEOPLE} people.`)
  }
  return { people, described }
}
