/** A page's metadata for programs: citations, previews, linked data and feeds, in its head and in its Link header. */
import { readPath, type Html, html, markup } from "./html.ts"
import { licenceIri, licenceUrl, type RoomSummary } from "../contract/nouns/rooms.ts"
import { type Named, orcidAddress, shownName } from "../contract/nouns/people.ts"
import { present } from "../contract/typed.ts"
import { type AnswerOf, type ParamsOf, type ReadName, reads } from "../contract/reads/index.ts"
import { serviceName } from "../contract/service.ts"
import { oneLine, shortened } from "../contract/text.ts"
import { words } from "./words.ts"

/** A link in a page's head and in its Link header. */
export interface Link {
  readonly rel: string
  /** A path below the base URL, or an absolute URL. */
  readonly href: string
  readonly type?: string
  readonly title?: string
}

/** The metadata of a page. */
export interface About {
  /** The page's path, below the base URL. */
  readonly path: string
  readonly title: string
  readonly description: string
  readonly type: "article" | "website"
  /** Names and contents of the `citation_…` elements, for reference managers. */
  readonly citation: readonly (readonly [string, string])[]
  /** Members of the JSON-LD object, in the schema.org vocabulary. */
  readonly linked: Readonly<Record<string, unknown>>
  readonly links: readonly Link[]
  /** The Room that it belongs to. */
  readonly within?: { readonly path: string; readonly title: string; readonly license: string | null }
}

const DESCRIPTION = 300
const SCHEMA = "https://schema.org/"

/** Returns links to a page's feed in both formats. */
export const feedLinks = (path: string, title: string, query = ""): readonly Link[] => [
  { rel: "alternate", href: `${path}/feed.atom${query}`, type: "application/atom+xml", title: `${title} (Atom)` },
  { rel: "alternate", href: `${path}/feed.json${query}`, type: "application/feed+json", title: `${title} (JSON Feed)` },
]

const absolute = (href: string, baseUrl: string): string => (href.startsWith("/") ? baseUrl + href : href)

/** A link to the text of a licence (Signposting). */
const licenceLink = (license: string | null): readonly Link[] =>
  license === null ? [] : [{ rel: "license", href: licenceUrl(license) }]

/** Renders the elements by which feed readers discover a page's feeds. */
export const feedElements = (links: readonly Link[], baseUrl: string): Html =>
  html`${links
    .filter(({ rel }) => rel === "alternate")
    .map(
      ({ rel, href, type, title }) =>
        html`<link rel="${rel}" type="${type}" title="${title}" href="${absolute(href, baseUrl)}">`,
    )}`

/** Renders a page's metadata for its head. */
export function headOf(
  { path, title, description, type, citation, linked, links, within }: About,
  baseUrl: string,
): Html {
  const isPartOf = within && {
    "@type": "Collection",
    "@id": baseUrl + within.path,
    name: within.title,
    ...(within.license !== null && { license: licenceIri(within.license) }),
  }
  const graph = { "@context": "https://schema.org", "@id": baseUrl + path, url: baseUrl + path, ...linked, isPartOf }
  const named: readonly (readonly [string, string])[] = [
    ["og:title", shortened(title, DESCRIPTION)],
    ["og:type", type],
    ["og:url", baseUrl + path],
    ["og:description", description],
    ["og:site_name", serviceName],
  ]
  return html`<link rel="canonical" href="${baseUrl + path}">
<meta name="description" content="${description}">
${named.map(([property, content]) => html`<meta property="${property}" content="${content}">`)}
${citation.map(([name, content]) => html`<meta name="${name}" content="${content}">`)}
${feedElements(links, baseUrl)}
${
  // No text can close the element, because `<` is escaped. Browsers do not run a script of this type.
  markup(`<script type="application/ld+json">${JSON.stringify(graph).replaceAll("<", "\\u003c")}</script>`)
}
`
}

/** Returns the value of a page's `Link` header (Signposting). */
export const linkHeader = ({ path, links, linked }: About, baseUrl: string): string =>
  [
    { rel: "cite-as", href: path },
    { rel: "type", href: `${SCHEMA}${String(linked["@type"])}` },
    ...links.filter(({ title }) => title === undefined),
  ]
    .map(
      ({ rel, href, type }: Link) =>
        `<${absolute(href, baseUrl)}>; rel="${rel}"${type === undefined ? "" : `; type="${type}"`}`,
    )
    .join(", ")

const asDescription = (text: string): string => shortened(oneLine(text), DESCRIPTION)
type Author = Omit<Named, "userId">
/** A schema.org Person, identified by their ORCID if they gave one. */
const person = ({ givenName, familyName, orcid, ...who }: Author) => ({
  "@type": "Person",
  ...(orcid !== null && { "@id": orcidAddress(orcid) }),
  name: shownName(who),
  ...(givenName !== null && { givenName }),
  ...(familyName !== null && { familyName }),
})
const authorLink = ({ orcid }: Author): readonly Link[] =>
  orcid === null ? [] : [{ rel: "author", href: orcidAddress(orcid) }]
