/**
 * The statistics of measurements: means, spreads, intervals and contrasts, and how these numbers are written. Values
 * are summed in exact parts, so that they give the same digits in any order.
 */
import type { GatheredContrast, EffectAnswer, MeasurementTable } from "../../contract/answers/measurements.ts"

// Student's t distribution, by the continued fraction of the incomplete beta function (Abramowitz and Stegun 26.7.1 and
// 26.5.8). A test compares it with @stdlib's, which is 220 packages.

const { abs, exp, log, log1p, max, min, PI, sqrt } = Math

/** Γ(a + 1/2) / Γ(a), which the difference of two logarithms of Γ would lose for a large `a`. */
function gammaRatio(a: number): number {
  let [shifted, factor] = [a, 1]
  for (; shifted < 20; shifted += 1) factor *= shifted / (shifted + 0.5)
  const s = 1 / (shifted * shifted)
  const series = (-1 / 8 + s * (1 / 192 + s * (-1 / 640 + s * (17 / 14_336 - (s * 31) / 18_432)))) / shifted
  return factor * sqrt(shifted) * exp(series)
}

/** The continued fraction of I_x(a, b), by Lentz's method. */
function betaFraction(a: number, b: number, x: number): number {
  let [c, d] = [1, 1 / (1 - ((a + b) * x) / (a + 1))]
  let fraction = d
  for (let m = 1; m <= 100_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / (1 + even * d)
    c = 1 + even / c
    fraction *= c * d
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / (1 + odd * d)
    c = 1 + odd / c
    fraction *= c * d
    if (abs(c * d - 1) < 1e-16) break
  }
  return fraction
}

/** The probability of a value beyond `t` or beyond `-t`. @param t not negative @param df positive */
export function bothTails(t: number, df: number): number {
  if (t === 0) return 1
  if (t === Number.POSITIVE_INFINITY) return 0
  const [a, ratio] = [df / 2, (t / df) * t]
  const [x, y] = [1 / (1 + ratio), ratio / (1 + ratio)]
  const front = (exp(-a * log1p(ratio)) * sqrt(y) * gammaRatio(a)) / sqrt(PI)
  return x < (a + 1) / (a + 2.5) ? (front * betaFraction(a, 0.5, x)) / a : 1 - 2 * front * betaFraction(0.5, a, y)
}

const density = (t: number, df: number): number =>
  (gammaRatio(df / 2) / sqrt(df * PI)) * exp((-(df + 1) / 2) * log1p((t / df) * t))

/**
 * The value that is exceeded, in either direction, with a probability: the half width of an interval in standard
 * errors.
 * @param level between 0 and 1 @param df positive
 */
export function beyondWith(level: number, df: number): number {
  let [low, high] = [0, 1]
  while (bothTails(high, df) > level) [low, high] = [high, high * 4]
  let t = (low + high) / 2
  for (let step = 0; step < 200; step += 1) {
    const tails = bothTails(t, df)
    if (tails > level) low = t
    else high = t
    // Newton's method for logarithms, in which the tails are almost straight.
    const next = t * exp((tails * log(tails / level)) / (2 * t * density(t, df)))
    const last = t
    t = next > low && next < high ? next : (low + high) / 2
    if (abs(t - last) <= 2e-16 * t || max(low, min(t, high)) !== t) break
  }
  return t
}

/** The significance level of intervals that are not corrected. */
export const LEVEL = 0.05

/** Statistics of some values. One value has a mean and no spread. */
export type Summary = { readonly [N in "n" | "mean" | "min" | "max"]: number } & {
  readonly [N in "sd" | "se" | "low" | "high"]: number | null
}

/** The difference of a group from its baseline, as a table answers it. */
export type Contrast = Readonly<NonNullable<MeasurementTable["groups"][number]["contrast"]>>
/**
 * A difference of two means, with the t distribution that its interval is read from. Only paired values have a standard
 * deviation.
 */
type Difference = Pick<Contrast, "method" | "estimate" | "sd" | "se" | "df" | "low" | "high" | "p">
/** The interval of a comparison, corrected for the number of comparisons. */
export type Corrected = NonNullable<Contrast["corrected"]>

/** What the same code with the same settings differs by from run to run. */
export type Noise = Readonly<NonNullable<MeasurementTable["noise"]>>

