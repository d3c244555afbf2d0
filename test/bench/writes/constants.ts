/** What the bare loop's process and the one that asks it agree upon. */
import { join } from "node:path"

/** How many writes a group holds. */
export const GROUP = 16

export type Ask =
  | {
      readonly prepare: {
        readonly operation: string
        readonly demo: string
        /** Where the data with the targets is put, and the requests of as many writes. */
        readonly folder: string
        readonly writes: number
        /** How many messages the loop writes one at a time, and how many in groups; as many writes in groups are replayed. */
        readonly single: number
        readonly grouped: number
      }
    }
  | { readonly loop: { readonly grouped: boolean } }
  | { readonly replay: true }

/** Writes a second of a loop or a replay; and of a preparation, the statements of one write and the number of those of a group. */
export interface Answer {
  readonly perSecond: number
  readonly single: readonly string[]
  readonly grouped: number
}

export const shotsFile = (folder: string): string => join(folder, "shots.json")
