/** Renders pictures with their alternative text below. */
import { holdsMark } from "../../contract/definitions/withheld-text.ts"
import { pathOfFigure } from "../../contract/definitions/figures.ts"
import { type Html, html, to } from "../html.ts"

interface Figure {
  readonly digest: string
  readonly alt: string
}

/** Renders a picture. If its text is withheld, the picture is too, and the text says who withheld it. */
function shown({ digest, alt }: Figure): Html {
  const address = to(pathOfFigure(digest))
  return html`<figure>${holdsMark(alt) ? null : html`<a href="${address}"><img src="${address}" alt="${alt}" loading="lazy"></a>`}<figcaption dir="auto">${alt}</figcaption></figure>`
}

export const figuresOf = (figures: readonly Figure[] | undefined): Html | null =>
  figures === undefined || figures.length === 0 ? null : html`<div class="figures">${figures.map(shown)}</div>`
