/** Makes sure that the file a copy is served from is this program's data, and stays that of the same instance. */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { whoseData } from "./data.ts"
import type { Db } from "./database.ts"
import { FollowerDb } from "./follower-file.ts"
import { mustBearMark } from "./migrate.ts"
import { DataError } from "./opening.ts"
import { latestSchema } from "./schema.ts"
import { structure, structureIn } from "./structure.ts"

/**
 * Opens a file that is proved to be this program's data whenever it has moved on, before anything is read from it.
 * @throws DataError where it is not
 */
export const openFollowed = (file: string): FollowerDb => new FollowerDb(file, proof(file))

/** Opens it once its follower has finished what it writes. @throws DataError where it does not finish */
export function openWhole(file: string): FollowerDb {
  let followed: FollowerDb | undefined
  try {
    followed = openFollowed(file)
    followed.snapshot(() => undefined)
    return followed
  } catch (error) {
    followed?.close()
    if (!(error instanceof Refusal)) throw error
    throw new DataError(
      `Litestream's follower has not finished what it writes to ${file}; it may have been ended in the midst of it. Nothing was changed. Start the follower again, and then this copy.`,
    )
  }
}

/** @throws DataError where the file is of another program or version */
function mustBeOfToday(followed: Db, file: string): void {
  mustBearMark(followed.prepare<{ application_id: number }>("PRAGMA application_id").one().application_id, file)
  const stored = followed.prepare<{ user_version: number }>("PRAGMA user_version").one().user_version
  if (stored === latestSchema) return
  throw new DataError(
    `The data in ${file} has schema ${stored}, and this program reads ${latestSchema}: serve the copy with the program that serves the original.`,
  )
}

/** Views, triggers or tables that this program does not make would be read as its own. @throws DataError */
function mustBeMadeHere(followed: Db, file: string): void {
  const problems: string[] = []
  structure(followed, (problem) => problems.push(problem))
  const [first] = problems
  if (first !== undefined)
    throw new DataError(`${file} is not as this program makes it, and is not served. ${first} Restore it from its replica.`)
}

/** What a file is held to: the structure that this program makes, and then, which a hostile view could not answer any more, the same instance. */
function proof(file: string): (followed: Db) => void {
  let proved: { readonly structure: string; readonly instanceId: string } | undefined
  return (followed) => {
    mustBeOfToday(followed, file)
    const here = structureIn(followed)
    if (here !== proved?.structure) mustBeMadeHere(followed, file)
    const { instanceId } = whoseData(followed)
    if (proved !== undefined && instanceId !== proved.instanceId)
      throw new DataError(`${file} holds the data of another instance now. The copy ends; start it again if that was meant.`)
    proved = { structure: here, instanceId }
  }
}
