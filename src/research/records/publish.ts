/** Publishes a record of any kind: writes its row and label, and its card for the timeline. */
import { picked } from "../../contract/each.ts"
import type { Writable } from "../../contract/json.ts"
import type { BodyOf } from "../../contract/operations/index.ts"
import type { Assertion } from "../../contract/definitions/science.ts"
import { type Call, type Change, madeBy } from "../../ledger/journal/behaviour.ts"
import { type Evidence, type Reference, attributionOf } from "../evidence/evidence.ts"
import type { Records } from "./records.ts"
import type { SummaryRow } from "./shown.ts"

const shownMembers = ["versionId", "kind", "label", "roomId", "wording", "contentDigest"] as const

/** Makes the timeline card of a record. Its standing is added when the card is read. */
export function recordCard(
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
