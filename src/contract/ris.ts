/** RIS: one entry, a line for each tag. */

/** An entry of the given tags, which begin with `TY`; a tag without a value is left out, and a line break in a value becomes a space. */
export function risText(tags: readonly (readonly [tag: string, value: string | null | undefined])[]): string {
  const lines = tags.flatMap(([tag, value]) => (value == null ? [] : [`${tag}  - ${value.replace(/\s+/g, " ")}`]))
  return `${[...lines, "ER  - "].join("\r\n")}\r\n`
}
