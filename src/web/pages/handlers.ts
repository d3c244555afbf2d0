/**
 * Request handlers for pages and forms: the page as of now or of an earlier entry, its Markdown for agents, or a
 * refusal.
 */
import type { H3Event } from "h3"
import { present } from "../../contract/present.ts"
import { checkParameters } from "../../contract/definitions/check-parameters.ts"
import { reads } from "../../contract/reads/index.ts"
import { Answer } from "../../edge/answers/answer.ts"
import { callerKey } from "../../edge/limits/address.ts"
import { contextOf } from "../../edge/limits/request-context.ts"
import { type Edge, NotServed, type Past, type Refused } from "../../edge/edge.ts"
import { type Moment, pastOf } from "../../edge/requests/reads.ts"
import { pathParams } from "../../edge/paths.ts"
import { idsIn } from "../addresses.ts"
import { documentAnswer, documentAsked, documentParams, documentRefused, withDocument } from "../markdown-pages.ts"
import { looksBack, shownNow, shownThen } from "../parts/looking-back.ts"
import { type FormHandler, type Shown, type Visit, visitOf, type WebPage } from "../visit.ts"
import { errorPage, makePage, type PageTools, writePage } from "./making.ts"

export const pageHandler = (edge: Edge, tools: PageTools, page: WebPage) => (event: H3Event) =>
  makePage(edge, tools, page, () => visitOf(edge, event))

const roomRead = present(reads.find(({ name }) => name === "room"))

const paramsOf = (path: string, event: H3Event) =>
  documentAsked(path, event) === undefined ? pathParams(event) : documentParams(event)

/** Returns the past moment that a request asks for; undefined for the present. @throws Refusal `invalid_parameter` */
export function momentAsked(path: string, event: H3Event): Moment | undefined {
  const values = event.url.searchParams.getAll("at")
  if (values.length === 0 || !looksBack(path)) return undefined
  const { at } = checkParameters(roomRead, new URLSearchParams(values.map((value) => ["at", value])))
  return typeof at === "number"
    ? { params: paramsOf(path, event), query: { attemptIds: idsIn(event.url) }, sequence: at }
    : undefined
}

/** Adds something to a page. `prepare` runs in the page's snapshot. The function it returns must not read anything. */
const adding =
  (page: WebPage, prepare: (visit: Visit) => (shown: Shown) => Shown): WebPage =>
  (visit) => {
    const content = page(visit)
    if (content instanceof Answer) return content
    const add = prepare(visit)
    return "body" in content ? add(content) : { ...content, shown: (from, until) => add(content.shown(from, until)) }
  }

/** Handles requests for a page or its Markdown. For an earlier moment, it first waits for the Room as it was then. */
export const addressHandler =
  (edge: Edge, tools: PageTools, path: string, page: WebPage) =>
  async (event: H3Event): Promise<Answer> => {
    const document = documentAsked(path, event)
    using held = new DisposableStack()
    let past: Past | undefined
    let content = page
    try {
      const asOf = momentAsked(path, event)
      if (asOf !== undefined) {
        past = held.use(await pastOf(edge, asOf, callerKey(contextOf(event))))
        const moment = past
        content = adding(page, (visit) => shownThen(visit, moment))
      } else if (event.url.searchParams.has("at") && path.includes("{")) content = adding(page, () => shownNow)
    } catch (error) {
      if (document !== undefined) return documentRefused(error)
      content = () => {
        throw error
      }
    }
    if (document !== undefined) return documentAnswer(edge, event, document, past)
    return withDocument(path, event, await makePage(edge, tools, content, () => visitOf(edge, event, past)))
  }

/** Answers a refusal in place of a page that a reader thread failed to make. */
export const refusedHandler =
  (edge: Edge, tools: PageTools, path: string): Refused =>
  (event, error) => {
    if (documentAsked(path, event) !== undefined) return documentRefused(error)
    const page = () => {
      throw error
    }
    return pageHandler(edge, tools, page)(event)
  }

export const formHandler = (edge: Edge, tools: PageTools, form: FormHandler) => async (event: H3Event) => {
  const visit = visitOf(edge, event)
  try {
    const next = await form(visit)
    return next instanceof Answer ? next : await makePage(edge, tools, next, () => visit)
  } catch (error) {
    if (error instanceof NotServed) throw error
    return writePage(visit, tools, errorPage(visit, error))
  }
}
