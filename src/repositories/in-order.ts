/** Asks one source after the other; the first that knows the repository decides. */
import { no, type RepositoryCheck, type RepositorySource } from "./check.ts"
import { takeApart } from "./pinned.ts"

/**
 * One check made of several sources. A source that holds the repository has the last word on it, also when it says no;
 * a repository that none of them knows is answered with no.
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
      return no(`This server holds no copy of ${host}/${owner}/${name} and asks no service about repositories on ${host}.`)
    },
    close() {
      for (const source of sources) source.close?.()
    },
  }
}
