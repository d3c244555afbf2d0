/** What answers at the address of a page or a form: the page now or as of an earlier entry, the same for agents, or why not. */
import type { H3Event } from "h3"
import { present } from "../../contract/present.ts"
import { checkParameters } from "../../contract/definitions/check-parameters.ts"
import { reads } from "../../contract/reads/index.ts"
import { Answer } from "../../edge/answers/answer.ts"
import { type Edge, NotServed, type Refused } from "../../edge/edge.ts"
import { type Moment, pastOf } from "../../edge/requests/past.ts"
import type { Past } from "../../edge/past-rooms.ts"
import { pathParams } from "../../edge/paths.ts"
import { idsIn } from "../addresses.ts"
import { documentAnswer, documentAsked, documentParams, documentRefused, withDocument } from "../markdown-pages.ts"
import { looksBack, shownNow, shownThen } from "../parts/looking-back.ts"
import { type Sent, type Shown, type Visit, visitOf, type WebPage } from "../visit.ts"
import { made, type FormSubmission, write, wrong } from "./making.ts"

export const pageHandler = (edge: Edge, press: FormSubmission, page: WebPage) => (event: H3Event) =>
  made(edge, press, page, () => visitOf(edge, event))

const roomRead = present(reads.find(({ name }) => name === "room"))

const paramsOf = (path: string, event: H3Event) => (documentAsked(path, event) === undefined ? pathParams(event) : documentParams(event))

/** The moment that a page, or the same for agents, is asked for; undefined for now. @throws Refusal `invalid_parameter` */
export function momentAsked(path: string, event: H3Event): Moment | undefined {
  const given = event.url.searchParams.getAll("at")
  if (given.length === 0 || !looksBack(path)) return undefined
  const { at } = checkParameters(roomRead, new URLSearchParams(given.map((each) => ["at", each])))
  return typeof at === "number" ? { params: paramsOf(path, event), query: { attemptIds: idsIn(event.url) }, sequence: at } : undefined
}

/** A page with something added to it. What is added is worked out before the page is fitted: from then on nothing may be asked. */
const adding =
  (page: WebPage, prepare: (visit: Visit) => (shown: Shown) => Shown): WebPage =>
  (visit) => {
    const made = page(visit)
    if (made instanceof Answer) return made
    const add = prepare(visit)
    return "body" in made ? add(made) : { ...made, shown: (from, until) => add(made.shown(from, until)) }
  }

/** A page at its address, or the same for agents; as of an earlier entry, once its Room is there as it was. */
export const addressHandler = (edge: Edge, press: FormSubmission, path: string, page: WebPage) => {
  return async (event: H3Event): Promise<Answer> => {
    const document = documentAsked(path, event)
    using held = new DisposableStack()
    let past: Past | undefined
    let asked = page
    try {
      const asOf = momentAsked(path, event)
      if (asOf !== undefined) {
        past = held.use(await pastOf(edge, asOf))
        const moment = past
        asked = adding(page, (visit) => shownThen(visit, moment))
      } else if (event.url.searchParams.has("at") && path.includes("{")) asked = adding(page, () => shownNow)
    } catch (error) {
      if (document !== undefined) return documentRefused(error)
      asked = () => {
        throw error
      }
    }
    if (document !== undefined) return documentAnswer(edge, event, document, past)
    return withDocument(path, event, await made(edge, press, asked, () => visitOf(edge, event, past)))
  }
}

/** A page in place of one that another thread was to make and did not. */
export const refusedHandler =
  (edge: Edge, press: FormSubmission, path: string): Refused =>
  (event, error) => {
    if (documentAsked(path, event) !== undefined) return documentRefused(error)
    const page = () => {
      throw error
    }
    return pageHandler(edge, press, page)(event)
  }

export const formHandler = (edge: Edge, press: FormSubmission, form: Sent) => async (event: H3Event) => {
  const visit = visitOf(edge, event)
  try {
    const next = await form(visit)
    return next instanceof Answer ? next : await made(edge, press, next, () => visit)
  } catch (error) {
    if (error instanceof NotServed) throw error
    return write(visit, press, wrong(visit, error))
  }
}
