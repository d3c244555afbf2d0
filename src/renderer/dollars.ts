/** Tells formulas from other uses of the dollar sign. */

/**
 * Whether what stands between two single dollar signs is no formula: prices as in `R$6, ou 5$`, and variables of a
 * shell as in `$PATH:$HOME` and `${A}/${B}`.
 */
export function isTextInDollars(tex: string, before: string, after: string): boolean {
  if (/^\s|\s$/.test(tex) || /[0-9A-Za-z]/.test(before) || /[0-9A-Z{_]/.test(after)) return true
  if (/[a-z]/.test(after) && /[:/,;.=]$/.test(tex)) return true
  return /^\d/.test(tex) && /\s[A-Za-z]{2}/.test(tex) && !/[\\_^={}<>+*/]/.test(tex)
}
