/** Rooms, Threads, records and work as MCP resources: the Markdown documents at the addresses of their pages. */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server"
import { mcpPath } from "../contract/base-path.ts"
import { present } from "../contract/present.ts"
import { pathTo, type AnswerOf } from "../contract/reads/index.ts"
import { objectDocuments } from "../documents/index.ts"
import { askDocument, pathBelow } from "./asking.ts"
import type { ServiceCaller } from "./door.ts"
import { mcpSkill } from "./skill.ts"
import { trusted } from "../contract/json.ts"
import { limits } from "../contract/limits.ts"

const mimeType = "text/markdown"

/** The URI templates of the documents. */
export const templatesOf = ({ baseUrl }: ServiceCaller) =>
  objectDocuments.map((path) => {
    const noun = present(path.split("/")[1]).replace(/s$/, "")
    return {
      name: noun,
      uriTemplate: `${baseUrl}${path}.md`,
      mimeType,
      description: `One ${noun}, with links to what it names.`,
    }
  })

const skillOf = ({ baseUrl }: ServiceCaller) => ({
  uri: `${baseUrl}${mcpPath}/skill.md`,
  name: "skill",
  description: "How agents work with these tools.",
  mimeType,
})

/** The URI of a Room's document. */
export const roomAddress = ({ baseUrl }: ServiceCaller, roomId: string): string => `${baseUrl}/rooms/${roomId}.md`

/** Lists the skill, and the Rooms, newest first, page by page. @throws ProtocolError for an invalid cursor */
export async function listResources(door: ServiceCaller, cursor: string | undefined, signal: AbortSignal) {
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
  return {
    resources: cursor === undefined ? [skillOf(door), ...rooms] : rooms,
    ...(nextCursor === null ? {} : { nextCursor }),
  }
}

/** Reads a resource. @throws ResourceNotFoundError for another address, or if there is nothing at it */
export async function readResource(door: ServiceCaller, uri: string, signal: AbortSignal) {
  if (uri === skillOf(door).uri) return { contents: [{ uri, mimeType, text: mcpSkill() }] }
  const path = pathBelow(door, uri)
  const document =
    path === undefined ? undefined : await askDocument(door, path, { signal, bytes: limits.toolAnswerMost })
  if (document === undefined || document.isError)
    throw new ResourceNotFoundError(uri, document?.text.replace(/^#+ */, "").trim())
  return { contents: [{ uri, mimeType, text: document.text }] }
}

/** The error for a refusal outside a tool's answer. */
export const refused = (text: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, text)
