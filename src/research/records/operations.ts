/** The behaviours that publish hypotheses and reuse records. */
import { present } from "../../contract/present.ts"
import { behaviour, type ExtrasOf } from "../../ledger/journal/behaviour.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import { threadSubject } from "../../threads/operations.ts"
import type { Threads } from "../../threads/threads.ts"
import type { Evidence } from "../evidence/evidence.ts"
import { type ConceptIndex, undeclaredConcepts } from "./concepts.ts"
import { publishRecord, recordCard } from "./publish.ts"
import type { Records } from "./records.ts"

interface Tables {
  readonly threads: Threads
  readonly records: Records
  readonly concepts: ConceptIndex
  readonly evidence: Evidence
  readonly extras: { readonly publish_hypothesis: ExtrasOf<"publish_hypothesis"> }
}

export function recordOperations({ threads, records, concepts, evidence, extras }: Tables) {
  const publish_hypothesis = behaviour("publish_hypothesis", {
    ...extras.publish_hypothesis,
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    references: ({ body }) => undeclaredConcepts(concepts, body),
    write(call, subject, change) {
      const { premises, references } = call.body
      return publishRecord({ records, evidence }, call, subject, change, [
        ...premises.map((premise) => ({ part: "premise" as const, ...premise })),
        ...references.map((reference) => ({ part: "reference" as const, ...reference })),
      ])
    },
  })

  const reuse_record = behaviour("reuse_record", {
    subject: ({ params }) => threadSubject(threads, params.threadId),
    write({ body }, { roomId }, change) {
      const { versionId, note, client } = body
      const record = present(records.summary(versionId))
      evidence.uses("entry", change.entryId, "reuse", [versionId], change.at)
      const { label } = record
      const origin = fromOtherRoom(record.roomId, roomId)
      return {
        target: { kind: record.kind, id: versionId, label, ...origin },
        result: { versionId, label, ...origin },
        entry: recordCard(record, { reused: true, note, client, origin }),
      }
    },
  })

  return { publish_hypothesis, reuse_record }
}
