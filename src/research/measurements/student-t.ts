/**
 * Student's t distribution, by the continued fraction of the incomplete beta function (Abramowitz and Stegun 26.7.1 and
 * 26.5.8). A test compares it with @stdlib's, which is 220 packages.
 */

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
