/** The programs in a crate that verify it offline, for Node and for Python. */
import { firstPreviousDigest } from "../../contract/answers/chain.ts"
import { anyShapes } from "../../contract/definitions/withheld-text.ts"
import { objectList } from "../../contract/objects/objects.ts"
import { operations } from "../../contract/operations/index.ts"
import { kindsIn, refersIn } from "../../contract/schema/ref.ts"
import { schemaVersions } from "../../contract/versions.ts"
import { onlySaid } from "../../contract/unproved.ts"
import { packaged } from "../../packaged.ts"
import { acceptedFolders, HISTORY } from "./paths.ts"

/**
 * The operations whose content a crate also holds outside the history: those that make an exported object, or change
 * one whose every content is exported.
 */
const operationsWithFile: readonly string[] = operations
  .filter(({ target, body }) => {
    const exported = objectList.find(({ kind }) => kind === target)?.exported ?? null
    const isChange = refersIn(body).some(
      ({ refers }) => refers.isSubject && kindsIn(refers).some((kind) => kind === target),
    )
    return exported === "every" || (exported === "made" && !isChange)
  })
  .map(({ name }) => name)

/** The last lines that the programs print. */
const caveats = [
  onlySaid,
  "Proved only by an instance that imports the crate: the ids in paths, and the files made from the history.",
]

/** Both files are in this folder and differ only in their language. */
export type Verifier = "verify.mjs" | "verify.py"

/**
 * Returns the text of a program that proves a crate, with its parameters filled in as JSON, which both languages can
 * read.
 */
export function verifier(name: Verifier): string {
  const known = {
    folders: acceptedFolders,
    history: HISTORY,
    schemaVersion: schemaVersions.research,
    first: firstPreviousDigest,
    shown: operationsWithFile,
    anything: anyShapes(operations),
    onlySaid: caveats,
  }
  return packaged(`src/research/export/${name}`).replace("__KNOWN__", () => JSON.stringify(known))
}
