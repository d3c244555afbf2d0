/**
 * Checks a folder of bare repositories at `<dir>/<host>/<owner>/<name>.git`, without a network or git.
 * A repository is public if it holds git's marker for that, the file `git-daemon-export-ok`.
 */
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { codeOf } from "../contract/faults.ts"
import { cannotTell, no, type RepositoryAnswer, type RepositorySource, yes, parsePin } from "./check.ts"
import { isUnreadable, hexDigits, objectType } from "./git/store.ts"

const PUBLIC_MARKER = "git-daemon-export-ok"

/** @param dir the folder; its symbolic links are followed */
export function folderCheck(dir: string): RepositorySource {
  return {
    async check(pin) {
      const pinned = parsePin(pin)
      if (pinned === null) return null
      const repository = join(dir, pinned.host, pinned.owner, `${pinned.name}.git`)
      try {
        return (await exists(repository)) ? await look(repository, pinned.commit) : null
      } catch (error) {
        if (!isUnreadable(error)) throw error
        return cannotTell("This server holds a copy of the repository, but cannot read it.")
      }
    },
  }
}

/** Checks a repository that exists. @throws the errors that `isUnreadable` recognises */
async function look(repository: string, commit: string): Promise<RepositoryAnswer> {
  if (!(await exists(join(repository, PUBLIC_MARKER)))) return no("The repository is not public.")
  const digits = await hexDigits(repository)
  if (commit.length !== digits)
    return no(`The repository names its commits with ${digits} hex digits, not with ${commit.length}.`)
  const type = await objectType(join(repository, "objects"), commit)
  if (type === null) return no("The repository has no such commit.")
  return type === "commit" ? yes : no(`This id names a ${type} of the repository, not a commit.`)
}

/** Whether a path exists. @throws the file system's error if it cannot be determined */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    // ENOTDIR: a part of the path is a file, not a folder.
    if (["ENOENT", "ENOTDIR"].includes(codeOf(error))) return false
    throw error
  }
}
