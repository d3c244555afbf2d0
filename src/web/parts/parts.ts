/** Small parts of many pages: times, people, digests, labels, tables, pictures, links to the next page. */
import { randomUUID } from "node:crypto"
import { type Figure, pathOfFigure, type Pictured } from "../../contract/definitions/attachments.ts"
import { holdsMark } from "../../contract/nouns/withholding.ts"
import type { RecordStatus } from "../../contract/schema/enumerations.ts"
import type { Linkable } from "../../contract/objects/objects.ts"
import { address, pathOf, type Content, type Html, html, LateText, to, attributes } from "../html.ts"
import { beginningInLink, markdownInLink, phrase } from "../markdown.ts"
import { ago, clockTime, dateAndTime, shortDigest, words } from "../words.ts"
import { glyph, stateBadge } from "./marks.ts"
import type { Visit } from "../visit.ts"

/** A relative time, "3 h ago", with the exact time on hover. */
export const time = (at: string): Html =>
  html`<time datetime="${at}" title="${dateAndTime(at)}">${new LateText(({ now }) => ago(at, now))}</time>`

export const exactTime = (at: string): Html => html`<time datetime="${at}">${dateAndTime(at)}</time>`

/** A time of day: "14:20 UTC". */
export const clock = (at: string): Html =>
  html`<time datetime="${at}" title="${dateAndTime(at)}">${new LateText(({ now }) => clockTime(at, now))}</time>`

/** A person's name as a link to their page. */
export const person = ({
  username,
  agent,
}: {
  readonly username: string
  readonly agent?: string | null | undefined
}): Html =>
  html`<a class="person" href="${to(`/people/${encodeURIComponent(username)}`)}">${username}</a>\
${agent == null ? null : html` <span class="quiet">· agent <span dir="auto">${agent}</span></span>`}`

/** Who wrote something, in a word: the agent, or the person. */
export const writerOf = ({ username, agent }: Parameters<typeof person>[0]): string => agent ?? username

/** A digest or commit, shortened in the middle. The script copies it on click. */
export const digest = (text: string): Html =>
  html`<button type="button" class="digest" title="${text}" data-copy="${text}">${shortDigest(text)}</button>`

/** A label such as H1, linked to its object. */
export const label = (kind: Linkable, id: string, text: string): Html =>
  html`<a class="label" href="${address(kind, id)}">${text}</a>`

/** A hypothesis, and the part of it that a verdict is on: "H2 at 50 and 100 labels". */
export const ofHypothesis = ({ versionId, label: text, part, ...origin }: Toward): Html =>
  html`${label("hypothesis", versionId, text)}${fromOther(origin)}${part === undefined ? null : html` ${phrase(part)}`}`

/** An object's name, as a link if the object has a page. */
export function named(kind: string, id: string, text: string): Html {
  const path = pathOf(kind, id)
  return path === undefined ? html`${text}` : html`<a class="label" href="${to(path)}">${text}</a>`
}

interface Origin {
  readonly labelFromOtherRoom?: boolean | undefined
}

/** A tag that says that a label belongs to another Room. */
export const fromOther = ({ labelFromOtherRoom }: Origin): Html | null =>
  labelFromOtherRoom === true ? html` <span class="tag">of another Room</span>` : null

interface Toward extends Origin {
  readonly versionId: string
  readonly label: string
  readonly part?: string | undefined
}

interface Related extends Origin {
  readonly versionId: string
  readonly label: string
  readonly kind: Linkable
  readonly wording: string
  readonly status: RecordStatus
}

/** The most characters of a wording in a chip. */
const CHIP = 160

/** A record as a chip: its label, its status if not current, and the beginning of its wording. */
export const recordChip = ({ versionId, label: text, kind, wording, status, ...origin }: Related): Html =>
  html`<a class="chip ${status === "current" ? "" : "fallen"}" href="${address(kind, versionId)}">\
<span class="label">${text}</span>${fromOther(origin)}${
    status === "current" ? null : html` <span class="state">${glyph(status)}${status}</span>`
  } ${beginningInLink(wording, CHIP)}</a>`

/**
 * A form of one button, for an operation whose body is known. @param next the page shown afterwards, if not the
 * object's
 */
