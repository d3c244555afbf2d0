/** What publishes or reuses records. */
import type { Writable } from "../../contract/json.ts"
import { behaviour } from "../../ledger/behaviour.ts"
import { threadSubject } from "../../threads/operations.ts"
import type { Threads } from "../../threads/threads.ts"
import { unknownReferences } from "./exact-references.ts"
import type { ConceptIndex } from "./concepts.ts"
import type { Records } from "./records.ts"

interface Parts {
  readonly threads: Threads
  readonly records: Records
  readonly concepts: ConceptIndex
}

interface Shown {
  readonly versionId: string
  readonly kind: string
  readonly label: string
  readonly roomId: string
  readonly wording: string
  readonly contentDigest: string
}

/** A record as a card of a timeline, less its standing, which is added as it is when the card is read. */
export function recordCard(
  { versionId, kind, label, roomId, wording, contentDigest }: Shown,
  { reused, note, client }: { reused: boolean; note?: string | undefined; client?: Writable | undefined },
) {
  return {
    standingOf: versionId,
    card: {
      versionId,
      kind,
      label,
      roomId,
      wording,
      contentDigest,
      reused,
      note: note ?? null,
      ...(client === undefined ? {} : { client }),
    },
  }
}

export function recordOperations({ threads, records, concepts: index }: Parts) {
  const publish_hypothesis = behaviour("publish_hypothesis", {
    subject: ({ body }) => threadSubject(threads, body.threadId, body.roomId),
    references: ({ body }) => unknownReferences({ records, concepts: index }, body),
    write({ actor, body, content, contentDigest }, { roomId, threadId }, change) {
      const { kind, assertion, concepts, premises, references, client } = body
      const versionId = change.newId()
      const label = change.label("hypothesis")
      const { wording } = assertion
      records.insert({
        versionId,
        kind,
        label,
        roomId,
        threadId,
        entryId: change.entryId,
        authorId: actor.userId,
        at: change.at,
        wording,
        content,
        contentDigest,
        client,
        concepts,
        references: [
          ...premises.map((premise) => ({ part: "premise" as const, ...premise })),
          ...references.map((reference) => ({ part: "reference" as const, ...reference })),
        ],
      })
      return {
        target: { id: versionId, label },
        result: { versionId, label },
        entry: recordCard({ versionId, kind, label, roomId, wording, contentDigest }, { reused: false, client }),
        warnings: records.restsOnFallen(versionId),
      }
    },
  })

  const reuse_record = behaviour("reuse_record", {
    subject: ({ params }) => threadSubject(threads, params.threadId as string),
    references: ({ body }) => (records.exists(body.versionId) ? [] : [{ path: "/versionId", message: "is no record of this service" }]),
    write({ body }) {
      const { versionId, note, client } = body
      const record = records.summary(versionId) as Shown
      const { label } = record
      return {
        target: { kind: record.kind, id: versionId, label },
        result: { versionId, label },
        entry: recordCard(record, { reused: true, note, client }),
      }
    },
  })

  return { publish_hypothesis, reuse_record }
}
