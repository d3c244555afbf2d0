/**
 * An axis for numbers of any size. d3 uses differences and powers of ten, which overflow for the largest numbers and
 * underflow for the smallest. Such values are first multiplied by a power of two.
 */
import { symbol, symbolsFill } from "d3-shape"
import { type Html, html, markup } from "../html.ts"
import { scaleLinear, scaleLog } from "d3-scale"

// Distinguishes attempts in a picture by colour, dash and shape together, so that no one needs to see all three.

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

export interface Axis {
  readonly low: number
  readonly high: number
  readonly ticks: readonly number[]
  /** The position of a value. Values far outside the axis are clamped to a place just outside. */
  at(value: number): number
}

interface Options {
  readonly isLog: boolean
  /** The margin on either side of a linear axis, as a share of its length. */
  readonly margin?: number
  /** Whether a linear axis begins and ends at round numbers. */
  readonly isRound?: boolean
}

const [TINY, HUGE] = [1e-290, 1e290]
/** Numbers whose relative difference is smaller count as equal. */
const SAME = 2 ** -40
/** How far outside the axis a value can be placed, in lengths of the axis. */
const OUTSIDE = 50

/** A position on an axis in percent, for SVG. */
export const percent = (share: number): string => `${share.toFixed(2)}%`
const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
const unitFor = (least: number, most: number): number => (most > HUGE ? 2 ** -100 : least < TINY ? 2 ** 200 : 1)

/** @param low above 0 on a log axis @param range the positions of the low and the high end */
export function axis(
  low: number,
  high: number,
  range: readonly [number, number],
  { isLog, margin = 0, isRound = false }: Options,
): Axis {
  const most = Math.max(Math.abs(low), Math.abs(high))
  const unit = isLog ? unitFor(low, high) : unitFor(most, most)
  const isFlat = isLog ? !(high * (1 - SAME) > low) : !(high * unit - low * unit > most * unit * SAME)
  const scale = isLog ? logScale() : linearScale()
  const [from = 0, to = 1] = scale.domain()
  const reach = isLog ? 0 : (to - from) * OUTSIDE
  const unscaled = (value: number) => within(value / unit, -Number.MAX_VALUE, Number.MAX_VALUE)
  return {
    low: unscaled(from),
    high: unscaled(to),
    ticks: scale
      .ticks(5)
      .map((tick) => tick / unit)
      .filter(Number.isFinite),
    at: (value) => scale(isLog ? within(value * unit, 1e-300, 1e300) : within(value * unit, from - reach, to + reach)),
  }

  function logScale() {
    const [least, greatest] = isFlat ? [(low * unit) / 2, low * unit * 2] : [low * unit, high * unit]
    return scaleLog([within(least, 1e-300, 1e299), within(greatest, 2e-300, 1e300)], range)
  }
  function linearScale() {
    // An axis for a single value extends a tenth of it to either side.
    const by = isFlat ? (most > TINY ? (most * unit) / 10 : unit) : (high * unit - low * unit) * margin
    const wide = scaleLinear([low * unit - by, (isFlat ? low : high) * unit + by], range)
    return isRound ? wide.nice() : wide
  }
}
