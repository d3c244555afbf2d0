/** What of other instances' Rooms is dropped. */

/** A Room of another instance, and the first entry of its activity that leaves; 1: all of it. */
export interface Cut {
  readonly roomId: string
  readonly from: number
}
/** What leaves. */
export interface Leave {
  readonly cuts: readonly Cut[]
  readonly reach: Reach
  /** The address whose history stands in its place; left out, none does. */
  readonly followedAt?: string | undefined
  /** The files that hold what was here, by Room. */
  readonly keptIn?: Readonly<Record<string, string>> | undefined
}
/** Which Rooms leave along where they name something of what leaves: none, those that are followed, or any of other instances. */
export type Reach = "none" | "followed" | "others"
