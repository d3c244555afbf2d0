/** Access to Rooms as they were at an earlier moment. */
import type { StoredPast } from "./limits/readers.ts"
import type { Instance } from "./served-instance.ts"

/** A Room at an earlier moment, until disposed. Its clock is set to the time of the entry. */
export interface Past extends Omit<StoredPast, "file">, Disposable {
  /** Null if only this thread can read it. */
  readonly file: string | null
  readonly instance: Instance
}

/** Restores Rooms as they were. */
export interface Pasts {
  /**
   * @param sequence the sequence of an entry of the Room's activity
   * @throws Refusal 422 for an entry that does not exist or is too far back, 503 if too many are being restored
   */
  of(roomId: string, sequence: number): Promise<Past>
}
