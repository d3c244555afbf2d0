/** Rooms, Threads, records and work as resources: the documents that are served at the addresses of their pages. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server"
import { mcpPath } from "../contract/base-path.ts"
import { present } from "../contract/present.ts"
import { pathTo, type AnswerOf } from "../contract/reads/index.ts"
import { documents } from "../documents/index.ts"
import { askDocument, pathBelow } from "./asking.ts"
import type { ServiceCaller } from "./door.ts"
import { mcpSkill } from "./skill.ts"
import { trusted } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"

const mimeType = "text/markdown"

/** The addresses of documents, with a place for an id in each. */
export const templatesOf = ({ baseUrl }: ServiceCaller) =>
  Object.keys(documents).map((path) => {
    const noun = present(path.split("/")[1]).replace(/s$/, "")
    return { name: noun, uriTemplate: `${baseUrl}${path}.md`, mimeType, description: `One ${noun}, with links to what it names.` }
  })

const skillOf = ({ baseUrl }: ServiceCaller) => ({
  uri: `${baseUrl}${mcpPath}/skill.md`,
  name: "skill",
  description: "How an agent works here with these tools.",
  mimeType,
})

/** A Room's page as a resource. */
export const roomAddress = ({ baseUrl }: ServiceCaller, roomId: string): string => `${baseUrl}/rooms/${roomId}.md`

/** The skill and the Rooms, newest first, a page at a time. @throws ProtocolError for a cursor that is none */
export async function listed(door: ServiceCaller, cursor: string | undefined, signal: AbortSignal) {
  const { status, text } = await door.ask(
    { method: "GET", path: pathTo("rooms", {}, cursor === undefined ? {} : { after: cursor }), asBearer: false },
    signal,
  )
  if (status >= 400) throw refused(text)
  const { items, nextCursor } = trusted<AnswerOf<"rooms"> & { readonly nextCursor: string | null }>(text)
  const rooms = items.map(({ roomId, title, question }) => ({
    uri: roomAddress(door, roomId),
    name: title,
    mimeType,
    ...(question === null ? {} : { description: question }),
  }))
  return { resources: cursor === undefined ? [skillOf(door), ...rooms] : rooms, ...(nextCursor === null ? {} : { nextCursor }) }
}

/** @throws ResourceNotFoundError for an address that is none of these, or where nothing is */
export async function resource(door: ServiceCaller, uri: string, signal: AbortSignal) {
  if (uri === skillOf(door).uri) return { contents: [{ uri, mimeType, text: mcpSkill(door) }] }
  const path = pathBelow(door, uri)
  const told = path === undefined ? undefined : await askDocument(door, path, { signal, bytes: limits.toolAnswerMost })
  if (told === undefined || told.isError) throw new ResourceNotFoundError(uri, told?.text.replace(/^#+ */, "").trim())
  return { contents: [{ uri, mimeType, text: told.text }] }
}

/** A refusal in the place of something other than a tool's answer. */
export const refused = (text: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, text)
