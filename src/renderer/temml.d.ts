/** The part of Temml that is used. Its own types name its members otherwise than the package exports them. */

/** What Temml makes of a formula: elements of MathML, groups without a name, and texts. */
export interface MathTree {
  readonly type?: string
  readonly text?: string
  readonly children?: readonly MathTree[]
  toMarkup(): string
}

declare const temml: {
  /** @throws Error if the formula is not valid, or needs more than `maxExpand` expansions */
  __renderToMathMLTree(
    tex: string,
    options: {
      readonly displayMode: boolean
      readonly annotate: boolean
      readonly throwOnError: true
      readonly trust: false
      readonly maxSize: readonly [number, number]
      readonly maxExpand: number
      /** What these commands stand for. Temml adds to the object. */
      readonly macros: Record<string, string>
    },
  ): MathTree
}
export default temml
