/**
 * Markup as values. Whatever is put into an `html` template is escaped, unless it is markup made by one; what depends on
 * where the page is served (addresses below the base path) or when (ages of things) is written when the page is.
 */
import type { Kind } from "../renderer/as-written.ts"
import { escapeHtml } from "../renderer/escape.ts"
import { withLabels } from "../renderer/label-plugin.ts"

/** What is known only when a page is written. */
export interface Setting {
  /** Below which path the service is reached: empty, or beginning with a slash. */
  readonly basePath: string
  readonly now: number
  /** Of a page of an earlier moment: where its links lead, so that they stay at it. */
  readonly stays?: (path: string) => string
  /** And the entry of that moment. */
  readonly at?: number
  /** Texts that were rendered for this page. */
  readonly texts?: ReadonlyMap<Prose, string>
  /** The pages of what the labels in those texts name, by label. */
  readonly labels?: ReadonlyMap<string, string>
}

type Piece = string | ((setting: Setting) => string) | Prose

/** A text of Markdown, rendered before the page is written. A page without rendered texts shows its source. */
export class Prose {
  readonly text: string
  readonly kind: Kind
  /** Whether anything in it is a link; not where it stands within one. */
  readonly isLinked: boolean
  constructor(text: string, kind: Kind, isLinked: boolean) {
    this.text = text
    this.kind = kind
    this.isLinked = isLinked
  }

  write({ texts, labels, basePath, stays }: Setting): string {
    const markup = texts?.get(this) ?? escapeHtml(this.text)
    // A link within a link would end it: the words stay.
    if (!this.isLinked) return withLabels(markup.replace(/<a [^<>]*>|<\/a>/g, ""), () => null)
    return withLabels(markup, (label) => {
      const path = labels?.get(label)
      return path === undefined ? null : `<a class="named" href="${basePath}${stays?.(path) ?? path}">${label}</a>`
    })
  }
}

/** Markup; made by `html`, and by `markup` from a writer of markup that is trusted. */
export class Html {
  readonly pieces: readonly Piece[]
  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces
  }
  write(setting: Setting): string {
    let text = ""
    for (const piece of this.pieces) {
      if (typeof piece === "string") text += piece
      else if (piece instanceof Prose) text += piece.write(setting)
      else text += piece(setting)
    }
    return text
  }
  /** The texts in it that are to be rendered, in order. */
  get texts(): Prose[] {
    return this.pieces.filter((piece) => piece instanceof Prose)
  }
}

/** Text that is made when the page is written; escaped like any other. */
export class LateText {
  readonly say: (setting: Setting) => string
  constructor(say: (setting: Setting) => string) {
    this.say = say
  }
}

export type Content = Html | LateText | Prose | string | number | boolean | null | undefined | readonly Content[]

function add(pieces: Piece[], value: Content): void {
  if (value === null || value === undefined || typeof value === "boolean") return
  if (value instanceof Html) {
    for (const piece of value.pieces) pieces.push(piece)
  } else if (value instanceof Prose) {
    pieces.push(value)
  } else if (value instanceof LateText) {
    pieces.push((setting) => escapeHtml(value.say(setting)))
  } else if (typeof value === "object") {
    for (const inner of value) add(pieces, inner)
  } else {
    pieces.push(escapeHtml(String(value)))
  }
}

/** Markup from a template. Nothing, true and false leave no trace; lists are written one after the other. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  const pieces: Piece[] = []
  strings.forEach((text, index) => {
    if (text !== "") pieces.push(text)
    add(pieces, values[index])
  })
  return new Html(pieces)
}

/** Markup from a writer that escapes for itself. */
export const markup = (text: string): Html => new Html([text])

/** An address of this service, for `href`, `action` and `src`. */
export const to = (path: string): LateText => new LateText(({ basePath, stays }) => `${basePath}${stays?.(path) ?? path}`)

/** An address at which things are as they are now, also on a page of an earlier moment. */
export const toNow = (path: string): LateText => new LateText(({ basePath }) => `${basePath}${path}`)

/** In a form that asks for another page: that it is asked for as of the same moment. */
export const sameMoment = new Html([({ at }) => (at === undefined ? "" : `<input type="hidden" name="at" value="${at}">`)])

/** Attributes: true is written as a bare name, false and nothing not at all. */
export const attributes = (given: Readonly<Record<string, string | number | boolean | LateText | null | undefined>>): Html =>
  html`${Object.entries(given).map(([name, value]) => {
    if (value === undefined || value === null || value === false) return null
    return value === true ? html` ${name}` : html` ${name}="${value}"`
  })}`

/** Items with something between them. */
export const joined = (items: readonly Content[], between: Content = ", "): Content =>
  items.map((item, index) => (index === 0 ? item : [between, item]))
