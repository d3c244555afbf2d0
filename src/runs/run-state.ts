/** The state of a run on disk, apart from the requests that wait. */
export interface RunState {
  readonly attemptId: string
  readonly experimentId: string
  /** The digest of the credential that registered the attempt. */
  readonly credential: string
  readonly isReproduction: boolean
  /** Files whose digests are reported with the outcome. */
  readonly outputs: readonly { readonly label: string; readonly file: string }[]
  label: string | null
  /** Revision and status of the attempt after the last delivered request. */
  revision: number
  status: string
  /** Bytes of the metrics file that were reported. */
  metricsThrough: number
  /** The number of the next request. */
  next: number
  /** The last stage that was reported. */
  said: "registered" | "started" | "ended"
}
