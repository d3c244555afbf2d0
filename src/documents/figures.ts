/** Lists pictures in a document: the description and address of each. */
import { pathOfFigure } from "../contract/definitions/figure-routes.ts"
import { type Asking, said } from "./writing.ts"

interface Figure {
  readonly digest: string
  readonly alt: string
}

/** One line per picture. */
export const figureLines = ({ basePath }: Pick<Asking, "basePath">, figures: readonly Figure[] | undefined): string[] =>
  (figures ?? []).map(({ digest, alt }) => `picture: ${said(alt, 500)} (${basePath}${pathOfFigure(digest)})`)
