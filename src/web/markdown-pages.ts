/** Pages in their form for agents: Markdown, at the page's address with `.md` behind it or asked for by the Accept header. */
import type { H3Event } from "h3"
import { Refusal } from "../contract/refusals/refusal.ts"
import { documents } from "../documents/index.ts"
import type { Document } from "../documents/writing.ts"
import { type Answer, answer } from "../edge/answers/answer.ts"
import type { Edge } from "../edge/edge.ts"
import { markdownNote } from "../edge/requests/past.ts"
import type { Past } from "../edge/past-rooms.ts"
import { pathParams } from "../edge/paths.ts"
import { basePathOf } from "../contract/base-path.ts"
import { visitOf } from "./visit.ts"

const SUFFIX = ".md"
const MARKDOWN = "text/markdown"
/** A cache must keep both forms of a page apart. */
const varies = { vary: "accept" }

/** How much a type is wanted, from 0 to 1, and its place in the header; the most exact range counts. */
function wanted(accept: string, type: string): { readonly quality: number; readonly place: number; readonly named: boolean } {
  const ranges = accept.split(",").map((range, place) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    const given = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
    const quality = given === undefined ? 1 : Number(given)
    return { name, place, quality: Number.isFinite(quality) ? Math.min(Math.max(quality, 0), 1) : 0 }
  })
  for (const name of [type, `${type.split("/")[0]}/*`, "*/*"]) {
    const range = ranges.find((each) => each.name === name)
    if (range !== undefined) return { ...range, named: name === type }
  }
  return { quality: 0, place: ranges.length, named: false }
}

/** Whether Markdown is asked for by its name, and HTML no more than it. */
export function prefersMarkdown(accept: string): boolean {
  const [markdown, page] = [wanted(accept, MARKDOWN), wanted(accept, "text/html")]
  if (!markdown.named || markdown.quality === 0 || markdown.quality < page.quality) return false
  return markdown.quality > page.quality || !page.named || markdown.place < page.place
}

/** The document that a request for a page asks for; undefined where it wants the page. */
export function documentAsked(path: string, event: H3Event): Document | undefined {
  const document = Object.hasOwn(documents, path) ? documents[path] : undefined
  const asked = event.url.pathname.endsWith(SUFFIX) || prefersMarkdown(event.req.headers.get("accept") ?? "")
  return asked ? document : undefined
}

/** A page says that it has a document, and where. */
export function withDocument(path: string, { url }: H3Event, page: Answer): Answer {
  if (!Object.hasOwn(documents, path)) return page
  page.append("vary", varies.vary)
  // Relative to the page: it is reached below any base path.
  const own = url.pathname.replace(/\/$/, "").split("/").at(-1) ?? ""
  if (page.status === 200 && !url.pathname.endsWith("/")) page.append("link", `<${own}${SUFFIX}>; rel="alternate"; type="${MARKDOWN}"`)
  return page
}

/** The ids in the path of a document. */
export const documentParams = (event: H3Event): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(pathParams(event)).map(([name, value]) => [name, value.endsWith(SUFFIX) ? value.slice(0, -SUFFIX.length) : value]),
  )

/** What went wrong on the way to a document, in its form. @throws whatever is no refusal */
export function documentRefused(error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error
  return answer(`# ${error.status}: ${error.code}\n\n${error.message}\n`, MARKDOWN, error.status, varies)
}

/** Answers a document, or in its form what went wrong. All that it asks is of one moment. @throws whatever is no refusal */
export function documentAnswer(edge: Edge, event: H3Event, document: Document, past?: Past): Answer {
  const params = documentParams(event)
  try {
    return edge.instance.ledger.snapshot(() => {
      const { ask, text } = visitOf(edge, event, past)
      const made = document({ ask, text, id: (name) => params[name] ?? "", query: event.url.searchParams, basePath: basePathOf(edge) })
      return answer(past === undefined ? made : `${markdownNote(past.asOf)}${made}`, MARKDOWN, 200, varies)
    })
  } catch (error) {
    return documentRefused(error)
  }
}
