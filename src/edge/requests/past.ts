/** Looking back: a read, or a whole page, as of an earlier entry of its Room's activity. */
import { limits } from "../../contract/limits.ts"
import { extendJson, JsonText, stored, writeJson } from "../../contract/json.ts"
import type { Read } from "../../contract/definitions/read.ts"
import type { ReadName } from "../../contract/reads/index.ts"
import { badParameter } from "../../contract/refusals/refusal.ts"
import { type Asked, type Found, isDownload, NamedText } from "../../ledger/reads/reading.ts"
import type { Edge } from "../edge.ts"
import type { Past } from "../past-rooms.ts"

/** The Room that a read or a page is about, by the ids that it is given. @throws Refusal 404 for an id that names nothing, 422 without one */
function aboutRoom({ instance }: Edge, given: readonly (readonly [string, unknown])[]): string {
  for (const [name, ids] of given) {
    const id: unknown = Array.isArray(ids) ? ids[0] : ids
    const roomId = typeof id === "string" ? instance.ledger.roomOf(name.replace(/Ids$/, "Id"), id) : undefined
    if (roomId !== undefined) return roomId
  }
  throw badParameter("at", "is an entry of one Room's activity: say of which, with roomId or what belongs to a Room")
}

/** An earlier moment that a request asks for: an entry, and the ids that say of which Room. */
export interface Moment extends Pick<Asked, "params" | "query"> {
  readonly sequence: number
}

/** The Room at the moment that a page or read is asked for. Only a replay makes the caller wait. @throws Refusal */
export function pastOf(edge: Edge, { params, query, sequence }: Moment): Promise<Past> {
  const roomId = edge.instance.ledger.snapshot(() => aboutRoom(edge, [...Object.entries(params), ...Object.entries(query)]))
  if (edge.pasts === undefined) throw new Error("this edge was made without what looks back")
  return edge.pasts.of(roomId, sequence)
}

/** What a reader found, with the moment that it is of. Files and texts of other programs are as they are. */
function dated(found: Found, asOf: Past["asOf"], format: unknown): Found {
  if (typeof found === "string") return format === "markdown" ? `${markdownNote(asOf)}${found}` : found
  if (found instanceof NamedText || isDownload(found)) return found
  return found instanceof JsonText ? new JsonText(stored(extendJson(found.text, { asOf }))) : { ...found, asOf }
}

/** What stands above a text for agents. */
export const markdownNote = ({ sequence, acceptedAt }: Past["asOf"]): string => `As of entry ${sequence}, ${acceptedAt}.\n\n`

/** Asks a read as of an entry. @throws Refusal */
export async function askPast(edge: Edge, { name, query }: Read<ReadName>, asked: Asked, sequence: number): Promise<Found> {
  using past = await pastOf(edge, { ...asked, sequence })
  const { asOf, instance } = past
  const { budget } = asked.query
  // What says of which moment it is counts too.
  const less = Buffer.byteLength(asked.query.format === "markdown" ? markdownNote(asOf) : `,${writeJson({ asOf })}`)
  const within = "budget" in query.entries ? { budget: (typeof budget === "number" ? budget : limits.brief) - less } : {}
  return dated(await instance.ask(name, { ...asked, query: { ...asked.query, ...within } }), asOf, asked.query.format)
}
