/**
 * A visit: one request for a page, with its visitor and the reads they may make; the content that a page
 * returns, or a redirect.
 */
import type { H3Event } from "h3"
import { JsonText, type Parsed, parsed, type Served } from "../contract/json.ts"
import { type AnswerOf, type ParametersOf, pathTo, type ReadName, reads } from "../contract/reads/index.ts"
import type { RoomSummary } from "../contract/nouns/rooms.ts"
import type { ThreadSummary } from "../contract/nouns/threads.ts"
import type { EffectAnswer } from "../contract/answers/measurements.ts"
import { known } from "../ledger/write/references.ts"
import { present } from "../contract/typed.ts"
import { Refusal } from "../contract/refusals.ts"
import { personActor, signedIn } from "../edge/identity/callers.ts"
import { type Edge, pathParams } from "../edge/edge.ts"
import { Answer, enveloped, inMarkdown, commonHeaders } from "../edge/answers/answer.ts"
import { basePathOf } from "../contract/service.ts"
import { askRead } from "../edge/requests/reads.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { isDownload, NamedText } from "../ledger/reads/reading.ts"
import { isoTime } from "../ledger/world.ts"
import type { Person } from "../people/people.ts"
import { type Html, withQuery } from "./html.ts"
import type { About, Link } from "./about.ts"

type Params = Readonly<Record<string, string | undefined>>
/** Parameters of a read as text from the page's address. The read validates them. */
type Query<N extends ReadName> = { readonly [K in keyof ParametersOf<N>]?: string | number | undefined }

type OfRecord = keyof Parsed<NonNullable<ReturnType<Edge["instance"]["tables"]["records"]["read"]>>>
/** What a record says by itself. */
type Accepted = Pick<AnswerOf<"record">, OfRecord & keyof AnswerOf<"record">>

export interface Visit {
  readonly edge: Edge
  readonly event: H3Event
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  /** Returns a parameter of the page's path. */
  id(name: string): string
  /** Returns a parameter of the page's query; undefined if it is missing or empty. */
  parameter(name: string): string | undefined
  readonly person: Person | undefined
  readonly actor: Actor | null
  /** False on a page that only shows something: it offers no action. */
  readonly canAct: boolean
  /** The tables that the page shows. */
  readonly tables: Edge["instance"]["tables"]
  /** The connection that reads these tables. */
  readonly db: Edge["instance"]["db"]
  /** Answers a read for this visitor. @throws Refusal */
  ask<N extends ReadName>(name: N, params?: Params, query?: Query<N>): AnswerOf<N>
  /**
   * The record as it was accepted, without what other objects say of it: their verdicts, uses and effects take several
   * times as long to gather. Null if there is none.
   */
  record(versionId: string): Accepted | null
  /**
   * The Room without its members, costs and what changed: only its own page shows them. @throws Refusal if there is
   * none
   */
  room(roomId: string): RoomSummary
  /** The Thread, without its newest entries. @throws Refusal if there is none */
  thread(threadId: string): ThreadSummary
  /** The effects of a finding, which are worked out once for a page. */
  effects(versionId: string): readonly EffectAnswer[]
  /** Answers a read in its text format, or else as Markdown. @throws Refusal */
  text<N extends ReadName>(name: N, params?: Params, query?: Query<N>): string
}

/** The navigation among a Room's sections. */
export interface Rail {
  readonly roomId: string
  /** The path of the section that the page shows; left out on the page of an object. */
  readonly section?: string
  /** @param unread the number of entries that are new to the reader, by the path of the section */
  markup(unread: ReadonlyMap<string, number>): Html
}

/** The content of a page. The layout adds the parts that all pages share. */
export interface Shown {
  readonly title: string
  readonly body: Html
  /** The navigation beside it. Labels in the page's texts mean objects of its Room. */
  readonly rail?: Rail
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The Room whose activity the page follows, and the sequence it starts after. */
  readonly follow?: { readonly roomId: string; readonly after: number }
  /** The path of the same content as JSON. */
  readonly json?: string
  readonly about?: About
  /** Feeds of a page without `about`. */
  readonly feeds?: readonly Link[]
  /** Whether search engines must not index it. */
  readonly isUnlisted?: boolean
  /** Whether it is wider than a column of text, for graphs and tables. */
  readonly wide?: boolean
}

/**
 * A page that shows as many items of a list as fit. Their number is known only after their texts are rendered, outside
 * the snapshot, so `shown` must not read anything.
 */
export interface Fitting {
  readonly items: readonly Html[]
  /** The index of the item that must be shown; left out or negative for none. */
  readonly chosen?: number
  /** Returns the page with the items from one index up to another. */
  shown(from: number, until: number): Shown
}

/** Makes a page without waiting, so that all its reads come from one snapshot. */
export type WebPage = (visit: Visit) => Shown | Fitting | Answer
/** Handles a submitted form, or a page that must wait, and returns the next page or a redirect. */
export type FormHandler = (visit: Visit) => Promise<Answer | WebPage>

const definitions = new Map(reads.map((definition) => [definition.name, definition]))

