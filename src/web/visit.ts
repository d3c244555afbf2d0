/** One request for a page: who asks, what they may read, and how the answer is given. */
import type { H3Event } from "h3"
import { JsonText, parsed, type Served } from "../contract/json.ts"
import { type AnswerOf, type ParametersOf, pathTo, type ReadName, reads } from "../contract/reads/index.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { personActor, signedIn } from "../edge/identity/callers.ts"
import type { Past } from "../edge/past-rooms.ts"
import type { Edge } from "../edge/edge.ts"
import { pathParams } from "../edge/paths.ts"
import { type Answer, enveloped } from "../edge/answers/answer.ts"
import { basePathOf } from "../contract/base-path.ts"
import { askRead } from "../edge/requests/reads.ts"
import type { Actor } from "../ledger/journal/actor.ts"
import { isDownload, NamedText } from "../ledger/reads/reading.ts"
import { isoTime } from "../ledger/world.ts"
import type { Person } from "../people/people.ts"
import type { Html } from "./html.ts"
import type { About, Link } from "./about.ts"

type Params = Readonly<Record<string, string | undefined>>
/** What a page's address may hold for a read: text, checked as the read checks it. */
type Query<N extends ReadName> = { readonly [K in keyof ParametersOf<N>]?: string | number | undefined }

export interface Visit {
  readonly edge: Edge
  readonly event: H3Event
  readonly url: URL
  readonly params: Readonly<Record<string, string>>
  /** A part of the path, which the page's route has. */
  id(name: string): string
  readonly person: Person | undefined
  readonly actor: Actor | null
  /** Of a page of an earlier moment, that moment. */
  readonly past?: Past
  /** What the page shows is of. */
  readonly tables: Edge["instance"]["tables"]
  /** Asks a read, as it answers now. @throws Refusal */
  askNow<N extends ReadName>(name: N, params?: Params, query?: Query<N>): AnswerOf<N>
  /** Asks a read of the contract, as this visitor. @throws Refusal */
  ask<N extends ReadName>(name: N, params?: Params, query?: Query<N>): AnswerOf<N>
  /** Asks for an answer that is a text: a read's other form. @throws Refusal */
  text<N extends ReadName>(name: N, params?: Params, query?: Query<N>): string
}

/** A Room's sections. */
export interface Rail {
  readonly roomId: string
  /** The path of the section that the page is; left out on the page of an object. */
  readonly section?: string
  /** @param unread how many entries of each section are new to the reader, by its path */
  markup(unread: ReadonlyMap<string, number>): Html
}

/** What a page shows; the layout adds what all of them have. */
export interface Shown {
  readonly title: string
  readonly body: Html
  /** The rail beside it: the sections of the Room whose labels its texts mean. */
  readonly rail?: Rail
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The Room whose activity the page follows, and from where. */
  readonly follow?: { readonly roomId: string; readonly after: number }
  /** The same as JSON. */
  readonly json?: string
  /** What programs read of it. */
  readonly about?: About
  /** Feeds that follow what it shows, where `about` names none. */
  readonly feeds?: readonly Link[]
  /** It shows an earlier moment: search engines have the one of now. */
  readonly isEarlier?: boolean
  /** Wider than a column for reading: graphs and tables. */
  readonly wide?: boolean
}

/**
 * A page with a list of which it shows, one after the other, as many items as it has room for. How many that are is known
 * only when their texts are rendered: what `shown` makes of it must ask nothing any more.
 */
export interface Fitting {
  readonly items: readonly Html[]
  /** The item that must be among those shown; none when it is left out or below 0. */
  readonly chosen?: number
  /** The page with the items from one place up to another. */
  shown(from: number, until: number): Shown
}

/** Made at once, without waiting for anything: all that it asks is of one moment. */
export type WebPage = (visit: Visit) => Shown | Fitting | Answer
/** What a form does, and the page or the other address it leads to. */
export type Sent = (visit: Visit) => Promise<Answer | WebPage>

const definitions = new Map(reads.map((definition) => [definition.name, definition]))

/** The visit that a request is. */
export function visitOf(edge: Edge, event: H3Event, past?: Past): Visit {
  const then = past === undefined ? edge : { ...edge, instance: past.instance }
  const person = signedIn(edge, event)
  const actor = person === undefined ? null : personActor(person)
  const basePath = basePathOf(edge)
  const params = pathParams(event)
  const find = (of: Edge, name: ReadName, params: Params = {}, query: Readonly<Record<string, string | number | undefined>> = {}) => {
    const definition = definitions.get(name)
    if (definition === undefined) throw new Error(`${name} is not read by pages`)
    const ids = Object.fromEntries(Object.entries(params).map(([id, value]) => [id, value ?? ""]))
    const given = Object.fromEntries(Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])))
    const url = new URL(pathTo(name, ids, given), edge.baseUrl)
    const { found } = askRead(definition.surface === "public" ? of : edge, definition, {
      params: ids,
      query: url.searchParams,
      by: () => actor,
    })
    if (found instanceof Promise) throw new Error(`${name} waits, and a page does not`)
    return { definition, found, url }
  }
  const asking =
    (of: Edge) =>
    <N extends ReadName>(name: N, params?: Params, query?: Query<N>): AnswerOf<N> => {
      const { definition, found, url } = find(of, name, params, query)
      if (typeof found === "string" || found instanceof NamedText || isDownload(found)) throw new Error(`${name} answers no JSON`)
      const whole =
        found instanceof JsonText ? found : enveloped(definition, found, { url, basePath, at: () => isoTime(edge.instance.world.now()) })
      return parsed(whole as Served<AnswerOf<N>>)
    }
  return {
    edge,
    event,
    person,
    actor,
    ...(past && { past }),
    tables: then.instance.tables,
    askNow: asking(edge),
    ask: asking(then),
    url: event.url,
    params,
    id: (name) => params[name] ?? "",
    text(name, params, query) {
      const { found } = find(then, name, params, query)
      const text = found instanceof NamedText ? found.text : found
      if (typeof text !== "string") throw new Error(`${name} answers no text`)
      return text
    },
  }
}

/** The refusal that is null instead of thrown: for what may not be there, or not for this visitor. */
export function orNull<T>(ask: () => T): T | null {
  try {
    return ask()
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}
