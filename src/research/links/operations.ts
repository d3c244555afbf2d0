/**
 * The behaviours that assert corrections, supersessions, disputes and retractions, and withdraw links. They never
 * change the record.
 */
import type { LinkKind } from "../../contract/schema/enumerations.ts"
import { linkKinds } from "../../contract/nouns/links.ts"
import { type Json, parsed, trusted, valueAt } from "../../contract/json.ts"
import { hasFallen } from "../../contract/answers/evidence.ts"
import { known } from "../../ledger/write/references.ts"
import { type Issue, Refusal } from "../../contract/refusals.ts"
import {
  behaviour,
  type Call,
  type Change,
  type FollowingStep,
  following,
  madeBy,
} from "../../ledger/journal/behaviour.ts"
import type { Disputes, Standings, Worries } from "../../ledger/lists/standings.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import { type Evidence, attributionOf } from "../evidence/evidence.ts"
import type { FindingLinks } from "../findings/finding-links.ts"
import type { Reviews } from "../reviews/reviews.ts"
import type { Records } from "../records/records.ts"
import { disputesInBrief, exportedLinks, type Links, links, linkReads } from "./links.ts"
import { authorFrom } from "../../ledger/journal/actor.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"

export interface Tables {
  readonly rooms: Rooms
  readonly records: Records
  readonly links: Links
  readonly findingLinks: FindingLinks
  readonly reviews: Reviews
  readonly standings: Standings
  readonly evidence: Evidence
}

/** The body of any of the four assertions. */
interface Assertion {
  readonly targetVersionId: string
  readonly explanation: string
  readonly correction?: string
  readonly changes?: "meaning" | "wording"
  readonly part?: string
  readonly replacementVersionId?: string
  readonly evidence?: readonly string[]
}

type Target = NonNullable<ReturnType<Records["summary"]>>
interface Subject {
  readonly roomId: string
  readonly threadId: string
  readonly record: Target
}

const disputesOn =
  (links: Links) =>
  (versionId: string): Disputes & Worries => ({
    ...links.worries(versionId),
    open: links.openDispute(versionId),
    answers: links.answersOn(versionId),
  })

/** A message that replies to an entry may answer an objection or a dispute. */
function repliedStep({
  links,
  reviews,
  standings,
  evidence,
}: Pick<Tables, "links" | "reviews" | "standings" | "evidence">): FollowingStep {
  const disputesOf = disputesOn(links)
  const follow: FollowingStep["follow"] = ({ call, change: { entryId, at }, outcome }) => {
    if (outcome.replyToEntryId == null) return []
    const reply = { to: outcome.replyToEntryId, entryId, authorId: call.actor.userId, at }
    reviews.replied(reply)
    const versionId = links.replied(reply)
    if (versionId === undefined) return []
    standings.settleDisputes(versionId, disputesOf(versionId))
    evidence.doubted(versionId)
    return []
  }
  return following(["post_message"], follow, { ifReply: true })
}

