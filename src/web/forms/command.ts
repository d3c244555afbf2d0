/** A command line as people type it, and its parts. */

const PART = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+|["'\\])|(\s+)/gs

/** The parts of a command: on one line as a shell takes them apart; of several lines each is a part. */
export function partsOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim())
  const given = lines.filter((line) => line !== "")
  if (given.length !== 1) return given
  const parts: string[] = []
  let part: string | undefined
  for (const [, quoted, plain, escaped, bare, space] of (given[0] ?? "").matchAll(PART)) {
    if (space === undefined) part = (part ?? "") + (quoted?.replace(/\\(["\\$`])/g, "$1") ?? plain ?? escaped ?? bare ?? "")
    else if (part !== undefined) {
      parts.push(part)
      part = undefined
    }
  }
  return part === undefined ? parts : [...parts, part]
}

/** A command whose parts a reader can tell apart, and which is taken apart into the same again. */
export const commandOf = (parts: readonly string[]): string =>
  parts.map((part) => (/^[A-Za-z0-9_\-./:=@%+,]+$/.test(part) ? part : `'${part.replaceAll("'", `'"'"'`)}'`)).join(" ")