/** Pools the spreads within groups; null if no group has two values. @param from the attempts that are named */
export function spreadOf(
  spreads: readonly { readonly squares: number; readonly df: number; readonly n: number }[],
  over: string,
  from: readonly string[],
): Noise | null {
  const df = spreads.reduce((sum, each) => sum + each.df, 0)
  if (df === 0) return null
  const n = spreads.reduce((sum, each) => sum + each.n, 0)
  const sd = Math.sqrt(sumOf(spreads.map(({ squares }) => squares)) / df)
  return { sd, n, over, from: [...from] }
}

/** Larger numbers are scaled down before they are added. */
const HUGE = 2 ** 900

/**
 * Sums values, with the same result in any order (Rump, Ogita and Oishi's extraction). Each value is cut into three
 * pieces at positions that depend only on the largest value and the number of values, high enough that the pieces of
 * one level add up without rounding. For a quarter of a million values, three levels keep over 90 binary digits below
 * the largest value.
 * @param values finite
 */
export function sumOf(values: ArrayLike<number>): number {
  const left = new Float64Array(values)
  let largest = 0
  for (let at = 0; at < left.length; at += 1) largest = Math.max(largest, Math.abs(left[at] ?? 0))
  if (largest === 0) return 0
  if (largest > HUGE && largest < Number.POSITIVE_INFINITY) return sumOf(left.map((value) => value / HUGE)) * HUGE
  const room = 2 ** Math.ceil(Math.log2(left.length + 2))
  let cut = room * 2 ** (Math.floor(Math.log2(largest)) + 2)
  const level = (): number => {
    let sum = 0
    for (let at = 0; at < left.length; at += 1) {
      const value = left[at] ?? 0
      const piece = cut + value - cut
      sum += piece
      left[at] = value - piece
    }
    cut *= room * 2 ** -52
    return sum
  }
  const [high, middle, low] = [level(), level(), level()]
  return high + (middle + low)
}

/** Sum of squares around the mean, with the correction for the rounding of the mean. */
function squaresAround(values: ArrayLike<number>, mean: number): number {
  const [deviations, squares] = [new Float64Array(values.length), new Float64Array(values.length)]
  for (let at = 0; at < deviations.length; at += 1) {
    const deviation = (values[at] ?? 0) - mean
    deviations[at] = deviation
    squares[at] = deviation ** 2
  }
  return Math.max(0, sumOf(squares) - sumOf(deviations) ** 2 / values.length)
}

/** Half the width of the two-sided interval of a standard error. */
export const halfWidth = (se: number, df: number, level: number = LEVEL): number =>
  se === 0 ? 0 : beyondWith(level, df) * se

/** @param values finite, at least one */
export function summaryOf(values: ArrayLike<number>): Summary {
  const n = values.length
  let [min, max] = [values[0] ?? Number.NaN, values[0] ?? Number.NaN]
  for (let at = 1; at < n; at += 1) {
    const value = values[at] ?? Number.NaN
    if (value < min) min = value
    else if (value > max) max = value
  }
  const constant = min === max
  const mean = constant ? min : sumOf(values) / n
  if (n < 2) return { n, mean, sd: null, se: null, low: null, high: null, min, max }
  const sd = constant ? 0 : Math.sqrt(squaresAround(values, mean) / (n - 1))
  const se = sd / Math.sqrt(n)
  const half = halfWidth(se, n - 1)
  return { n, mean, sd, se, low: mean - half, high: mean + half, min, max }
}

/** The two-sided p value of an estimate. Without spread it is 0 for any difference and 1 for none. */
function pOf(estimate: number, se: number, df: number): number {
  if (se === 0) return estimate === 0 ? 1 : 0
  return bothTails(Math.abs(estimate / se), df)
}

const unspread = { sd: null, se: null, df: null, low: null, high: null, p: null }

/** The mean of paired differences. @param differences at least one */
export function paired(differences: ArrayLike<number>): Difference {
  const { n, mean: estimate, sd, se, low, high } = summaryOf(differences)
  if (se === null) return { method: "paired", estimate, ...unspread }
  return { method: "paired", estimate, sd, se, df: n - 1, low, high, p: pOf(estimate, se, n - 1) }
}

