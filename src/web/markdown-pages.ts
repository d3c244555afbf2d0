/** Pages as Markdown, for agents: at the page's address followed by `.md`, or by the Accept header. */
import type { H3Event } from "h3"
import { Refusal } from "../contract/refusals/refusal.ts"
import { documents } from "../documents/index.ts"
import type { Document } from "../documents/writing.ts"
import { type Answer, answer } from "../edge/answers/answer.ts"
import { MARKDOWN, prefersMarkdown, SUFFIX } from "../edge/answers/as-markdown.ts"
import { type Edge, pathParams } from "../edge/edge.ts"
import { basePathOf } from "../contract/service.ts"
import { visitOf } from "./visit.ts"

/** Caches must store the two formats of a page separately. */
const varies = { vary: "accept" }

/** The addresses of a page: its own and, unless it ends in an id, that of its Markdown. */
export const addressesOf = (path: string): string[] =>
  Object.hasOwn(documents, path) && !path.endsWith("}") ? [path, `${path}${SUFFIX}`] : [path]

/** Returns the Markdown document that a request asks for; undefined if it asks for the page. */
export function documentAsked(path: string, event: H3Event): Document | undefined {
  const document = Object.hasOwn(documents, path) ? documents[path] : undefined
  const isWanted = event.url.pathname.endsWith(SUFFIX) || prefersMarkdown(event.req.headers.get("accept") ?? "")
  return isWanted ? document : undefined
}

/** Adds a link to the Markdown document of a page to its headers. */
export function withDocument(path: string, { url }: H3Event, page: Answer): Answer {
  if (!Object.hasOwn(documents, path)) return page
  page.append("vary", varies.vary)
  // Relative to the page, so that it works below any base path.
  const own = url.pathname.split("/").at(-1)
  if (page.status === 200 && own) page.append("link", `<${own}${SUFFIX}>; rel="alternate"; type="${MARKDOWN}"`)
  return page
}

/** Returns the path parameters of a document's address, without the suffix. */
export const documentParams = (event: H3Event): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(pathParams(event)).map(([name, value]) => [name, value.replace(/\.md$/, "")]))

/** Answers a refusal as Markdown. @throws the error if it is not a Refusal */
export function documentRefused(error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error
  return answer(`# ${error.status}: ${error.code}\n\n${error.message}\n`, MARKDOWN, error.status, varies)
}

/** Answers a document from one snapshot, or a refusal as Markdown. @throws any error that is not a Refusal */
export function documentAnswer(edge: Edge, event: H3Event, document: Document, shown: Edge): Answer {
  const params = documentParams(event)
  try {
    return edge.instance.ledger.snapshot(() => {
      const { ask, text } = visitOf(edge, event, shown)
      const written = document({
        ask,
        text,
        id: (name) => params[name] ?? "",
        query: event.url.searchParams,
        basePath: basePathOf(edge),
      })
      return answer(written, MARKDOWN, 200, varies)
    })
  } catch (error) {
    return documentRefused(error)
  }
}
