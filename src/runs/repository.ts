/** Asks git for the commit of the working folder, to which a run is pinned. */
import { spawnSync } from "node:child_process"
import { codeOf } from "../contract/faults.ts"
import { withoutTrailing } from "../contract/text.ts"
import { FailedError, UsageError } from "../settings.ts"

export interface WorkingRepository {
  readonly repository: { readonly url: string; readonly commit: string }
  readonly isClean: boolean
}

const NAME_IT = "name the repository and commit with --repository and --commit"

/** @throws FailedError if git is not installed */
function git(...words: string[]): string | null {
  const { status, stdout, error } = spawnSync("git", words, { encoding: "utf8", timeout: 30_000, maxBuffer: 64 << 20 })
  if (codeOf(error) === "ENOENT")
    throw new FailedError(`Git, which would tell the commit, is not installed: ${NAME_IT}.`)
  return status === 0 ? stdout.trim() : null
}

/** Converts git's forms of an address to https, without a user name or password. */
const publicAddress = (origin: string): string =>
  withoutTrailing(origin, "/")
    .replace(/\.git$/, "")
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/")
    .replace(/^https:\/\/[^@/]+@/, "https://")

/** @throws FailedError if git is not installed, UsageError if the folder is not a repository with an origin */
export function workingRepository(): WorkingRepository {
  const commit = git("rev-parse", "HEAD")
  const origin = git("config", "--get", "remote.origin.url")
  if (!commit || !origin)
    throw new UsageError(`This folder is not a git repository with a commit and an origin: ${NAME_IT}.`)
  return { repository: { url: publicAddress(origin), commit }, isClean: git("status", "--porcelain") === "" }
}
