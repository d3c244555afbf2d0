/** Builds the check of an instance from its settings. */
import type { RepositoryCheck } from "./check.ts"
import { folderCheck } from "./folder.ts"
import { githubCheck } from "./github.ts"
import { checkInOrder } from "./in-order.ts"
import { cached } from "./cached.ts"

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
