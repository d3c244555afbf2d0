/** Distinguishes attempts in a picture by colour, dash and shape together, so that no one needs to see all three. */
import { symbol, symbolsFill } from "d3-shape"
import { type Html, html, markup } from "../html.ts"

/**
 * The numbers of colours and dashes in the style sheet. The dash changes every 8 lines and the colours repeat after 16,
 * so 32 lines differ.
 */
const [COLOURS, OF_A_DASH, DASHES] = [16, 8, 4]

const shapes = symbolsFill.map((type) => (symbol(type, 44)() ?? "").replace(/(\.\d)\d+/g, "$1"))

/** The CSS classes of the n-th attempt's line, and of its shape. */
export const lineOf = (index: number): string =>
  `s${(index % COLOURS) + 1} d${(Math.floor(index / OF_A_DASH) % DASHES) + 1}`
export const fillOf = (index: number): string => `p${(index % COLOURS) + 1}`
/** The SVG path of the n-th attempt's shape, centred at the origin. */
export const shapeOf = (index: number): Html => markup(shapes[index % shapes.length] ?? "")

/** A sample of the line with its shape, for legends and lists of values. */
export const sample = (index: number): Html =>
  html`<svg class="chart sample" viewBox="0 0 30 12" width="30" height="12" aria-hidden="true" focusable="false">\
<path class="line ${lineOf(index)}" d="M0 6H30"/><path class="${fillOf(index)}" transform="translate(15 6)" \
d="${shapeOf(index)}"/></svg>`
