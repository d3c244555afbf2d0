/** Thrown when GitHub did not say what it was asked. The message is a sentence for the one who waits. */
export class Unanswered extends Error {
  /** Seconds; null when unknown. */
  readonly retryAfter: number | null

  constructor(message: string, retryAfter: number | null = null) {
    super(message)
    this.retryAfter = retryAfter
  }
}
