/** What is known of a run beside its letters. */

/** What is known of a run beside its letters. */
export interface RunState {
  readonly attemptId: string
  readonly experimentId: string
  readonly credential: string
  readonly isReproduction: boolean
  /** Files whose digests are told with the outcome. */
  readonly outputs: readonly { readonly label: string; readonly file: string }[]
  label: string | null
  /** Where the attempt stands after what was delivered. */
  revision: number
  status: string
  /** Bytes of its metrics that were said. */
  metricsThrough: number
  next: number
  said: "registered" | "started" | "ended"
}