function linkOperations({ rooms, records, links, findingLinks, reviews, standings, evidence: model }: Tables) {
  /** Finds the record that a link is about. @throws Refusal `unknown_record` */
  function subject({ body }: Call<Assertion>): Subject {
    const record = known("record", records.summary(body.targetVersionId))
    return { roomId: record.roomId, threadId: record.threadId, record }
  }

  /** @throws Refusal `link_exists` if the same member already asserted the same about the record */
  function mustBeNew(kind: LinkKind, { actor, body }: Call<Assertion>): void {
    const before = links.standingBy(actor.userId, kind, body.targetVersionId)
    const isSame = ({ explanation, correction, part }: (typeof before)[number]) =>
      explanation === body.explanation && correction === (body.correction ?? null) && part === (body.part ?? null)
    const repeated = linkKinds[kind].repeatable ? before.find(isSame) : before[0]
    if (repeated === undefined) return
    const { linkId, label, explanation, at } = repeated
    throw new Refusal("link_exists", `You already asserted this, as ${label}.`, {
      current: { linkId, label, kind, targetVersionId: body.targetVersionId, explanation, at },
    })
  }

  const disputesOf = disputesOn(links)

  /**
   * Updates the evidence after the status of a record changed. @param replacementVersionId the record that replaces it,
   * or did
   */
  function moved(versionId: string, replacementVersionId?: string): void {
    model.moved(versionId)
    if (replacementVersionId !== undefined) model.moved(replacementVersionId)
  }

  function write(kind: LinkKind, call: Call<Assertion>, subject: Subject, change: Change) {
    const { actor, body } = call
    const { targetVersionId, explanation, replacementVersionId, changes, evidence = [] } = body
    const status = changes === "wording" ? "current" : linkKinds[kind].status
    const { at } = change
    const linkId = change.newId()
    const label = change.label("link")
    links.insert({
      ...body,
      ...madeBy(call, subject, change),
      linkId,
      kind,
      label,
      targetAuthorId: subject.record.author.userId,
    })
    const notice = {
      linkId,
      label,
      kind,
      explanation,
      author: authorFrom(actor),
      at,
      replacementVersionId: replacementVersionId ?? null,
      correction: body.correction ?? null,
      ...(body.part !== undefined && { part: body.part }),
      ...(changes !== undefined && { changes }),
    }
    standings.note(targetVersionId, status, notice, disputesOf(targetVersionId))
    model.asserted(targetVersionId, linkId, kind, attributionOf(actor, at))
    if (hasFallen(status) || replacementVersionId !== undefined) moved(targetVersionId, replacementVersionId)
    else model.doubted(targetVersionId)
    model.uses("link", linkId, "replacement", replacementVersionId === undefined ? [] : [replacementVersionId], at)
    model.uses("link", linkId, "dispute_evidence", evidence, at)
    return { target: { id: linkId, label }, result: { linkId, label } }
  }

  /** Checks that a record does not replace one that replaced it, directly or through others. */
  function circularReplacement({ body: { targetVersionId, replacementVersionId } }: Call<Assertion>): Issue[] {
    const isCircular = replacementVersionId !== undefined && links.supersedes(targetVersionId, replacementVersionId)
    return isCircular
      ? [{ path: "/replacementVersionId", message: "is itself superseded by the record, directly or through others" }]
      : []
  }

  /** Checks that the record contains the disputed part. */
  function missingPart({ body: { targetVersionId, part } }: Call<Assertion>): Issue[] {
    const record = part === undefined ? undefined : records.read(targetVersionId)
    if (part === undefined || record === undefined) return []
    const isMember = part.startsWith("/") && valueAt(trusted<Json>(record.content.text), part) !== undefined
    const isInRecord = isMember || records.summary(targetVersionId)?.wording.includes(part) === true
    return isInRecord
      ? []
      : [{ path: "/part", message: "is neither a JSON Pointer to something in the record nor words of its wording" }]
  }

  const assertion = (kind: LinkKind) => ({
    subject,
    admit: (call: Call<Assertion>) => mustBeNew(kind, call),
    write: (call: Call<Assertion>, found: Subject, change: Change) => write(kind, call, found, change),
  })

  /** Finds a link of any form. @throws Refusal `unknown_link` */
  function linkSubject({ body: { linkId } }: Call<{ readonly linkId: string }>) {
    const link = known("link", links.read(linkId) ?? findingLinks.read(linkId) ?? reviews.read(linkId))
    return { roomId: link.roomId, threadId: "card" in link ? link.card.threadId : link.threadId, link }
  }

  /** Returns the records that a link of any form uses. */
  function usesOf(link: ReturnType<typeof linkSubject>["link"]) {
    if (link.kind === "review") return []
    if (!("target" in link))
      return link.towardHypothesis.map(({ versionId }) => ({ targetId: versionId, how: "verdict" as const }))
    const { evidence = [] } = parsed<{ readonly evidence?: readonly string[] }>(link.content)
    return [
      ...(link.replacement === null ? [] : [{ targetId: link.replacement.versionId, how: "replacement" as const }]),
      ...evidence.map((targetId) => ({ targetId, how: "dispute_evidence" as const })),
    ]
  }

  const withdraw_link = behaviour("withdraw_link", {
    subject: linkSubject,
    admit({ actor, body }, { link }) {
      if (link.author.userId !== actor.userId)
        throw new Refusal("role_required", "Only its author can take a link back.", { current: { needed: ["author"] } })
      if (link.kind !== "finding_link" && link.kind !== "review" && linkKinds[link.kind].final) {
        const message = "is a retraction, which cannot be withdrawn; publish the record again"
        throw new Refusal("invalid_schema", `This link ${message}.`, { issues: [{ path: "/linkId", message }] })
      }
      if (link.withdrawn !== null)
        throw new Refusal("state_conflict", "This link was already withdrawn.", {
          current: { linkId: body.linkId, withdrawn: link.withdrawn },
        })
    },
    write({ body: { linkId, explanation } }, { link }, { at, entryId, position }) {
      links.withdraw({ linkId, at, explanation, entryId, historyPosition: position })
      if (link.kind === "review") {
        const { kind, id, label } = link.target
        return { target: { kind, id, label }, targetId: linkId, result: { linkId, label: null } }
      }
      model.withdrawn(linkId, usesOf(link))
      if ("target" in link) {
        const { versionId } = link.target
        standings.withdraw(versionId, linkId, { at, explanation }, links.standingOn(versionId), disputesOf(versionId))
        moved(versionId, link.replacement?.versionId)
      }
      const label = "label" in link ? link.label : null
      return {
        target: { kind: link.kind === "finding_link" ? "finding_link" : "link", id: linkId, label },
        result: { linkId, label },
      }
    },
  })

  return {
    withdraw_link,
    assert_correction: behaviour("assert_correction", assertion("corrects")),
    assert_supersession: behaviour("assert_supersession", {
      ...assertion("supersedes"),
      references: circularReplacement,
    }),
    assert_dispute: behaviour("assert_dispute", { ...assertion("disputes"), references: missingPart }),
    assert_retraction: behaviour("assert_retraction", {
      ...assertion("retracts"),
      admit(call, { roomId, record }: Subject) {
        const { userId } = call.actor
        if (record.author.userId !== userId && rooms.standing(roomId, userId)?.role !== "owner") {
          throw new Refusal("role_required", "Only the author of a record, or the owner of its Room, can retract it.", {
            current: { needed: ["author", "owner"] },
          })
        }
        mustBeNew("retracts", call)
      },
    }),
  }
}

export const domain = {
  tables: [({ db }: Ground) => ({ links: links(db) })],
  operations: [linkOperations],
  steps: [repliedStep],
  reads: [linkReads],
  brief: [disputesInBrief],
  exported: [exportedLinks],
} satisfies Domain
