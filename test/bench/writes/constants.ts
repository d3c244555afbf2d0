/** Shared by the bare loop's process and its caller. */
import { join } from "node:path"

/** The number of writes in a group. */
export const GROUP = 16

export type Ask =
  | {
      readonly prepare: {
        readonly operation: string
        readonly demo: string
        /** The folder for the data with the targets, and the requests for this many writes. */
        readonly folder: string
        readonly writes: number
        /** How many messages the loop writes singly, and how many in groups; as many writes in groups are replayed. */
        readonly single: number
        readonly grouped: number
      }
    }
  | { readonly loop: { readonly grouped: boolean } }
  | { readonly replay: true }

/**
 * Writes per second of a loop or a replay; for a preparation, the statements of one write and the number of those of a
 * group.
 */
export interface Answer {
  readonly perSecond: number
  readonly single: readonly string[]
  readonly grouped: number
}

export const shotsFile = (folder: string): string => join(folder, "shots.json")