export function actionButton(
  operation: string,
  given: Readonly<Record<string, string>>,
  text: Content,
  { danger = false, first = false, next }: { danger?: boolean; first?: boolean; next?: string } = {},
): Html {
  return html`<form class="inline" method="post" action="${to(`/web/${operation}`)}">\
<input type="hidden" name="/requestId" value="${randomUUID()}">${
    next === undefined ? null : html`<input type="hidden" name="_next" value="${next}">`
  }${Object.entries(given).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button class="${danger ? "danger" : first ? "" : "quiet"}">${text}</button>
    </form>`
}

/**
 * A button that asks for confirmation: the first press explains it, the second does it. @param danger whether it cannot
 * be undone
 */
export const confirmButton = (text: Content, what: Content, button: Html, danger = true): Html =>
  html`<details class="asked${danger ? " danger" : ""}"><summary>${text}</summary><p>${what}</p>${button}</details>`

/** The text of an empty list, with the next step. */
export const empty = (what: Content, next?: Content): Html =>
  html`<div class="empty"><p>${what}</p>${next === undefined ? null : html`<div class="next">${next}</div>`}</div>`

/** A command to paste. @param copied the name of the text for its copy button, which the script shows */
export const command = (text: string, copied?: string): Html => {
  const block = html`<pre class="command" tabindex="0" data-copy="${text}"><code>${text}</code></pre>`
  if (copied === undefined) return block
  return html`<div class="copied-by">${block}<button type="button" class="quiet" data-copy="${text}" data-copier \
hidden>Copy<span class="aside"> ${copied}</span></button></div>`
}

/** A link to the rest of a list. */
export const more = (path: string | null, text = "Show more"): Html | null =>
  path === null ? null : html`<p class="more"><a href="${to(path)}" rel="next">${text}</a></p>`

/** A heading, with actions beside it. */
export const heading = (level: 2 | 3, id: string, text: Content, beside?: Content): Html =>
  html`<div class="heading">${level === 2 ? html`<h2 id="${id}">${text}</h2>` : html`<h3 id="${id}">${text}</h3>`}\
${beside === undefined ? null : html`<div class="beside">${beside}</div>`}</div>`

/** A list of terms and values, without those whose value is null. */
export const facts = (rows: readonly (readonly [Content, Content] | null)[]): Html =>
  html`<dl class="facts">${rows.map(
    (row) => row && row[1] != null && html`<div><dt>${row[0]}</dt><dd>${row[1]}</dd></div>`,
  )}</dl>`

/**
 * A table that scrolls on a narrow screen. A `stacked` one, for tables with actions, becomes a list of blocks instead.
 */
export const table = (
  caption: string,
  head: readonly Content[],
  rows: readonly Html[],
  shown: "caption" | "no-caption" | "stacked" = "no-caption",
): Html =>
  html`<div class="table${shown === "stacked" ? " stacked" : ""}" tabindex="0" role="group" aria-label="${caption}">\
<table><caption class="${shown === "caption" ? "" : "aside"}">${caption}</caption><thead><tr>${head.map(
    (cell) => html`<th scope="col">${cell === "" ? html`<span class="aside">Label</span>` : cell}</th>`,
  )}</tr>
    </thead><tbody>${rows}</tbody></table></div>`

/** Links to the same content as JSON, and to other formats and pages. */
export const ways = (rows: readonly (readonly [string, string] | null)[]): Html =>
  html`<p class="ways">${rows.map((row) => row && html`<a href="${to(row[1])}">${row[0]}</a> `)}</p>`

/** Indented JSON. */
export const jsonBlock = (value: unknown): Html =>
  html`<pre class="json" tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`

/** A command line as typed in a shell. */
export const argv = (parts: readonly string[]): Html =>
  html`<code class="argv">\
${parts
  .map((part) => (/^[A-Za-z0-9_\-./:=@%+,]+$/.test(part) ? part : `'${part.replaceAll("'", "'\\''")}'`))
  .join(" ")}</code>`

/** A public repository and its commit. Its link leaves the instance, so it is marked as not endorsed. */
export const repository = ({ url, commit }: { readonly url: string; readonly commit: string }): Html =>
  html`<span class="repository"><a rel="nofollow noopener" href="${url}">${url.replace(/^https:\/\//, "")}</a> at \
${digest(commit)}</span>`

