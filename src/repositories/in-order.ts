/** Asks one source after the other; the first that knows the repository decides. */
import { cannotTell, no, type RepositoryCheck, type RepositorySource } from "./check.ts"
import { takeApart } from "./pinned.ts"

/**
 * One check made of several sources. A source that holds the repository has the last word on it, also when it says no;
 * of a repository that none of them can be asked about, nothing can be told.
 */
export function checkInOrder(sources: readonly RepositorySource[]): RepositoryCheck {
  return {
    async check(pin) {
      const pinned = takeApart(pin)
      if (pinned === null)
        return no("A repository is named as https://<host>/<owner>/<name>, and a commit by its full 40 or 64 lower-case hex digits.")
      for (const source of sources) {
        const answer = await source.check(pin)
        if (answer !== null) return answer
      }
      const { host, owner, name } = pinned
      return cannotTell(
        `Repositories on ${host} cannot be looked up from here: this server holds no copy of ${host}/${owner}/${name} and asks no service about ${host}. Its operator may configure one.`,
      )
    },
    close() {
      for (const source of sources) source.close?.()
    },
  }
}
