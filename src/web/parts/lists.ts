/** Sections, lists and tables of pages, which are left out or replaced by a sentence if they are empty. */
import { address } from "../addresses.ts"
import { attributes, type Content, type Html, html } from "../html.ts"
import { markdownInLink } from "../markdown.ts"
import type { Visit } from "../visit.ts"
import { words } from "../words.ts"
import { stateBadge } from "./marks.ts"
import { empty, fromOther, heading, label, more, type Origin, type Related, table } from "./parts.ts"

/** A section with its heading; null if it has no content. @param beside actions beside the heading */
export const section = (id: string, name: Content, content: Content, beside?: Content): Html | null =>
  content == null ? null : html`<section aria-labelledby="${id}">${heading(2, id, name, beside)}${content}</section>`

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