/** Renders a picture. If its text is withheld, the picture is too, and the text says who withheld it. */
function picture({ digest, alt }: Figure): Html {
  const address = to(pathOfFigure(digest))
  return html`<figure>${
    holdsMark(alt) ? null : html`<a href="${address}"><img src="${address}" alt="${alt}" loading="lazy"></a>`
  }<figcaption dir="auto">${alt}</figcaption></figure>`
}

/** Renders pictures with their alternative text below. */
export const pictures = ({ figures = [] }: Pictured): Html | null =>
  figures.length === 0 ? null : html`<div class="figures">${figures.map(picture)}</div>`

export const lastUse = (at: string | null): Html => (at === null ? html`<span class="quiet">never</span>` : time(at))

export const actionsHead = html`<span class="aside">Actions</span>`

// Sections, lists and tables of pages, which are left out or replaced by a sentence if they are empty.

/** A section with its heading; null if it has no content. @param beside actions beside the heading */
export const section = (id: string, name: Content, content: Content, beside?: Content): Html | null =>
  content == null ? null : html`<section aria-labelledby="${id}">${heading(2, id, name, beside)}${content}</section>`

/**
 * A part of a page folded to one line with its count; null if it has no content. Print shows it whole.
 * @param count how many there are, or what there is
 */
export const fold = (id: string, name: Content, count: Content, content: Content): Html | null =>
  content == null
    ? null
    : html`<details class="left-out fold" id="${id}"><summary>${name} <span class="count">${count}</span></summary>\
<div>${content}</div></details>`

/** A list, with the markup of each item; `none` if there are no items. @param look its class */
export const list = <T>(
  look: string,
  items: readonly T[],
  item: (one: T, index: number) => Html,
  none: Html | null = null,
): Html | null => (items.length === 0 ? none : html`<ul${attributes({ class: look || null })}>${items.map(item)}</ul>`)

/** A part of a page that the script keeps up to date; null if it has no content. */
export const live = (name: string, content: Content): Html | null =>
  content == null ? null : html`<div id="live-${name}" data-live>${content}</div>`

/** A table, or the text of an empty list if it has no rows. */
export const tableOr = (none: Content, ...shown: Parameters<typeof table>): Html =>
  shown[2].length === 0 ? empty(none) : table(...shown)

/** A link to the next page of a list: the same address with another cursor. Null on the last page. */
export function nextPage({ url }: Visit, cursor: string | number | null | undefined, text?: string): Html | null {
  if (cursor == null) return null
  const next = new URL(url)
  next.searchParams.set("after", String(cursor))
  // The confirmation of a write is said once.
  next.searchParams.delete("done")
  return more(`${next.pathname}${next.search}`, text)
}

/**
 * A record in a list, with its wording. @param meta what else is said about it @param below what follows its wording
 */
export const recordItem = (
  { versionId, label: text, kind, wording, status }: Omit<Related, "labelFromOtherRoom">,
  meta: Content,
  { outcome = null, below }: { readonly outcome?: string | null; readonly below?: Content } = {},
): Html =>
  html`<li data-entry><p class="meta"><span>${label(kind, versionId, text)} ${words(kind)}</span>\
${outcome && html`<span>${stateBadge(outcome)}</span>`}\
${status === "current" ? null : html`<span>${stateBadge(status)}</span>`}${meta}</p>
<a class="wording" href="${address(kind, versionId)}" dir="auto">${markdownInLink(wording)}</a>${below}</li>`

interface Needed {
  readonly material:
    | (Origin & {
        readonly materialId: string
        readonly label: string
        readonly name: string
        readonly obtainability: string
      })
    | null
  readonly purpose: string
}

/** The materials that a plan or finding names, each with its purpose; null if there are none. */
export const materialList = (all: readonly Needed[]): Html | null =>
  list(
    "",
    all.filter(({ material }) => material !== null),
    ({ material, purpose }) =>
      html`<li>${
        material &&
        html`${label("material", material.materialId, material.label)}\
${fromOther(material)} ${material.name} ${stateBadge(material.obtainability)}`
      }: ${purpose}</li>`,
  )
