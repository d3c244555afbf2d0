/**
 * Request handlers for pages and forms: the page as of now or of an earlier entry, its Markdown for agents, or a
 * refusal.
 */
import type { H3Event } from "h3"
import { Answer } from "../../edge/answers/answer.ts"
import { type Edge, NotServed, type Refused } from "../../edge/edge.ts"
import { documentAnswer, documentAsked, documentRefused, withDocument } from "../markdown-pages.ts"
import { type View, viewOf } from "./past.ts"
import { type FormHandler, visitOf, type WebPage } from "../visit.ts"
import { errorPage, makePage, type PageTools, writePage } from "./making.ts"

export const pageHandler = (edge: Edge, tools: PageTools, page: WebPage) => (event: H3Event) =>
  makePage(edge, tools, page, () => visitOf(edge, event))

/** Handles requests for a page or its Markdown. */
export const addressHandler =
  (edge: Edge, tools: PageTools, path: string, page: WebPage) =>
  async (event: H3Event): Promise<Answer> => {
    const document = documentAsked(path, event)
    using held = new DisposableStack()
    let view: View
    try {
      view = held.use(await viewOf(edge, path, event))
    } catch (error) {
      return withDocument(path, event, await refusedHandler(edge, tools, path)(event, error))
    }
    if (document !== undefined) return view.leaving(documentAnswer(edge, event, document, view.edge))
    const made = await makePage(edge, tools, view.framed(page), () => visitOf(edge, event, view.edge))
    return withDocument(path, event, view.leaving(made))
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
