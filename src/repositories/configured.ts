/** Builds the check of an instance from its settings. */
import { cached } from "./cached.ts"
import { cannotTell, no, type RepositoryCheck, type RepositorySource, parsePin } from "./check.ts"
import { folderCheck } from "./folder.ts"
import { githubCheck } from "./github.ts"

export interface RepositorySettings {
  /** Folders of bare repositories, searched in this order before any service is called. */
  readonly folders: readonly string[]
  /** GitHub's REST API, such as `https://api.github.com`; null to call no service. */
  readonly github: { readonly api: string; readonly token: string | null } | null
  /** Milliseconds since 1970; must never decrease. */
  readonly now: () => number
}

/** Builds the check. Successful answers of every source are cached. */
export function configuredCheck({ folders, github, now }: RepositorySettings): RepositoryCheck {
  const services = github === null ? [] : [cached(githubCheck({ ...github, now }), now)]
  const local = folders.map((folder) => cached(folderCheck(folder), now))
  return checkInOrder([...local, ...services])
}

/**
 * Asks the sources in order. The first that knows the repository decides, even if its answer is negative. If none knows
 * it, the check cannot be made.
 */
function checkInOrder(sources: readonly RepositorySource[]): RepositoryCheck {
  return {
    async check(pin) {
      const pinned = parsePin(pin)
      if (pinned === null)
        return no(
          "A repository is named as https://<host>/<owner>/<name>, and a commit by its full 40 or 64 lower-case " +
            "hex digits.",
        )
      for (const source of sources) {
        const answer = await source.check(pin)
        if (answer !== null) return answer
      }
      const { host, owner, name } = pinned
      return cannotTell(
        `Repositories on ${host} cannot be checked from here: this server holds no copy of ${host}/${owner}/${name} ` +
          `and calls no service for ${host}. Its operator may configure one.`,
      )
    },
    close() {
      for (const source of sources) source.close?.()
    },
  }
}
