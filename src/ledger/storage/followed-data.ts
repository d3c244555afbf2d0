/** Verifies that the file from which a copy is served is this program's data, and stays that of the same instance. */
import { Refusal } from "../../contract/refusals/refusal.ts"
import { whoseData } from "./data.ts"
import type { Db } from "./database.ts"
import { FollowerDb } from "./follower-file.ts"
import { mustBearMark, latestSchema } from "./schema.ts"
import { DataError } from "./opening.ts"
import { structure, structureIn } from "./tables.ts"

/**
 * Opens a file that is verified before the first read and after each change.
 * @throws DataError if it is not this program's data
 */
export const openFollowed = (file: string): FollowerDb => new FollowerDb(file, proof(file))

/** Opens a file after its follower has finished writing. @throws DataError if the follower does not finish */
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
      `Litestream's follower has not finished writing to ${file}; it may have been stopped while it wrote. ` +
        "Nothing was changed. Start the follower again, and then this copy.",
    )
  }
}

/** @throws DataError if the file is of another program or version */
function mustBeCurrent(followed: Db, file: string): void {
  mustBearMark(followed.prepare<{ application_id: number }>("PRAGMA application_id").one().application_id, file)
  const stored = followed.prepare<{ user_version: number }>("PRAGMA user_version").one().user_version
  if (stored === latestSchema) return
  throw new DataError(
    `The data in ${file} has schema ${stored}, and this program reads ${latestSchema}: ` +
      "serve the copy with the program that serves the original.",
  )
}

/**
 * Refuses views, triggers and tables that this program does not make, since its queries would use them. @throws
 * DataError
 */
function mustBeMadeHere(followed: Db, file: string): void {
  const problems: string[] = []
  structure(followed, (problem) => problems.push(problem))
  const [first] = problems
  if (first !== undefined)
    throw new DataError(
      `${file} does not have the structure that this program makes, and is not served. ` +
        `${first} Restore it from its replica.`,
    )
}

/**
 * Checks the structure of a file first: with a hostile view in place, the identity of the instance could not be
 * trusted. Then checks that identity.
 */
function proof(file: string): (followed: Db) => void {
  let proved: { readonly structure: string; readonly instanceId: string } | undefined
  return (followed) => {
    mustBeCurrent(followed, file)
    const here = structureIn(followed)
    if (here !== proved?.structure) mustBeMadeHere(followed, file)
    const { instanceId } = whoseData(followed)
    if (proved !== undefined && instanceId !== proved.instanceId)
      throw new DataError(
        `${file} holds the data of another instance now. The copy stops. Start it again if the change was intended.`,
      )
    proved = { structure: here, instanceId }
  }
}