/** Welch's difference of two means. @param of, against at least one value each */
export function welch(of: ArrayLike<number>, against: ArrayLike<number>): Difference {
  const [one, other] = [summaryOf(of), summaryOf(against)]
  const estimate = one.mean - other.mean
  if (one.sd === null || other.sd === null) return { method: "welch", estimate, ...unspread }
  const [a, b] = [one.sd ** 2 / one.n, other.sd ** 2 / other.n]
  const se = Math.sqrt(a + b)
  const df = se === 0 ? one.n + other.n - 2 : (a + b) ** 2 / (a ** 2 / (one.n - 1) + b ** 2 / (other.n - 1))
  const half = halfWidth(se, df)
  return {
    method: "welch",
    estimate,
    sd: null,
    se,
    df,
    low: estimate - half,
    high: estimate + half,
    p: pOf(estimate, se, df),
  }
}

/**
 * Holm's correction. Each comparison gets the interval at the level of its step: 0.05 divided by the number of
 * comparisons that are not rejected yet. After the first step that does not reject, the rest keep its level, and their
 * intervals contain zero.
 * @returns a correction for each difference, in order; null for a difference without a standard error
 */
export function holm(differences: readonly Difference[]): (Corrected | null)[] {
  const inOrder = differences
    .flatMap(({ estimate, se, df, p }, index) =>
      se === null || df === null || p === null ? [] : [{ estimate, se, df, p, index }],
    )
    .toSorted((one, other) => one.p - other.p || one.index - other.index)
  const corrected: (Corrected | null)[] = differences.map(() => null)
  const comparisons = inOrder.length
  let left = comparisons
  let isDistinct = true
  for (const { estimate, se, df, p, index } of inOrder) {
    const level = LEVEL / left
    isDistinct &&= p < level
    const half = halfWidth(se, df, level)
    corrected[index] = { level, low: estimate - half, high: estimate + half, isDistinct, comparisons }
    if (isDistinct) left -= 1
  }
  return corrected
}

/**
 * A random-effects estimate: `tau2` is the variance between the estimates, `i2` their share of the variation, and `q`
 * Cochran's Q.
 */
export type Pooled = Readonly<Omit<NonNullable<GatheredContrast["pooled"]>, "heterogeneity">>

/**
 * Pools estimates by random effects: DerSimonian and Laird's variance between them, Hartung and Knapp's interval.
 * @returns undefined for fewer than three estimates, or if one has no spread
 */
export function pooled(estimates: readonly Pick<Pooled, "estimate" | "se">[]): Pooled | undefined {
  const k = estimates.length
  if (k < 3 || estimates.some(({ se }) => se === 0)) return undefined
  const mean = (weights: readonly number[]) =>
    sumOf(estimates.map(({ estimate }, index) => (weights[index] ?? 0) * estimate)) / sumOf(weights)
  const squares = (weights: readonly number[], around: number) =>
    sumOf(estimates.map(({ estimate }, index) => (weights[index] ?? 0) * (estimate - around) ** 2))
  const fixed = estimates.map(({ se }) => 1 / se ** 2)
  const q = squares(fixed, mean(fixed))
  const scale = sumOf(fixed) - sumOf(fixed.map((weight) => weight ** 2)) / sumOf(fixed)
  const tau2 = Math.max(0, (q - (k - 1)) / scale)
  const weights = estimates.map(({ se }) => 1 / (se ** 2 + tau2))
  const estimate = mean(weights)
  const se = Math.sqrt(squares(weights, estimate) / ((k - 1) * sumOf(weights)))
  const half = halfWidth(se, k - 1)
  return {
    k,
    estimate,
    se,
    low: estimate - half,
    high: estimate + half,
    tau2,
    i2: q === 0 ? 0 : Math.max(0, (q - (k - 1)) / q),
    q,
  }
}

/** Estimates pooled as one: the number, the mean, its standard error and its 95 % interval. */
export type Together = Readonly<NonNullable<EffectAnswer["pooled"]>>

/**
 * Pools an estimate with those that repeat it. Two have no variance between them that could be estimated, so they are
 * weighted by their precision, with Satterthwaite's degrees of freedom; three and more are pooled by random effects.
 * @returns undefined for fewer than two estimates, or if one has no spread
 */
