/**
 * Markup as values, and the addresses in it. An `html` template escapes every value except markup that a template made.
 * Text that depends on the base path (addresses) or on the time (ages) is filled in when the page is written.
 */
import type { Kind } from "../renderer/as-written.ts"
import { escapeHtml } from "../contract/text.ts"
import { withLabels } from "../renderer/label-plugin.ts"
import { type LinkedNumber, withNumbers } from "./linked-numbers.ts"
import { isUuid } from "../contract/schema/fields.ts"
import { type ParamsOf, pathTo, type ReadName } from "../contract/reads/index.ts"
import { entryPage, type Linkable, pageOf } from "../contract/objects/objects.ts"

/** Values that are known only when a page is written. */
export interface Setting {
  /** The path below which the service is reached: empty, or starting with a slash. */
  readonly basePath: string
  readonly now: number
  readonly texts?: ReadonlyMap<Prose, string>
  /** Paths of the objects that the labels in those texts name, by label. */
  readonly labels?: ReadonlyMap<string, string>
}

type Piece = string | LateText | Prose | Html

/** A text in Markdown, rendered before the page is written. A page without rendered texts shows the source. */
export class Prose {
  readonly text: string
  readonly kind: Kind
  /** Whether it may contain links; false for a text inside a link. */
  readonly isLinked: boolean
  /** Its numbers, where the page links them. */
  readonly numbers: readonly LinkedNumber[]
  constructor(text: string, kind: Kind, isLinked: boolean, numbers: readonly LinkedNumber[] = []) {
    this.text = text
    this.kind = kind
    this.isLinked = isLinked
    this.numbers = numbers
  }

  write({ texts, labels, basePath }: Setting): string {
    const markup = texts?.get(this) ?? escapeHtml(this.text)
    // A link cannot contain another link, so only the words are kept.
    if (!this.isLinked) return withLabels(markup.replace(/<a [^<>]*>|<\/a>/g, ""), () => null)
    const named = withLabels(markup, (label) => {
      const path = labels?.get(label)
      return path === undefined ? null : `<a class="named" href="${basePath}${path}">${label}</a>`
    })
    return withNumbers(named, this.numbers, basePath)
  }
}

/** Markup, made by `html` or from trusted markup by `markup`. */
export class Html {
  readonly pieces: readonly Piece[]
  /** Whether there are texts to render in it. Most markup of a page has none, and is not searched for them. */
  readonly hasTexts: boolean
  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces
    this.hasTexts = pieces.some((piece) => piece instanceof Prose || (piece instanceof Html && piece.hasTexts))
  }
  write(setting: Setting): string {
    let text = ""
    for (const piece of this.pieces) text += typeof piece === "string" ? piece : piece.write(setting)
    return text
  }
  /** The texts to render, in order. */
  get texts(): Prose[] {
    const found: Prose[] = []
    this.#collect(found)
    return found
  }
  #collect(found: Prose[]): void {
    if (!this.hasTexts) return
    for (const piece of this.pieces)
      if (piece instanceof Html) piece.#collect(found)
      else if (piece instanceof Prose) found.push(piece)
  }
}

/** Text that is computed when the page is written, and escaped like any other. */
export class LateText {
  readonly text: (setting: Setting) => string
  constructor(text: (setting: Setting) => string) {
    this.text = text
  }
  write(setting: Setting): string {
    return escapeHtml(this.text(setting))
  }
}

export type Content = Html | LateText | Prose | string | number | boolean | null | undefined | readonly Content[]

function add(pieces: Piece[], value: Content): void {
  if (value === null || value === undefined || typeof value === "boolean") return
  // Markup within markup stays one piece: its own pieces would be copied once for each level around them.
  if (value instanceof Html || value instanceof LateText || value instanceof Prose) {
    pieces.push(value)
  } else if (typeof value === "object") {
    for (const inner of value) add(pieces, inner)
  } else {
    pieces.push(escapeHtml(String(value)))
  }
}

/** Makes markup from a template. Null, undefined and booleans write nothing; the items of a list follow each other. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  const pieces: Piece[] = []
  for (let index = 0; index < strings.length; index += 1) {
    const text = strings[index]
    if (text !== "" && text !== undefined) pieces.push(text)
    add(pieces, values[index])
  }
  return new Html(pieces)
}

/** Makes markup from text that is already escaped. */
export const markup = (text: string): Html => new Html([text])

/** Returns an address of this service, for `href`, `action` and `src`. */
export const to = (path: string): LateText => new LateText(({ basePath }) => `${basePath}${path}`)

/** Writes attributes: true as a bare name; false, null and undefined not at all. */
export const attributes = (
  values: Readonly<Record<string, string | number | boolean | LateText | null | undefined>>,
): Html =>
  html`${Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === null || value === false) return null
    return value === true ? html` ${name}` : html` ${name}="${value}"`
  })}`

/** Writes the hidden inputs of a form, without those that have no value. */
export const hiddenInputs = (fields: readonly (readonly [name: string, value: string | null | undefined])[]): Html =>
  html`${fields.map(([name, value]) =>
    value == null ? null : html`<input type="hidden" name="${name}" value="${value}">`,
  )}`

/** Puts a separator between items. */
export const joined = (items: readonly Content[], between: Content = ", "): Content =>
  items.map((item, index) => (index === 0 ? item : [between, item]))

// Addresses of pages and of places in them. The contract says which object has which page.

export const pathOf = pageOf

/** Returns the path of an entry in its Thread's timeline. */
export const entryPath = (threadId: string, entryId: string): string => entryPage(threadId, entryId) ?? "/"

/** Returns the address of an object's page, for `href`. */
export const address = (kind: Linkable, id: string): LateText => to(pathOf(kind, id) ?? "/")

/** Adds a query to a path, without parameters that are empty. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | undefined | null>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value))
  return search.size === 0 ? path : `${path}?${search}`
}

/** Returns the path of a read as programs ask for it. Empty and absent query values are left out. */
export const readPath = <N extends ReadName>(
  name: N,
  ids: ParamsOf<N>,
  query: Readonly<Record<string, string | number | undefined | null>> = {},
): string => withQuery(pathTo(name, ids), query)

/** Returns the ids in the `ids` parameters of a URL, without duplicates, in their order. */
export const idsIn = ({ searchParams }: URL): string[] => [
  ...new Set(
    searchParams
      .getAll("ids")
      .flatMap((ids) => ids.split(","))
      .filter(isUuid)
      .map((id) => id.toLowerCase()),
  ),
]
