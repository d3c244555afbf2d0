/** The routes of reads: public ones, those of a credential, and those of a signed-in person. */
import type { H3Event } from "h3"
import { basePathOf } from "../contract/base-path.ts"
import { checkParameters } from "../contract/definitions/check-parameters.ts"
import { browserReadPath, isEvents, isForBearer, openOf, type Read } from "../contract/definitions/read.ts"
import { reads } from "../contract/reads/index.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { isDownload } from "../ledger/reads/reading.ts"
import { isoTime } from "../ledger/world.ts"
import { sharedBy } from "../edge/limits/address.ts"
import { answerFound } from "../edge/answers/answer.ts"
import { withoutAtLeast } from "../edge/at-least.ts"
import { agentCaller, mustBeOperator, mustBeSignedIn, mustStillBeBearer, personActor, signedIn } from "../edge/identity/callers.ts"
import type { Edge } from "../edge/edge.ts"
import { pathParams } from "../edge/paths.ts"
import { contextOf, nodeSide } from "../edge/limits/request-context.ts"
import type { Moment } from "../edge/requests/past.ts"
import { askRead } from "../edge/requests/reads.ts"
import type { Routes } from "../edge/requests/routes.ts"

/** Whether a read may be held open for a while. */
const mayWait = ({ query }: Read, { url }: H3Event): boolean => "wait" in query.entries && Number(url.searchParams.get("wait") ?? 0) > 0

/** The parameters of a stream of events: a browser that connects again says in a header what it heard last. */
function eventsQueryOf({ url, req }: H3Event): URLSearchParams {
  const heard = req.headers.get("last-event-id")
  const query = new URLSearchParams(url.searchParams)
  if (heard !== null && heard !== "") query.set("after", heard)
  return query
}

const answersBearer = (definition: Read, { url }: H3Event): boolean => isForBearer(definition, url.searchParams.has("exclude"))

/** Who asks, as the read's surface wants to know it. */
function asking(edge: Edge, definition: Read, event: H3Event): Actor | null {
  if (answersBearer(definition, event)) return agentCaller(edge, definition.family, event)
  if (definition.surface === "operator") return personActor(mustBeOperator(edge, event))
  if (definition.surface === "session") return personActor(mustBeSignedIn(edge, event))
  const person = definition.surface === "visitor" ? signedIn(edge, event) : undefined
  return person === undefined ? null : personActor(person)
}

/** The parameters of a read; the form of its answer may also be asked for by the header made for that. */
function parametersOf({ formats }: Read, { url, req }: H3Event): URLSearchParams {
  const accept = req.headers.get("accept") ?? "*/*"
  if (accept === "*/*") return url.searchParams
  const accepted = accept.split(",").map((type) => type.split(";")[0]?.trim().toLowerCase())
  const [form] = Object.entries(formats).find(([, { mediaType }]) => accepted.includes(mediaType)) ?? []
  if (form === undefined || url.searchParams.has("format")) return url.searchParams
  const parameters = new URLSearchParams(url.searchParams)
  parameters.set("format", form)
  return parameters
}

/** The parameters of a request for a read, without what says how it is answered. */
const queryOf = (definition: Read, event: H3Event): URLSearchParams =>
  isEvents(definition)
    ? eventsQueryOf(event)
    : withoutAtLeast(Object.keys(definition.formats).length > 0 ? parametersOf(definition, event) : event.url.searchParams)

/** The moment that a read is asked for; undefined for now. @throws Refusal for parameters that it does not take */
function momentAsked(definition: Read, event: H3Event): Moment | undefined {
  if (!definition.at || !event.url.searchParams.has("at")) return undefined
  const { at, ...query } = checkParameters(definition, queryOf(definition, event))
  return typeof at === "number" ? { params: pathParams(event), query, sequence: at } : undefined
}

/** Adds every read of the registry. */
export function readRoutes(edge: Edge, routes: Routes): void {
  const { world } = edge.instance
  const basePath = basePathOf(edge)
  for (const definition of reads) {
    const hasForms = Object.keys(definition.formats).length > 0
    const answered = async (event: H3Event, by: () => Actor | null, signal?: AbortSignal) => {
      const asked = askRead(edge, definition, {
        params: pathParams(event),
        query: queryOf(definition, event),
        by,
        ...(signal && { signal }),
      })
      const found = asked.found instanceof Promise ? await asked.found : asked.found
      const notYet = edge.mayBeSent?.(definition.name)
      if (notYet !== undefined) await notYet
      // The body of a HEAD is not sent, so it is not made.
      if (event.req.method === "HEAD" && isDownload(found)) await found.bytes.cancel()
      const answer = answerFound(definition, asked.query.format, found, { url: event.url, basePath, at: () => isoTime(world.now()) })
      if (hasForms) answer.append("vary", "accept")
      return answer
    }
    /** Events are counted as a feed that waits for as long as somebody listens, and end when they go. */
    const listenedTo = async (event: H3Event, by: () => Actor | null) => {
      const release = edge.budgets?.holdFeed(sharedBy(contextOf(event).address))
      const response = nodeSide(event)?.res
      if (response === undefined || release === undefined) return answered(event, by, event.req.signal)
      response.once("close", release)
      return answered(event, by, event.req.signal)
    }
    /** One that may be held open is counted for as long as it is, and ends when its reader goes. Who asked must still be let in at its end. */
    const held = async (event: H3Event, by: () => Actor | null) => {
      const release = edge.budgets?.holdFeed(sharedBy(contextOf(event).address))
      try {
        const answer = await answered(event, by, event.req.signal)
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
        (isEvents(definition) ? listenedTo : mayWait(definition, event) ? held : answered)(event, () => asking(edge, definition, event)),
      openOf(definition),
      definition.costly ? { cost: "expensive", moment: (event) => momentAsked(definition, event) } : undefined,
    )
    const inBrowser = browserReadPath(definition)
    if (inBrowser !== null)
      routes.add(definition.method, inBrowser, (event) => answered(event, () => personActor(mustBeSignedIn(edge, event))))
  }
}
