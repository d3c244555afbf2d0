/** The pages that are also available as Markdown, by the page's address. They are made from public reads. */
import { pathNames } from "../contract/definitions/operation.ts"
import type { PageAddress } from "../contract/objects/objects.ts"
import { present } from "../contract/typed.ts"
import { type ReadName, reads } from "../contract/reads/index.ts"
import { checkpointDocument, paperDocument, roomDocument, threadDocument } from "./places.ts"
import { planDocument, attemptDocument, experimentDocument } from "./work.ts"
import { recordDocument } from "./record.ts"
import type { Document, DocumentedKind } from "./writing.ts"

/** The page of one read: its answer, with the parameters of the page's address that the read takes. */
const answerOf =
  (name: ReadName, fixed: Readonly<Record<string, string>> = {}): Document =>
  ({ text, id, query }) => {
    const { path, query: taken } = present(reads.find((read) => read.name === name))
    const ids = Object.fromEntries(pathNames(path).map((param) => [param, id(param)]))
    const within = "roomId" in taken.entries && id("roomId") !== "" ? { roomId: id("roomId") } : {}
    const asked = [...query].filter(([parameter]) => parameter in taken.entries && parameter !== "format")
    return text(name, ids, { ...Object.fromEntries(asked), ...within, ...fixed })
  }

/** The pages of objects. */
const ofObjects = {
  "/rooms/{roomId}": roomDocument,
  "/threads/{threadId}": threadDocument,
  "/records/{versionId}": recordDocument,
  "/experiments/{experimentId}": experimentDocument,
  "/plans/{planId}": planDocument,
  "/attempts/{attemptId}": attemptDocument,
  "/checkpoints/{checkpointId}": checkpointDocument,
  "/papers/{arxivId}": paperDocument,
  "/links/{linkId}": answerOf("link"),
  "/materials/{materialId}": answerOf("material"),
  "/boards/{boardId}": answerOf("board", { format: "markdown" }),
} as const satisfies Readonly<Record<PageAddress<DocumentedKind> | "/papers/{arxivId}", Document>>
export const objectDocuments: readonly string[] = Object.keys(ofObjects)

/** The pages of lists. */
const ofLists: Readonly<Record<string, Document>> = {
  "/rooms/{roomId}/threads": answerOf("room_threads"),
  "/rooms/{roomId}/hypotheses": answerOf("hypotheses"),
  "/rooms/{roomId}/experiments": answerOf("experiments"),
  "/rooms/{roomId}/attempts": answerOf("attempts", { order: "label" }),
  "/rooms/{roomId}/findings": answerOf("room_publications", { kinds: "finding" }),
  "/rooms/{roomId}/materials": answerOf("room_materials"),
  "/rooms/{roomId}/boards": answerOf("room_boards"),
  "/rooms/{roomId}/links": answerOf("room_links"),
  "/rooms/{roomId}/activity": answerOf("room_activity", { format: "lines" }),
  "/concepts": answerOf("concepts"),
  "/search": answerOf("search"),
}
export const documents: Readonly<Record<string, Document>> = { ...ofObjects, ...ofLists }
