/** Pictures in a document: what each shows, in its writer's words, and where it is. */
import { pathOfFigure } from "../contract/definitions/figure-routes.ts"
import { type Asking, said } from "./writing.ts"

interface Figure {
  readonly digest: string
  readonly alt: string
}

/** A line for each picture. */
export const figureLines = ({ basePath }: Pick<Asking, "basePath">, figures: readonly Figure[] | undefined): string[] =>
  (figures ?? []).map(({ digest, alt }) => `picture: ${said(alt, 500)} (${basePath}${pathOfFigure(digest)})`)
