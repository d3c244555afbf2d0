/** The pages that are also available as Markdown, by the page's address. They are made from public reads. */
import { checkpointDocument } from "./checkpoint.ts"
import { planDocument } from "./plan.ts"
import { paperDocument, roomDocument, threadDocument } from "./places.ts"
import type { PageAddress } from "../contract/objects/objects.ts"
import { recordDocument } from "./record.ts"
import { attemptDocument, experimentDocument } from "./work.ts"
import type { Document, DocumentedKind } from "./writing.ts"

const all = {
  "/rooms/{roomId}": roomDocument,
  "/threads/{threadId}": threadDocument,
  "/records/{versionId}": recordDocument,
  "/experiments/{experimentId}": experimentDocument,
  "/plans/{planId}": planDocument,
  "/attempts/{attemptId}": attemptDocument,
  "/checkpoints/{checkpointId}": checkpointDocument,
  "/papers/{arxivId}": paperDocument,
} as const satisfies Readonly<Record<PageAddress<DocumentedKind> | "/papers/{arxivId}", Document>>
export const documents: Readonly<Record<string, Document>> = all
