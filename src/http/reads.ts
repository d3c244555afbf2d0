/** The routes of reads: public ones, those for credentials, and those for signed-in people. */
import type { H3Event } from "h3"
import { basePathOf } from "../contract/service.ts"
import { checkParameters, withoutAtLeast, askRead, type Moment } from "../edge/requests/reads.ts"
import { browserReadPath, isEvents, isForBearer, openOf, type Read } from "../contract/definitions/read.ts"
import { reads } from "../contract/reads/index.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { isDownload } from "../ledger/reads/reading.ts"
import { isoTime } from "../ledger/world.ts"
import { callerKey, sharedBy, contextOf, nodeSide } from "../edge/limits/request-context.ts"
import { answerFound } from "../edge/answers/answer.ts"
import { Refusal } from "../contract/refusals.ts"
import { isDocument, MARKDOWN, markdownPath, prefersMarkdown, SUFFIX } from "../edge/answers/as-markdown.ts"
import {
  agentCaller,
  mustBeOperator,
  mustBeSignedIn,
  mustStillBeBearer,
  personActor,
  signedIn,
} from "../edge/identity/callers.ts"
import { type Edge, pathParams } from "../edge/edge.ts"
import { sentParameters, sentToRead } from "../edge/limits/body.ts"
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

/** The ids in a read's path, without the suffix that asks for Markdown. */
function idsOf({ path }: Read, event: H3Event): Record<string, string> {
  const params = pathParams(event)
  const last = /\{(\w+)\}$/.exec(path)?.[1]
  const value = params[last ?? ""]
  return last === undefined || value === undefined || !takesSuffix(last)
    ? params
    : { ...params, [last]: value.endsWith(SUFFIX) ? value.slice(0, -SUFFIX.length) : value }
}

/** Whether a parameter at the end of a path can be told from the suffix: names of people and DOIs can end like it. */
const takesSuffix = (name: string): boolean => !["username", "paperId", "token"].includes(name)

/** Whether a request asks for the Markdown that is made of any answer: by its address, a parameter or `Accept`. */
function isMarkdownAsked(definition: Read, { url, req }: H3Event): boolean {
  if (!isDocument(definition)) return false
  const { searchParams } = url
  if (searchParams.has("format")) return searchParams.get("format") === "markdown"
  return isSuffixed(definition, url) || prefersMarkdown(req.headers.get("accept") ?? "", "application/json")
}

/** Whether the address of a document asks for Markdown. */
function isSuffixed(definition: Read, { pathname }: URL): boolean {
  const last = /\{(\w+)\}$/.exec(definition.path)?.[1]
  return isDocument(definition) && pathname.endsWith(SUFFIX) && (last === undefined || takesSuffix(last))
}

/** @throws Refusal if the address of a request asks for Markdown and a parameter for another form */
function mustAskForOneForm(definition: Read, { url }: H3Event): void {
  if (!isSuffixed(definition, url) || (url.searchParams.get("format") ?? "markdown") === "markdown") return
  throw new Refusal("invalid_parameter", `An address that ends in ${SUFFIX} is answered as Markdown.`, {
    issues: [{ path: "/format", message: `must be markdown here: leave ${SUFFIX} out to ask for another form` }],
  })
}

/** The form that a request asks for, of those that a read defines; undefined for JSON. */
function formatAsked(definition: Read, event: H3Event): string | undefined {
  const { formats } = definition
  const accept = event.req.headers.get("accept") ?? "*/*"
  const accepted = accept.split(",").map((type) => type.split(";")[0]?.trim().toLowerCase())
  const types = isMarkdownAsked(definition, event) ? [MARKDOWN] : accept === "*/*" ? [] : accepted
  return Object.entries(formats).find(([, { mediaType }]) => types.includes(mediaType))?.[0]
}

/** The parameters that go to the reader. A form that the read does not define is made of its JSON. */
function queryOf(definition: Read, event: H3Event): URLSearchParams {
  if (isEvents(definition)) return eventsQueryOf(event)
  const query = new URLSearchParams(withoutAtLeast(event.url.searchParams))
  const isOwn = Object.hasOwn(definition.formats, "markdown")
  if (query.get("format") === "markdown" && isDocument(definition) && !isOwn) query.delete("format")
  const format = query.has("format") ? undefined : formatAsked(definition, event)
  if (format !== undefined) query.set("format", format)
  return query
}

/** The earlier moment that a request asks for; undefined for the present. @throws Refusal for invalid parameters */
function momentOf(definition: Read, event: H3Event): Moment | undefined {
  if (!definition.at || !event.url.searchParams.has("at")) return undefined
  const { at, ...query } = checkParameters(definition, queryOf(definition, event))
  return typeof at === "number" ? { params: idsOf(definition, event), query, sequence: at } : undefined
}

/** Adds the reads of the registry. */
export function readRoutes(edge: Edge, routes: Routes): void {
  const { world } = edge.instance
  const basePath = basePathOf(edge)
  for (const definition of reads) {
    const hasFormats = Object.keys(definition.formats).length > 0 || isDocument(definition)
    const isSent = definition.method === "POST"
    const respond = async (event: H3Event, by: () => Actor | null, signal?: AbortSignal) => {
      const query = isSent ? await sentParameters(event) : queryOf(definition, event)
      const asked = askRead(edge, definition, {
        params: idsOf(definition, event),
        query,
        by: () => {
          const actor = by()
          mustAskForOneForm(definition, event)
          return actor
        },
        caller: callerKey(contextOf(event)),
        ...(signal && { signal }),
      })
      const found = asked.found instanceof Promise ? await asked.found : asked.found
      const unsent = edge.mayBeSent?.(definition.name)
      if (unsent !== undefined) await unsent
      // A HEAD response has no body, so the stream is cancelled.
      if (event.req.method === "HEAD" && isDownload(found)) await found.bytes.cancel()
      const format = asked.query.format ?? (isMarkdownAsked(definition, event) ? "markdown" : undefined)
      const answer = answerFound(definition, format, found, {
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
    const suffixed = markdownPath(definition)
    for (const path of [definition.path, ...(suffixed === null ? [] : [suffixed])])
      routes.add(
        definition.method,
        path,
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