export function together(
  estimates: readonly { readonly estimate: number; readonly se: number; readonly df: number | null }[],
): Together | undefined {
  if (estimates.length < 2 || estimates.some(({ se }) => se === 0)) return undefined
  const random = pooled(estimates)
  if (random !== undefined) {
    const { k, estimate, se, low, high } = random
    return { k, estimate, se, low, high, method: "random_effects" }
  }
  const weights = estimates.map(({ se }) => 1 / se ** 2)
  const sum = sumOf(weights)
  const estimate = sumOf(estimates.map((each, index) => each.estimate * (weights[index] ?? 0))) / sum
  const se = Math.sqrt(1 / sum)
  const df = 1 / sumOf(estimates.map((each, index) => ((weights[index] ?? 0) / sum) ** 2 / (each.df ?? 1)))
  const half = halfWidth(se, df)
  return { k: estimates.length, estimate, se, low: estimate - half, high: estimate + half, method: "common_effect" }
}

// Writes numbers with as many digits as their standard error allows.

/** The number of decimals that show `digits` significant digits of a number of this scale. */
const decimalsFor = (scale: number, digits: number): number =>
  scale === 0 || !Number.isFinite(scale)
    ? 0
    : Math.min(15, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(scale)))))

/** Replaces a hyphen by a minus sign, as in printed tables. */
const signed = (text: string): string => text.replace(/^-/, "−")

/** Whether a number is written without a power of ten. */
const isPlain = (value: number): boolean => value === 0 || (Math.abs(value) < 1e9 && Math.abs(value) >= 1e-6)

/** Formats a number to the second digit of its standard error, or to four digits where that is 0 or unknown. */
function written(value: number, se: number): string {
  if (!isPlain(value)) return signed(value.toExponential(3))
  return signed(value.toFixed(se === 0 ? Math.min(6, decimalsFor(value, 4)) : decimalsFor(se, 2)))
}

/** Whether a spread is of the computer's rounding alone, because all values or all differences are equal. */
const isRounding = (spread: number, value: number): boolean => spread < 1e-12 * Math.abs(value)

/**
 * Formats a number to the second digit of its standard error, or to four digits without one.
 * @param se undefined or null if the spread is unknown
 */
export const figure = (value: number | null, se?: number | null): string =>
  value === null ? "–" : written(value, se == null || isRounding(se, value) ? 0 : se)

/** Formats an interval: `−1.72 to −0.58`. */
export const interval = (low: number | null, high: number | null, se: number | null): string =>
  low === null || high === null ? "–" : `${figure(low, se)} to ${figure(high, se)}`

/** As `figure` and `interval`, for texts that are stored: a replay gives them again, with all digits of a rounding. */
export const storedFigure = (value: number, se: number | null): string => written(value, se ?? 0)
export const storedInterval = (low: number | null, high: number | null, se: number | null): string =>
  low === null || high === null ? "–" : `${storedFigure(low, se)} to ${storedFigure(high, se)}`

/** Half the width of an interval; 0 if that is of the computer's rounding alone, null without an interval. */
export function halfOf(low: number | null, high: number | null): number | null {
  if (low === null || high === null) return null
  const half = (high - low) / 2
  return isRounding(half, low) ? 0 : half
}

/** How numbers of a unit are written. People say percent for a fraction, and points for a difference of two. */
export interface Scale {
  readonly factor: number
  /** What follows a value, and a difference of two values. */
  readonly value: string
  readonly difference: string
}

export const scaleOf = (unit: string | null): Scale => {
  if (unit === "fraction") return { factor: 100, value: " %", difference: " points" }
  const after = unit === null ? "" : ` ${unit}`
  return { factor: 1, value: after, difference: after }
}

/** The unit of an axis in words; null without one. */
export const unitInWords = (unit: string | null, isDifference = false): string | null =>
  unit === "fraction" ? (isDifference ? "percentage points" : "percent") : unit

const scaled = (value: number | null, { factor }: Scale): number | null => (value === null ? null : value * factor)

/** Formats a number as `figure` does, on the scale of its unit. */
export const figureOn = (scale: Scale, value: number | null, se?: number | null): string =>
  figure(scaled(value, scale), scaled(se ?? null, scale))

/** Formats an interval as `interval` does, on the scale of its unit. */
export const intervalOn = (scale: Scale, low: number | null, high: number | null, se: number | null): string =>
  interval(scaled(low, scale), scaled(high, scale), scaled(se, scale))
