/**
 * An axis of numbers of any size. d3 works with differences and powers of ten, which overflow near the largest numbers and vanish
 * near the smallest: such values are multiplied by a power of two first.
 */
import { scaleLinear, scaleLog } from "d3-scale"

export interface Axis {
  /** Where it begins and ends. */
  readonly low: number
  readonly high: number
  readonly ticks: readonly number[]
  /** Where a value stands; one far outside stands a little outside. */
  at(value: number): number
}

interface Look {
  readonly isLog: boolean
  /** Part of its length that stays free on either side of a linear axis. */
  readonly margin?: number
  /** Whether a linear axis begins and ends at round numbers. */
  readonly isRound?: boolean
}

const [TINY, HUGE] = [1e-290, 1e290]
/** Numbers nearer to each other than this part of them are the same to an axis. */
const SAME = 2 ** -40
/** Lengths of the axis that a value stands outside at most. */
const OUTSIDE = 50

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))
const unitFor = (least: number, most: number): number => (most > HUGE ? 2 ** -100 : least < TINY ? 2 ** 200 : 1)

/** @param low on a log axis above 0 @param range where its low and its high end stand */
export function axis(low: number, high: number, range: readonly [number, number], { isLog, margin = 0, isRound = false }: Look): Axis {
  const most = Math.max(Math.abs(low), Math.abs(high))
  const unit = isLog ? unitFor(low, high) : unitFor(most, most)
  const isFlat = isLog ? !(high * (1 - SAME) > low) : !(high * unit - low * unit > most * unit * SAME)
  const scale = isLog ? logScale() : linearScale()
  const [from = 0, to = 1] = scale.domain()
  const reach = isLog ? 0 : (to - from) * OUTSIDE
  const told = (value: number) => within(value / unit, -Number.MAX_VALUE, Number.MAX_VALUE)
  return {
    low: told(from),
    high: told(to),
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
    // Around a single value, a tenth of it.
    const by = isFlat ? (most > TINY ? (most * unit) / 10 : unit) : (high * unit - low * unit) * margin
    const wide = scaleLinear([low * unit - by, (isFlat ? low : high) * unit + by], range)
    return isRound ? wide.nice() : wide
  }
}
