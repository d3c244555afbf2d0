/**
 * Caches successful checks for two minutes, and shares a running check among all who ask for the same pin.
 *
 * A failed check is not cached, so that a commit pushed a second later is found. It is repeated within the rate limit
 * of the host.
 */
import { limits } from "../contract/limits.ts"
import { type RepositoryAnswer, type RepositoryPin, type RepositorySource, yes, parsePin } from "./check.ts"

/** @param now returns milliseconds since 1970, which must never decrease */
export function cached(source: RepositorySource, now: () => number): RepositorySource {
  const running = new Map<string, Promise<RepositoryAnswer | null>>()
  /**
   * When each success expires, in milliseconds since 1970. The map is in this order, since all have the same lifetime.
   */
  const successes = new Map<string, number>()

  function remember(key: string): void {
    for (const [old, until] of successes) {
      if (until > now()) break
      successes.delete(old)
    }
    successes.set(key, now() + limits.repositoryCheckSeconds * 1000)
  }

  async function check(key: string, pin: RepositoryPin): Promise<RepositoryAnswer | null> {
    const answer = await source.check(pin)
    if (answer?.ok === true) remember(key)
    return answer
  }

  return {
    check(pin) {
      const key = keyOf(pin)
      if ((successes.get(key) ?? 0) > now()) return Promise.resolve(yes)
      return running.getOrInsertComputed(key, () => check(key, pin).finally(() => running.delete(key)))
    },
    close: () => source.close?.(),
  }
}

/** Returns the same key for every spelling of a pin. */
function keyOf(pin: RepositoryPin): string {
  const pinned = parsePin(pin)
  return pinned === null ? `${pin.url} ${pin.commit}` : `${pinned.host}/${pinned.owner}/${pinned.name} ${pinned.commit}`
}
