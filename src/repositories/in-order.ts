/** Combines several sources into one check. */
import { cannotTell, no, type RepositoryCheck, type RepositorySource } from "./check.ts"
import { parsePin } from "./pinned.ts"

/**
 * Asks the sources in order. The first that knows the repository decides, even if its answer is negative. If none knows it, the
 * check cannot be made.
 */
export function checkInOrder(sources: readonly RepositorySource[]): RepositoryCheck {
  return {
    async check(pin) {
      const pinned = parsePin(pin)
      if (pinned === null)
        return no("A repository is named as https://<host>/<owner>/<name>, and a commit by its full 40 or 64 lower-case hex digits.")
      for (const source of sources) {
        const answer = await source.check(pin)
        if (answer !== null) return answer
      }
      const { host, owner, name } = pinned
      return cannotTell(
        `Repositories on ${host} cannot be checked from here: this server holds no copy of ${host}/${owner}/${name} and calls no service for ${host}. Its operator may configure one.`,
      )
    },
    close() {
      for (const source of sources) source.close?.()
    },
  }
}
