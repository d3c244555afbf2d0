/** The routes of reads: public ones, those for credentials, and those for signed-in people. */
import type { H3Event } from "h3"
import { basePathOf } from "../contract/base-path.ts"
import { checkParameters } from "../contract/definitions/check-parameters.ts"
import { browserReadPath, isEvents, isForBearer, openOf, type Read } from "../contract/definitions/read.ts"
import { reads } from "../contract/reads/index.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { isDownload } from "../ledger/reads/reading.ts"
import { isoTime } from "../ledger/world.ts"
import { callerKey, sharedBy } from "../edge/limits/address.ts"
import { answerFound } from "../edge/answers/answer.ts"
import { withoutAtLeast } from "../edge/at-least.ts"
import {
  agentCaller,
  mustBeOperator,
  mustBeSignedIn,
  mustStillBeBearer,
  personActor,
  signedIn,
} from "../edge/identity/callers.ts"
import type { Edge } from "../edge/edge.ts"
import { sentParameters, sentToRead } from "../edge/limits/body.ts"
import { pathParams } from "../edge/paths.ts"
import { contextOf, nodeSide } from "../edge/limits/request-context.ts"
import { askRead, type Moment } from "../edge/requests/reads.ts"
import type { Routes } from "../edge/requests/routes.ts"

const mayWait = ({ query }: Read, { url }: H3Event): boolean =>
  "wait" in query.entries && Number(url.searchParams.get("wait") ?? 0) > 0

/** The parameters of an event stream. A browser that reconnects sends the last event's id in a header. */
function eventsQueryOf({ url, req }: H3Event): URLSearchParams {
  const lastId = req.headers.get("last-event-id")
  const query = new URLSearchParams(url.searchParams)
  if (lastId !== null && lastId !== "") query.set("after", lastId)
  return query
}

const answersBearer = (definition: Read, { url }: H3Event): boolean =>
  isForBearer(definition, url.searchParams.has("exclude"))

function authenticate(edge: Edge, definition: Read, event: H3Event): Actor | null {
  if (answersBearer(definition, event)) return agentCaller(edge, definition.family, event)
  if (definition.surface === "operator") return personActor(mustBeOperator(edge, event))
  if (definition.surface === "session") return personActor(mustBeSignedIn(edge, event))
  const person = definition.surface === "visitor" ? signedIn(edge, event) : undefined
  return person === undefined ? null : personActor(person)
}

/** The parameters of a read. The `Accept` header can also choose the format. */
function parametersOf({ formats }: Read, { url, req }: H3Event): URLSearchParams {
  const accept = req.headers.get("accept") ?? "*/*"
  if (accept === "*/*") return url.searchParams
  const accepted = accept.split(",").map((type) => type.split(";")[0]?.trim().toLowerCase())
  const [format] = Object.entries(formats).find(([, { mediaType }]) => accepted.includes(mediaType)) ?? []
  if (format === undefined || url.searchParams.has("format")) return url.searchParams
  const parameters = new URLSearchParams(url.searchParams)
  parameters.set("format", format)
  return parameters
}

/** The parameters that go to the reader. */
const queryOf = (definition: Read, event: H3Event): URLSearchParams =>
  isEvents(definition)
    ? eventsQueryOf(event)
    : withoutAtLeast(
        Object.keys(definition.formats).length > 0 ? parametersOf(definition, event) : event.url.searchParams,
      )

/** The earlier moment that a request asks for; undefined for the present. @throws Refusal for invalid parameters */
function momentOf(definition: Read, event: H3Event): Moment | undefined {
  if (!definition.at || !event.url.searchParams.has("at")) return undefined
  const { at, ...query } = checkParameters(definition, queryOf(definition, event))
  return typeof at === "number" ? { params: pathParams(event), query, sequence: at } : undefined
}

/** Adds the reads of the registry. */
export function readRoutes(edge: Edge, routes: Routes): void {
  const { world } = edge.instance
  const basePath = basePathOf(edge)
  for (const definition of reads) {
    const hasFormats = Object.keys(definition.formats).length > 0
    const isSent = definition.method === "POST"
    const respond = async (event: H3Event, by: () => Actor | null, signal?: AbortSignal) => {
      const query = isSent ? await sentParameters(event) : queryOf(definition, event)
      const asked = askRead(edge, definition, {
        params: pathParams(event),
        query,
        by,
        caller: callerKey(contextOf(event)),
        ...(signal && { signal }),
      })
      const found = asked.found instanceof Promise ? await asked.found : asked.found
      const unsent = edge.mayBeSent?.(definition.name)
      if (unsent !== undefined) await unsent
      // A HEAD response has no body, so the stream is cancelled.
      if (event.req.method === "HEAD" && isDownload(found)) await found.bytes.cancel()
      const answer = answerFound(definition, asked.query.format, found, {
        url: event.url,
        basePath,
        at: () => isoTime(world.now()),
      })
      if (hasFormats) answer.append("vary", "accept")
      return answer
    }
    /** An event stream counts as an open feed until the client disconnects. */
    const stream = async (event: H3Event, by: () => Actor | null) => {
      const release = edge.budgets?.holdFeed(sharedBy(contextOf(event).address))
      if (release !== undefined) nodeSide(event)?.res.once("close", release)
      return respond(event, by, event.req.signal)
    }
    /** A waiting read counts as an open feed until its response. The bearer must still be valid then. */
    const wait = async (event: H3Event, by: () => Actor | null) => {
      const release = edge.budgets?.holdFeed(sharedBy(contextOf(event).address))
      try {
        const answer = await respond(event, by, event.req.signal)
        if (answersBearer(definition, event)) mustStillBeBearer(edge, definition.family, event)
        return answer
      } finally {
        release?.()
      }
    }
    routes.add(
      definition.method,
      definition.path,
      (event) =>
        (isEvents(definition) ? stream : mayWait(definition, event) ? wait : respond)(event, () =>
          authenticate(edge, definition, event),
        ),
      openOf(definition),
      definition.costly
        ? {
            cost: "expensive",
            moment: (event) => momentOf(definition, event),
            ...(isSent && { body: sentToRead }),
          }
        : undefined,
    )
    const inBrowser = browserReadPath(definition)
    if (inBrowser !== null)
      routes.add(definition.method, inBrowser, (event) =>
        respond(event, () => personActor(mustBeSignedIn(edge, event))),
      )
  }
}