const orcidCited = ({ orcid }: Author) =>
  orcid === null ? [] : ([["citation_author_orcid", orcidAddress(orcid)]] as const)
const citedDate = (at: string): string => at.slice(0, 10).replaceAll("-", "/")
const paperAddress = (arxivId: string) => `https://arxiv.org/abs/${arxivId}`

/** Links to the other formats of a read. */
const formatsOf = <N extends ReadName>(name: N, ids: ParamsOf<N>): readonly Link[] =>
  Object.entries(present(reads.find((read) => read.name === name)).formats).map(([format, { mediaType }]) => ({
    rel: "describedby",
    href: readPath(name, ids, { format }),
    type: mediaType,
  }))

/** Returns the metadata of a record: a claim with its author and standing. */
export function aboutRecord(
  record: AnswerOf<"record">,
  room: RoomSummary,
  author: Author,
  wording: string,
  paper: { readonly arxivId: string } | undefined,
): About {
  const { versionId, kind, label, createdAt, status, contentDigest, outcome } = record
  const path = `/records/${versionId}`
  const standing = `${words(kind)} ${label}${outcome === null ? "" : `, ${outcome}`}, ${status}`
  return {
    path,
    title: `${label}: ${oneLine(wording)}`,
    description: asDescription(`${standing}: ${wording}`),
    type: "article",
    citation: [
      ["citation_title", oneLine(wording)],
      ["citation_author", shownName(author)],
      ...orcidCited(author),
      ["citation_publication_date", citedDate(createdAt)],
      ["citation_technical_report_institution", `${serviceName}: ${room.title}`],
      ["citation_technical_report_number", label],
      ["citation_keywords", `${words(kind)}; ${status}`],
      ...(paper
        ? ([
            [
              "citation_reference",
              `citation_arxiv_id=${paper.arxivId}; citation_fulltext_html_url=${paperAddress(paper.arxivId)}`,
            ],
          ] as const)
        : []),
    ],
    linked: {
      "@type": "Claim",
      additionalType: words(kind),
      name: `${label}: ${asDescription(wording)}`,
      text: wording,
      author: person(author),
      datePublished: createdAt,
      creativeWorkStatus: status,
      identifier: [label, contentDigest],
      ...(paper !== undefined && {
        citation: {
          "@type": "ScholarlyArticle",
          identifier: `arXiv:${paper.arxivId}`,
          url: paperAddress(paper.arxivId),
        },
      }),
    },
    links: [
      ...formatsOf("record", { versionId }),
      { rel: "describedby", href: readPath("record", { versionId }), type: "application/json" },
      { rel: "collection", href: `/rooms/${record.roomId}`, type: "text/html" },
      ...authorLink(author),
      ...licenceLink(room.license),
      ...feedLinks(`/rooms/${record.roomId}`, room.title),
    ],
    within: { path: `/rooms/${record.roomId}`, title: room.title, license: room.license },
  }
}

/** Returns the metadata of a person, with the name they want to be cited by. */
export function aboutPerson(named: Named): About {
  const path = `/people/${encodeURIComponent(named.username)}`
  return {
    path,
    title: shownName(named),
    description: `What ${shownName(named)} published here.`,
    type: "website",
    citation: [],
    linked: {
      "@type": "ProfilePage",
      mainEntity: { ...person(named), alternateName: named.username, identifier: named.userId },
    },
    links: [
      { rel: "describedby", href: readPath("person", { username: named.username }), type: "application/json" },
      ...authorLink(named),
      ...feedLinks(path, shownName(named)),
    ],
  }
}

/** Returns the metadata of a Room. */
export function aboutRoom(
  { roomId, title, question = null, license, createdAt, lastActivityAt, state }: AnswerOf<"room_context">["room"],
  owner: Author,
): About {
  const path = `/rooms/${roomId}`
  return {
    path,
    title,
    description: asDescription(question ?? title),
    type: "website",
    citation: [
      ["citation_title", title],
      ["citation_author", shownName(owner)],
      ...orcidCited(owner),
      ["citation_publication_date", citedDate(createdAt)],
      ["citation_technical_report_institution", serviceName],
    ],
    linked: {
      "@type": "Collection",
      name: title,
      ...(question !== null && { abstract: question }),
      author: person(owner),
      ...(license !== null && { license: licenceIri(license) }),
      dateCreated: createdAt,
      dateModified: lastActivityAt,
      creativeWorkStatus: state,
      publisher: { "@type": "Organization", name: serviceName },
    },
    links: [
      ...formatsOf("room_citation", { roomId }),
      { rel: "describedby", href: readPath("room", { roomId }), type: "application/json" },
      { rel: "item", href: readPath("room_export", { roomId }), type: "application/zip" },
      { rel: "item", href: readPath("room_sqlite", { roomId }), type: "application/vnd.sqlite3" },
      ...authorLink(owner),
      ...licenceLink(license),
      ...feedLinks(path, title),
    ],
  }
}
