/** A clock that moves only when a test moves it. */
export class Clock {
  #milliseconds = Date.UTC(2026, 10, 20, 9, 30)
  readonly now = (): number => this.#milliseconds

  pass(seconds: number): void {
    this.#milliseconds += seconds * 1000
  }
}
