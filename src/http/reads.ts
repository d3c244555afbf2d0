/** The routes of reads: public ones, those of a credential, and those of a signed-in person. */
import type { H3Event } from "h3"
import { JsonText, type Writable } from "../contract/json.ts"
import { operationNamed } from "../contract/operations/index.ts"
import { browserReadPath, checkParameters, mediaTypeOf, type Read } from "../contract/read.ts"
import { reads } from "../contract/reads/index.ts"
import { Refusal } from "../contract/refusals.ts"
import type { Actor } from "../ledger/actor.ts"
import { keyRefusal } from "../ledger/entrance.ts"
import { ColumnPage, Download, LibraryPage, Page, PlainText } from "../ledger/paging.ts"
import type { Reader, Readers } from "../ledger/reading.ts"
import { moment } from "../ledger/world.ts"
import { answer, columnPageText, download, json, libraryPageText, pageText, versioned } from "../edge/answer.ts"
import { bearer, type Edge, mustBeSignedIn, mustNotComeFromBrowser, pathParams, personActor, signedIn } from "../edge/edge.ts"
import type { Routes } from "../edge/routes.ts"

/** Who asks, as the read's surface wants to know it. */
function asking(edge: Edge, definition: Read, event: H3Event): Actor | null {
  if (definition.surface === "credential" || definition.surface === "key") {
    mustNotComeFromBrowser(event)
    return bearer(edge, definition.family, event)
  }
  if (definition.surface === "session") return personActor(mustBeSignedIn(edge, event))
  const person = definition.surface === "visitor" ? signedIn(edge, event) : undefined
  return person === undefined ? null : personActor(person)
}

/** The reads that need more than a domain's tables. */
function edgeReaders({
  instance,
  baseUrl,
  softwareVersion,
}: Edge): Pick<Readers, "receipt" | "session" | "invitation" | "record" | "room_export"> {
  const { accounts, citations, exports, ledger, readers, tables } = instance
  return {
    receipt({ actor, query }) {
      const named = operationNamed(query.operation)
      // What a person did in their Library is not for a credential of a Room to learn.
      const operation = named?.family === "research" ? named : undefined
      const deliveryId = operation === undefined ? undefined : query[operation.delivery]
      if (operation === undefined || deliveryId === undefined || actor === null) {
        const name = operation?.delivery ?? "operation"
        throw new Refusal("invalid_parameter", `Name an operation and its ${operation?.delivery ?? "delivery id"}.`, {
          issues: [{ path: `/${name}`, message: "is missing, or names nothing" }],
        })
      }
      const stored = ledger.receipt(operation, actor, deliveryId)
      if (stored === undefined)
        throw new Refusal("unknown_receipt", "You have no receipt under this operation and id: nothing was stored for it.")
      return new JsonText(stored)
    },
    record(asked) {
      const versionId = asked.params.versionId as string
      if (asked.query.format === "bibtex") return new PlainText(citations.bibtex(versionId, baseUrl))
      if (asked.query.format === "csl") return new PlainText(citations.csl(versionId, baseUrl))
      return readers.record(asked)
    },
    room_export: ({ params }) => exports.open(params.roomId as string, { baseUrl, softwareVersion }),
    session({ actor }) {
      const person = actor && tables.people.withId(actor.userId)
      return { person: person ? { userId: person.userId, username: person.username, isOperator: person.isOperator } : null }
    },
    invitation({ params }) {
      const { invitationId, invitedBy, room, expiresAt } = accounts.invitation(params.token as string)
      return { invitationId, invitedBy: invitedBy.username, room: room && { ...room }, expiresAt }
    },
  }
}

/** What answers each read of the registry, for the routes and for the pages. */
export const readersOf = (edge: Edge): Readers => ({ ...edge.instance.readers, ...edgeReaders(edge) })

/** Adds every read of the registry. */
export function readRoutes(edge: Edge, routes: Routes): void {
  const { instance, baseUrl } = edge
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, "")
  const readers = readersOf(edge)
  for (const definition of reads) {
    const reader = readers[definition.name as keyof Readers] as Reader<unknown>
    const asked = async (event: H3Event, actor: Actor | null) => {
      const query = checkParameters(definition, event.url.searchParams)
      const lacking = actor && keyRefusal(definition, actor)
      if (lacking) throw lacking
      const found = await reader({ params: pathParams(event), query, actor, basePath, signal: event.req.signal })
      if (found instanceof Page) return json(pageText(found, event.url, basePath, moment(instance.world.now())))
      if (found instanceof ColumnPage) return json(columnPageText(found, event.url, basePath, moment(instance.world.now())))
      if (found instanceof LibraryPage) return json(libraryPageText(found, event.url, basePath))
      if (found instanceof PlainText) return answer(found.text, mediaTypeOf(definition, query.format))
      if (found instanceof Download) {
        // Nobody reads the body of a HEAD: it is given back unmade.
        if (event.req.method === "HEAD") await found.bytes.cancel()
        return download(found.bytes, definition.mediaType, found.name)
      }
      if (found instanceof JsonText) return json(found.text)
      return json(versioned(found as { readonly [member: string]: Writable }, definition.family))
    }
    routes.add(definition.method, definition.path, (event) => asked(event, asking(edge, definition, event)))
    const inBrowser = browserReadPath(definition)
    if (inBrowser !== null) routes.add(definition.method, inBrowser, (event) => asked(event, personActor(mustBeSignedIn(edge, event))))
  }
}
