/** RIS, a citation format with one tag per line. */

/**
 * Writes an entry from its tags, of which the first is `TY`. Tags without a value are left out; line breaks in values
 * become spaces.
 */
export function risText(tags: readonly (readonly [tag: string, value: string | null | undefined])[]): string {
  const lines = tags.flatMap(([tag, value]) => (value == null ? [] : [`${tag}  - ${value.replace(/\s+/g, " ")}`]))
  return `${[...lines, "ER  - "].join("\r\n")}\r\n`
}
