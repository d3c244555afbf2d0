/** A repository check that counts its requests, and answers as the test wants. */
import type { OutsideCheck } from "../../src/ledger/write/admission.ts"

type Answer = Awaited<ReturnType<OutsideCheck["check"]>>

export const hidden = "https://git.example.org/lab/hidden"

export class CountingCheck implements OutsideCheck {
  readonly asked: string[] = []
  /** Answers to give first, one for each request. */
  readonly next: Answer[] = []
  /** Answers wait until this resolves. */
  gate: Promise<void> = Promise.resolve()

  async check({ url, commit }: { url: string; commit: string }): Promise<Answer> {
    this.asked.push(`${url} ${commit}`)
    await this.gate
    return this.next.shift() ?? (url === hidden ? { ok: false, reason: "The repository is not public." } : { ok: true })
  }
}
