/** Joins the parts of a regular expression that is too long for a line. All parts have the same flags. */
export const pattern = (...parts: readonly [RegExp, ...RegExp[]]): RegExp =>
  new RegExp(parts.map(({ source }) => source).join(""), parts[0].flags)
