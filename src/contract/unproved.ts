/** What is said wherever something is called proved, and parts of it cannot be. */

/** Entries whose bodies no digest proves: how many, and those that are named. */
export interface Unproved {
  readonly entries: number
  readonly sequences: readonly number[]
}

/** The sentence about them; empty where there are none. */
export function unprovedWords({ entries, sequences }: Unproved): string {
  if (entries === 0) return ""
  const rest = entries > sequences.length ? ` and ${entries - sequences.length} more` : ""
  return entries === 1
    ? `Entry ${sequences[0]} cannot be proved: something in it was withheld, and nothing proves what is left.`
    : `Entries ${sequences.join(", ")}${rest} (${entries} in all) cannot be proved: something in them was withheld, and nothing proves what is left.`
}

/** What no digest of a Room proves: said by the programs in a crate, and by the commands that bring a Room in. */
export const onlySaid =
  "Said, not proved: what people are called and their ORCIDs, what programs say of themselves (client), which instance the Room is of, and that nothing came after the last entry."