/** Returns the visit for a request. @param shown the edge whose data the page only shows, if not that of the request */
export function visitOf(edge: Edge, event: H3Event, shown: Edge = edge): Visit {
  const person = signedIn(edge, event)
  const actor = person === undefined ? null : personActor(person)
  const basePath = basePathOf(edge)
  const params = pathParams(event)
  const effects = new Map<string, readonly EffectAnswer[]>()
  const find = (
    name: ReadName,
    params: Params = {},
    query: Readonly<Record<string, string | number | undefined>> = {},
  ) => {
    const definition = present(definitions.get(name))
    const ids = Object.fromEntries(Object.entries(params).map(([id, value]) => [id, value ?? ""]))
    const known = Object.fromEntries(
      Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
    )
    if (Number(known.wait) > 0)
      throw new Refusal("invalid_parameter", "A page does not wait. The read behind it does.", {
        issues: [{ path: "/wait", message: "must be left out at the address of a page" }],
      })
    const url = new URL(pathTo(name, ids, known), edge.baseUrl)
    const { found } = askRead(definition.surface === "public" ? shown : edge, definition, {
      params: ids,
      query: url.searchParams,
      by: () => actor,
    })
    if (found instanceof Promise) throw new Error(`${name} answers with a promise, and a page cannot wait`)
    return { definition, found, url }
  }
  return {
    edge,
    event,
    person,
    actor,
    canAct: shown === edge,
    tables: shown.instance.tables,
    db: shown.instance.db,
    ask<N extends ReadName>(name: N, params?: Params, query?: Query<N>): AnswerOf<N> {
      const { definition, found, url } = find(name, params, query)
      if (typeof found === "string" || found instanceof NamedText || isDownload(found))
        throw new Error(`${name} answers no JSON`)
      const whole =
        found instanceof JsonText
          ? found
          : enveloped(definition, found, { url, basePath, at: () => isoTime(edge.instance.world.now()) })
      return parsed(whole as Served<AnswerOf<N>>)
    },
    record(versionId) {
      const found = shown.instance.tables.records.read(versionId)
      return found === undefined ? null : parsed<Accepted>(found)
    },
    room: (roomId) => known("room", shown.instance.tables.rooms.summary(roomId)),
    thread: (threadId) => known("thread", shown.instance.tables.threads.summary(threadId)),
    effects: (versionId) => effects.getOrInsertComputed(versionId, () => shown.instance.tables.effects.of(versionId)),
    url: event.url,
    params,
    id: (name) => params[name] ?? "",
    parameter: (name) => event.url.searchParams.get(name) || undefined,
    text(name, params, query) {
      const { definition, found, url } = find(name, params, query)
      if (typeof found === "string") return found
      if (found instanceof NamedText) return found.text
      if (isDownload(found)) throw new Error(`${name} answers no text`)
      return inMarkdown(definition, found, { url, basePath, at: () => isoTime(edge.instance.world.now()) })
    },
  }
}

/** Returns null if a read is refused, for objects that may be missing or hidden from this visitor. */
export function orNull<T>(ask: () => T): T | null {
  try {
    return ask()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

// Redirects to another page of this service, or to the identity provider.

/** Redirects to another service: only to an address that the operator set, or that such a service gave. */
export const redirectedAway = (address: string, headers: Readonly<Record<string, string>>): Answer =>
  new Answer(null, { status: 303, headers: { ...commonHeaders, location: address, ...headers } })

/** Redirects to a page of this service. @param path below the base path */
export const redirected = (
  { edge }: Pick<Visit, "edge">,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => redirectedAway(`${basePathOf(edge)}${path}`, headers)

/**
 * Returns the page that a visitor comes from: the page of this request, or the own page whose form was sent. That of
 * another site, or none, is the first page.
 */
function pageOfVisit({ edge, event, url }: Pick<Visit, "edge" | "event" | "url">): string {
  if (event.req.method === "GET" && !url.pathname.startsWith("/web/")) return `${url.pathname}${url.search}`
  const sender = event.req.headers.get("referer") ?? ""
  if (!sender.startsWith(`${edge.baseUrl}/`)) return "/"
  const { pathname, search } = new URL(sender)
  return ownPath(`${pathname.slice(basePathOf(edge).length)}${search}`)
}

/** The address of the sign-in page, which leads back to the page that the visitor comes from. */
export const signInPath = (visit: Pick<Visit, "edge" | "event" | "url">): string => {
  const back = pageOfVisit(visit)
  return withQuery("/sign-in", { next: back.startsWith("/sign-in") ? "/" : back })
}

/** Redirects to the sign-in page, and from there back. @param next the path to come back to */
export const toSignIn = (
  visit: Pick<Visit, "edge" | "url">,
  next = `${visit.url.pathname}${visit.url.search}`,
): Answer => redirected(visit, withQuery("/sign-in", { next }))

/** Returns the path that a query asks to redirect to if it is a path of this service, else `/`. */
export const ownPath = (path: string | null | undefined): string =>
  path && /^\/(?![/\\])[^\s\\]*$/.test(path) ? path : "/"
