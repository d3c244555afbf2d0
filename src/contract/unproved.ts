/** The sentences about what cannot be proved, used wherever something is called proved. */

/** Entries whose bodies no digest proves: how many there are, and the sequences of those that are listed. */
interface Unproved {
  readonly entries: number
  readonly sequences: readonly number[]
}

/** The sentence about these entries; empty if there are none. */
export function unprovedWords({ entries, sequences }: Unproved): string {
  if (entries === 0) return ""
  const rest = entries > sequences.length ? ` and ${entries - sequences.length} more` : ""
  return entries === 1
    ? `Part of entry ${sequences[0]} was withheld, so its hash cannot be checked.`
    : `Parts of entries ${sequences.join(", ")}${rest} (${entries} in all) were withheld, ` +
        "so their hashes cannot be checked."
}

/** What no digest of a Room proves. Printed by the program in a crate and by the commands that import a Room. */
export const onlySaid =
  "Stated, not proved: people's names and ORCIDs, what programs say about themselves (client), which instance the " +
  "Room belongs to, and that nothing came after the last entry."
