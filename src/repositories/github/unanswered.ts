/** GitHub gave no usable answer. The message is a sentence for the user. */
export class Unanswered extends Error {
  /** Seconds; null if unknown. */
  readonly retryAfter: number | null

  constructor(message: string, retryAfter: number | null = null) {
    super(message)
    this.retryAfter = retryAfter
  }
}
