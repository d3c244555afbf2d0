/** The facts about a running service that its documents contain. */

export interface Place {
  /** Scheme, host and path, without a trailing slash. */
  readonly baseUrl: string
}

export interface Program extends Place {
  readonly softwareVersion: string
}

export interface Running extends Program {
  readonly instanceId: string
  /** The instances it was restored from, oldest first. */
  readonly lineage: readonly string[]
}
