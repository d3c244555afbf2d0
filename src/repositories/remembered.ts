/**
 * The shared window: who asks about a pin while the same question is under way gets that answer, and an answer stands
 * for two minutes. Then the source is asked again, and revalidates what it knows.
 *
 * A success is reused so because it is still good, a failure because asking again would break the promise of at most
 * two requests per commit and window. It is never reused as a success: it says the same again, and when it is asked anew.
 * Only an answer for which nothing was sent (the budget was spent) is not kept, since nothing has to be made up for.
 */
import { limits } from "../contract/limits.ts"
import type { RepositoryAnswer, RepositoryPin, RepositorySource } from "./check.ts"
import { takeApart } from "./pinned.ts"

interface Remembered {
  readonly answer: RepositoryAnswer
  /** Milliseconds since 1970. */
  readonly until: number
}

interface Window {
  /** Milliseconds since 1970; must never go back. */
  readonly now: () => number
  /** Whether only successes stand: where asking again costs little, what was mended is seen at once. */
  readonly successesOnly?: boolean
}

export function remembered(source: RepositorySource, { now, successesOnly = false }: Window): RepositorySource {
  const underWay = new Map<string, Promise<RepositoryAnswer | null>>()
  /** In the order in which they run out, since every answer stands equally long. */
  const answers = new Map<string, Remembered>()

  function remember(key: string, answer: RepositoryAnswer): void {
    for (const [old, { until }] of answers) {
      if (until > now()) break
      answers.delete(old)
    }
    answers.set(key, { answer, until: now() + limits.repositoryCheckSeconds * 1000 })
  }

  async function ask(key: string, pin: RepositoryPin): Promise<RepositoryAnswer | null> {
    const answer = await source.check(pin)
    if (answer === null || (answer.ok === null && answer.unasked) || (successesOnly && answer.ok !== true)) return answer
    remember(key, answer)
    return standing(answer, limits.repositoryCheckSeconds)
  }

  return {
    check(pin) {
      const key = keyOf(pin)
      const known = answers.get(key)
      if (known !== undefined && known.until > now()) {
        return Promise.resolve(standing(known.answer, Math.ceil((known.until - now()) / 1000)))
      }
      const shared = underWay.get(key) ?? ask(key, pin).finally(() => underWay.delete(key))
      underWay.set(key, shared)
      return shared
    },
    close: () => source.close?.(),
  }
}

/** The same for every way to write the same pin. */
function keyOf(pin: RepositoryPin): string {
  const pinned = takeApart(pin)
  return pinned === null ? `${pin.url} ${pin.commit}` : `${pinned.host}/${pinned.owner}/${pinned.name} ${pinned.commit}`
}

/** `answer` as it is given while it stands for `seconds` more. */
function standing(answer: RepositoryAnswer, seconds: number): RepositoryAnswer {
  if (answer.ok) return answer
  if (answer.ok === false) return { ...answer, reason: `${answer.reason} This is looked up again in ${seconds} seconds.` }
  return { ...answer, retryAfter: Math.max(answer.retryAfter ?? 0, seconds) }
}
