/** The check that an instance uses, put together from its settings. */
import type { RepositoryCheck } from "./check.ts"
import { folderCheck } from "./folder.ts"
import { githubCheck } from "./github.ts"
import { checkInOrder } from "./in-order.ts"
import { remembered } from "./remembered.ts"

export interface RepositorySettings {
  /** Folders of bare repositories, asked in this order and before any service: nothing leaves the machine for what they hold. */
  readonly folders: readonly string[]
  /** GitHub's REST API, such as `https://api.github.com`; null to ask nobody outside. */
  readonly github: { readonly api: string; readonly token: string | null } | null
  /** Milliseconds since 1970; must never go back. */
  readonly now: () => number
}

/** With every host, a success is kept for the window. */
export function configuredCheck({ folders, github, now }: RepositorySettings): RepositoryCheck {
  const services = github === null ? [] : [remembered(githubCheck({ ...github, now }), { now })]
  const here = folders.map((folder) => remembered(folderCheck(folder), { now }))
  return checkInOrder([...here, ...services])
}
