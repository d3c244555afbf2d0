/** What programs get of the pages: feeds, sitemaps, robots.txt, security.txt, the icon, and each page as Markdown. */
import type { H3Event } from "h3"
import { Refusal } from "../contract/refusals.ts"
import { roomSitemap, robotsTxt, sitemapIndex, atom, jsonFeed, feeds } from "../documents/feeds.ts"
import type { DocumentSource, Document } from "../documents/writing.ts"
import { type Answer, answer, asset, FOR_A_DAY, tagOf } from "../edge/answers/answer.ts"
import { type Edge, pathParams } from "../edge/edge.ts"
import { ownTurn } from "../edge/limits/budgets.ts"
import type { Routes } from "../edge/requests/routes.ts"
import { basePathOf } from "../contract/service.ts"
import { present } from "../contract/typed.ts"
import { packagedBytes } from "../packaged.ts"
import { visitOf } from "./visit.ts"
import { documents } from "../documents/index.ts"
import { MARKDOWN, prefersMarkdown, SUFFIX } from "../edge/answers/as-markdown.ts"

const formats = {
  "feed.atom": { write: atom, type: "application/atom+xml" },
  "feed.json": { write: jsonFeed, type: "application/feed+json" },
}

/**
 * `icon.svg` in 32 by 32 pixels, which browsers request by themselves. Its address is always the same, so they keep it
 * for one day.
 */
function iconAnswer(): Answer {
  const drawn = present(packagedBytes("src/web/style/favicon.ico"))
  const icon = asset(drawn, "image/x-icon", tagOf(drawn), FOR_A_DAY)
  return icon
}

/** Days for which security.txt is valid. Each request gets a new one. */
const VALID_DAYS = 180

/** Returns security.txt (RFC 9116). @throws Refusal 404 if the operator set no contact */
function securityTxt({ securityContact, baseUrl, instance: { world } }: Edge): string {
  if (securityContact === undefined)
    throw new Refusal(
      "unknown_operation",
      "No security contact is set here. The operator sets one with --security-contact.",
    )
  const expires = new Date(world.now() + VALID_DAYS * 86_400_000).toISOString()
  return (
    `Contact: ${securityContact}\nExpires: ${expires}\nPreferred-Languages: en\nCanonical: ` +
    `${baseUrl}/.well-known/security.txt\n`
  )
}

/** Adds the routes. Each feed and sitemap is read from one snapshot, and its ETag changes with its text. */
export function feedRoutes(edge: Edge, routes: Routes): void {
  const respond = async (event: H3Event, make: (asking: DocumentSource) => string, type: string): Promise<Answer> => {
    await ownTurn()
    const text = edge.instance.ledger.snapshot(() => {
      const { ask, text, id } = visitOf(edge, event)
      return make({ ask, text, id, query: event.url.searchParams, basePath: basePathOf(edge) })
    })
    return answer(text, type, 200, { etag: tagOf(text) })
  }
  for (const [path, feed] of Object.entries(feeds))
    for (const [name, { write, type }] of Object.entries(formats))
      routes.add(
        "GET",
        `${path}/${name}`,
        (event) =>
          respond(
            event,
            (asking) => write(feed(asking), `${event.url.pathname}${event.url.search}`, edge.baseUrl),
            type,
          ),
        "here",
        { cost: "page" },
      )
  routes.add("GET", "/robots.txt", () => answer(robotsTxt(edge.baseUrl), "text/plain"), "here")
  routes.add(
    "GET",
    "/sitemap.xml",
    (event) => respond(event, (asking) => sitemapIndex(asking, edge.baseUrl), "application/xml"),
    "here",
  )
  routes.add(
    "GET",
    "/rooms/{roomId}/sitemap.xml",
    (event) => respond(event, (asking) => roomSitemap(asking, edge.baseUrl), "application/xml"),
    "here",
    { cost: "page" },
  )
  routes.add("GET", "/.well-known/security.txt", () => answer(securityTxt(edge), "text/plain"), "here")
  routes.add("GET", "/favicon.ico", () => iconAnswer(), "here")
}

// Pages as Markdown, for agents: at the page's address followed by `.md`, or by the Accept header.

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
