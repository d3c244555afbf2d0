/** Pictures that something shows, with their words below. */
import { holdsMark } from "../../contract/definitions/withheld-text.ts"
import { pathOfFigure } from "../../contract/definitions/figure-routes.ts"
import { type Html, html, to } from "../html.ts"

interface Figure {
  readonly digest: string
  readonly alt: string
}

/** With its words a picture is withheld: then there is nothing to show but who withheld it. */
function shown({ digest, alt }: Figure): Html {
  const address = to(pathOfFigure(digest))
  return html`<figure>${holdsMark(alt) ? null : html`<a href="${address}"><img src="${address}" alt="${alt}" loading="lazy"></a>`}<figcaption dir="auto">${alt}</figcaption></figure>`
}

export const figuresOf = (figures: readonly Figure[] | undefined): Html | null =>
  figures === undefined || figures.length === 0 ? null : html`<div class="figures">${figures.map(shown)}</div>`
