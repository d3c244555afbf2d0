/** The programs that travel with a crate and verify it offline: one for Node, one for Python. */
import { firstPreviousDigest } from "../../contract/answers/chain.ts"
import { anyShapes } from "../../contract/definitions/withheld-text.ts"
import { objectList } from "../../contract/objects/objects.ts"
import { operations } from "../../contract/operations/index.ts"
import { kindsIn, refersIn } from "../../contract/schema/ref.ts"
import { schemaVersions } from "../../contract/versions.ts"
import { onlySaid } from "../../contract/unproved.ts"
import { packaged } from "../../packaged.ts"
import { acceptedFolders, HISTORY } from "./paths.ts"

/** The operations whose content a crate holds beside the history too: those that make an object that is exported so, or change it where every content is kept. */
const operationsWithFile: readonly string[] = operations
  .filter(({ target, body }) => {
    const exported = objectList.find(({ kind }) => kind === target)?.exported ?? null
    const isOfOneThere = refersIn(body).some(({ refers }) => refers.isSubject && kindsIn(refers).some((kind) => kind === target))
    return exported === "every" || (exported === "made" && !isOfOneThere)
  })
  .map(({ name }) => name)

/** What the programs end with. */
const said = [
  onlySaid,
  "Proved only by an instance that imports the crate: the ids in paths, and the files that are made from the history.",
]

/** Both are files of this folder, which read the same but for their language. */
export type Verifier = "verify.mjs" | "verify.py"

/** The text of a program that proves a crate, with what it must know put in: JSON, which both languages read as their own. */
export function verifier(name: Verifier): string {
  const known = {
    folders: acceptedFolders,
    history: HISTORY,
    schemaVersion: schemaVersions.research,
    first: firstPreviousDigest,
    shown: operationsWithFile,
    anything: anyShapes(operations),
    onlySaid: said,
  }
  return packaged(`src/research/export/${name}`).replace("__KNOWN__", () => JSON.stringify(known))
}
