/** What looks back: Rooms as they were, as the ways in see them. */
import type { StoredPast } from "./limits/readers.ts"
import type { Instance } from "./served-instance.ts"

/** A Room as it was, until it is let go of. Its clock stands at the moment of the entry. */
export interface Past extends Omit<StoredPast, "file">, Disposable {
  /** Null for one that this thread alone can read. */
  readonly file: string | null
  readonly instance: Instance
}

/** What makes Rooms again as they were. */
export interface Pasts {
  /**
   * @param sequence of an entry of the Room's activity
   * @throws Refusal 422 for one that is not there or lies too far back, 503 where too many are made
   */
  of(roomId: string, sequence: number): Promise<Past>
}
