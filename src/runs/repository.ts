/** The commit that a run is pinned to: that of the working folder, as git tells it. */
import { spawnSync } from "node:child_process"
import { withoutTrailing } from "../contract/text.ts"
import { FailedError, UsageError } from "../settings.ts"

export interface Working {
  readonly repository: { readonly url: string; readonly commit: string }
  /** Whether the commit holds everything that is in the folder. */
  readonly isClean: boolean
}

const NAME_IT = "name what it runs with --repository and --commit"

/** @throws FailedError where there is no git */
function git(...words: string[]): string | null {
  const { status, stdout, error } = spawnSync("git", words, { encoding: "utf8", timeout: 30_000, maxBuffer: 64 << 20 })
  if (error !== undefined && "code" in error && error.code === "ENOENT")
    throw new FailedError(`There is no git on this machine to ask what commit this is: ${NAME_IT}.`)
  return status === 0 ? stdout.trim() : null
}

/** An address as the service takes it: git's forms for the same place, without a name or password in it. */
const publicAddress = (origin: string): string =>
  withoutTrailing(origin, "/")
    .replace(/\.git$/, "")
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/")
    .replace(/^https:\/\/[^@/]+@/, "https://")

/** @throws FailedError where there is no git, UsageError where the folder is no repository with an origin */
export function workingRepository(): Working {
  const commit = git("rev-parse", "HEAD")
  const origin = git("config", "--get", "remote.origin.url")
  if (!commit || !origin) throw new UsageError(`This folder is not a git repository with a commit and an origin: ${NAME_IT}.`)
  return { repository: { url: publicAddress(origin), commit }, isClean: git("status", "--porcelain") === "" }
}
