/**
 * Answers from a folder of bare repositories at `<dir>/<host>/<owner>/<name>.git`: offline, and with no git program.
 * A repository is public when it holds git's own marker for that, the file `git-daemon-export-ok`.
 */
import { stat } from "node:fs/promises"
import { join } from "node:path"
import { cannotTell, no, type RepositoryAnswer, type RepositorySource, yes } from "./check.ts"
import { isUnreadable } from "./git/file.ts"
import { hexDigits } from "./git/format.ts"
import { objectType } from "./git/store.ts"
import { takeApart } from "./pinned.ts"

const PUBLIC_MARKER = "git-daemon-export-ok"

/** @param dir the folder; what its symbolic links point at is its owner's decision */
export function folderCheck(dir: string): RepositorySource {
  return {
    async check(pin) {
      const pinned = takeApart(pin)
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

/** The answer of a repository that is there. @throws what `isUnreadable` knows */
async function look(repository: string, commit: string): Promise<RepositoryAnswer> {
  if (!(await exists(join(repository, PUBLIC_MARKER)))) return no("The repository is not public.")
  const digits = await hexDigits(repository)
  if (commit.length !== digits) return no(`The repository names its commits with ${digits} hex digits, not with ${commit.length}.`)
  const type = await objectType(join(repository, "objects"), commit)
  if (type === null) return no("The repository has no such commit.")
  return type === "commit" ? yes : no(`This id names a ${type} of the repository, not a commit.`)
}

/** Whether there is anything at `path`. @throws the file system's error when that cannot be told */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null
    // ENOTDIR: a file stands where a folder of the path would be.
    if (code === "ENOENT" || code === "ENOTDIR") return false
    throw error
  }
}
