/** Splits a command line into its arguments, and joins them again. */

const PART = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+|["'\\])|(\s+)/gs

/**
 * Splits a command into its arguments. A single line is split as a shell would; of several lines, each is one argument.
 */
export function partsOf(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
  if (lines.length !== 1) return lines
  const parts: string[] = []
  let part: string | undefined
  for (const [, quoted, plain, escaped, bare, space] of (lines[0] ?? "").matchAll(PART)) {
    if (space === undefined)
      part = (part ?? "") + (quoted?.replace(/\\(["\\$`])/g, "$1") ?? plain ?? escaped ?? bare ?? "")
    else if (part !== undefined) {
      parts.push(part)
      part = undefined
    }
  }
  return part === undefined ? parts : [...parts, part]
}

/** Joins arguments into a command, with quotes where needed, so that `partsOf` returns the same arguments. */
export const commandOf = (parts: readonly string[]): string =>
  parts.map((part) => (/^[A-Za-z0-9_\-./:=@%+,]+$/.test(part) ? part : `'${part.replaceAll("'", `'"'"'`)}'`)).join(" ")
