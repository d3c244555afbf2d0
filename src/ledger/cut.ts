/** What of other instances' Rooms is dropped. */

/** A Room of another instance, and the first entry of its activity that leaves; 1: all of it. */
export interface Cut {
  readonly roomId: string
  readonly from: number
}
/** Which Rooms leave along where they name something of what leaves: none, those that are followed, or any of other instances. */
export type Reach = "none" | "followed" | "others"
