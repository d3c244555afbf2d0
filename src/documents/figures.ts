/** Lists pictures in a document: the description and address of each. */
import { pathOfFigure } from "../contract/definitions/figure-routes.ts"
import { type DocumentSource, inline } from "./writing.ts"

interface Figure {
  readonly digest: string
  readonly alt: string
}

/** One line per picture. */
export const figureLines = ({ basePath }: Pick<DocumentSource, "basePath">, figures: readonly Figure[] | undefined): string[] =>
  (figures ?? []).map(({ digest, alt }) => `picture: ${inline(alt, 500)} (${basePath}${pathOfFigure(digest)})`)
