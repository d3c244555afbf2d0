/** The pages that agents may have as Markdown, by the address of the page: made from the same reads, and from nothing else. */
import { paperDocument, roomDocument, threadDocument } from "./places.ts"
import { recordDocument } from "./record.ts"
import { attemptDocument, experimentDocument } from "./work.ts"
import type { Document } from "./writing.ts"

export const documents: Readonly<Record<string, Document>> = {
  "/rooms/{roomId}": roomDocument,
  "/threads/{threadId}": threadDocument,
  "/records/{versionId}": recordDocument,
  "/experiments/{experimentId}": experimentDocument,
  "/attempts/{attemptId}": attemptDocument,
  "/papers/{arxivId}": paperDocument,
}
