/** Publishes a record of any kind: writes its row and label, and its card for the timeline. */
import * as v from "valibot"
import { picked } from "../../contract/each.ts"
import type { Writable } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Assertion } from "../../contract/definitions/science.ts"
import { type Call, type Change, madeBy, behaviour, type ExtrasOf } from "../../ledger/journal/behaviour.ts"
import { type Evidence, type Reference, attributionOf } from "../evidence/evidence.ts"
import type { Records } from "./records.ts"
import type { SummaryRow } from "./shown.ts"
import { present } from "../../contract/present.ts"
import { fromOtherRoom } from "../../ledger/lists/other-room.ts"
import { threadSubject, type Threads } from "../../threads/threads.ts"
import { type ConceptIndex, undeclaredConcepts } from "./concepts.ts"
import { arxivId } from "../../contract/schema/fields.ts"

const shownMembers = ["versionId", "kind", "label", "roomId", "wording", "contentDigest"] as const

/** Makes the timeline card of a record. Its standing is added when the card is read. */
function recordCard(
  record: Pick<SummaryRow, (typeof shownMembers)[number]>,
  {
    reused,
    note,
    client,
    origin = {},
  }: {
    reused: boolean
    note?: string | undefined
    client?: Writable | undefined
    origin?: Readonly<Record<string, Writable>>
  },
) {
  return {
    standingOf: record.versionId,
    card: {
      ...picked(record, ...shownMembers),
      ...origin,
      reused,
      note: note ?? null,
      ...(client === undefined ? {} : { client }),
    },
  }
}

/** Returns references to the records that an assertion uses as values, or takes concepts from. */
const referencesIn = ({ predicate, roles }: Assertion): Reference[] =>
  [{ role: "predicate", value: predicate }, ...roles].flatMap(({ role, value }) =>
    value.type === "record" || value.type === "concept_ref"
      ? [{ part: "role" as const, versionId: value.versionId, explanation: role }]
      : [],
  )

type Publication = BodyOf<"publish_hypothesis" | "publish_finding" | "publish_cited_claim">

/**
 * Writes the parts that all records have in common.
 * @param papers arXiv ids of the papers that it quotes or builds on
 * @param evidence the attempts behind it, and `voiceId` if its evidence counts as that of another object
 */
export function publishRecord(
  { records, evidence }: { readonly records: Records; readonly evidence: Evidence },
  call: Call<Publication>,
  subject: { roomId: string; threadId: string },
  change: Change,
  references: readonly Reference[],
  papers: readonly string[] = [],
  { voiceId, attemptIds }: { readonly voiceId?: string | undefined; readonly attemptIds?: readonly string[] } = {},
) {
  const { actor, body, contentDigest } = call
  const { kind, assertion, concepts, client } = body
  const { wording } = assertion
  const versionId = change.newId()
  const label = change.label(kind)
  const allReferences = [...references, ...referencesIn(assertion)]
  records.insert({
    ...madeBy(call, subject, change),
    versionId,
    kind,
    label,
    wording,
    client,
    concepts,
    references: allReferences,
    papers,
  })
  const isMeasured = "effects" in body && body.effects !== undefined && body.effects.length > 0
  evidence.published(
    versionId,
    kind,
    allReferences,
    { ...attributionOf(actor, change.at), isMeasured },
    voiceId,
    attemptIds,
  )
  return {
    target: { id: versionId, label },
    result: { versionId, label },
    entry: recordCard(
      { versionId, kind, label, roomId: subject.roomId, wording, contentDigest },
      { reused: false, client },
    ),
  }
}

// The behaviours that publish hypotheses and reuse records.

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

// Reads arXiv ids as people write them.

/** Prefixes that people write before an arXiv id. */
const PREFIX = /^(?:arxiv:\s*|https?:\/\/(?:www\.)?arxiv\.org\/(?:abs|pdf)\/)/i

/** Returns the arXiv id in a text, without version and subject class; undefined if the text is not an arXiv id. */
export function arxivIdOf(text: string): string | undefined {
  const checked = v.safeParse(
    arxivId,
    text
      .trim()
      .replace(PREFIX, "")
      .replace(/\.pdf$/, ""),
  )
  return checked.success ? checked.output : undefined
}
