/** What the serving thread and the rendering thread say to each other. */
import type { Kind } from "./markdown.ts"

export interface Text {
  readonly text: string
  readonly kind: Kind
}
/** Texts to render, one after the other. */
export interface Order {
  readonly id: number
  readonly texts: readonly Text[]
}
export interface Done {
  readonly id: number
  readonly made: readonly string[]
}
