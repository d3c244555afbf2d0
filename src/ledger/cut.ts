/** Which parts of Rooms from other instances are dropped. */

/** A Room of another instance, and the first entry of its activity to drop; 1 drops the whole Room. */
export interface Cut {
  readonly roomId: string
  readonly from: number
}
/** Everything that one request drops. */
export interface Leave {
  readonly cuts: readonly Cut[]
  readonly reach: Reach
  /** The address of the history to follow instead; left out if none replaces it. */
  readonly followedAt?: string | undefined
  /** The files with a copy of what was dropped, by Room. */
  readonly keptIn?: Readonly<Record<string, string>> | undefined
}
/**
 * Which Rooms are dropped too because they refer to dropped entries: none, the mirrored ones, or any Room of another
 * instance.
 */
export type Reach = "none" | "followed" | "others"
