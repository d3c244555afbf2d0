/**
 * The shared window: who asks about a pin while the same question is under way gets that answer, and an answer stands
 * for two minutes. Then the source is asked again, and revalidates what it knows.
 *
 * Only a success is reused: a commit that was pushed a second after it was asked for is found. What failed is asked again, as
 * far as the budget of its host reaches.
 */
import { limits } from "../contract/limits.ts"
import { type RepositoryAnswer, type RepositoryPin, type RepositorySource, yes } from "./check.ts"
import { takeApart } from "./pinned.ts"

interface Window {
  /** Milliseconds since 1970; must never go back. */
  readonly now: () => number
}

export function remembered(source: RepositorySource, { now }: Window): RepositorySource {
  const underWay = new Map<string, Promise<RepositoryAnswer | null>>()
  /** Until when a success stands, in milliseconds since 1970; in the order in which they run out, since all stand equally long. */
  const successes = new Map<string, number>()

  function remember(key: string): void {
    for (const [old, until] of successes) {
      if (until > now()) break
      successes.delete(old)
    }
    successes.set(key, now() + limits.repositoryCheckSeconds * 1000)
  }

  async function ask(key: string, pin: RepositoryPin): Promise<RepositoryAnswer | null> {
    const answer = await source.check(pin)
    if (answer?.ok === true) remember(key)
    return answer
  }

  return {
    check(pin) {
      const key = keyOf(pin)
      if ((successes.get(key) ?? 0) > now()) return Promise.resolve(yes)
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
