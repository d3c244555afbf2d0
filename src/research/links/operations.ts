/** Asserting corrections, supersessions, disputes and retractions. The record they speak of is never touched. */
import type { LinkKind } from "../../contract/enumerations.ts"
import { writeJson } from "../../contract/json.ts"
import { linkKinds } from "../../contract/operations/link-kinds.ts"
import { noSuch, Refusal } from "../../contract/refusals.ts"
import { behaviour, type Call, type Change } from "../../ledger/behaviour.ts"
import type { Standings } from "../../ledger/standings.ts"
import type { Rooms } from "../../rooms/rooms.ts"
import type { Records } from "../records/records.ts"
import type { Links } from "./links.ts"

interface Parts {
  readonly rooms: Rooms
  readonly records: Records
  readonly links: Links
  readonly standings: Standings
}

/** What the four bodies have in common, and what some of them add. */
interface Assertion {
  readonly targetVersionId: string
  readonly explanation: string
  readonly correction?: string
  readonly replacementVersionId?: string
  readonly evidence?: readonly string[]
}

type Target = NonNullable<ReturnType<Records["summary"]>>
interface Subject {
  readonly roomId: string
  readonly threadId: string
  readonly record: Target
}

export function linkOperations({ rooms, records, links, standings }: Parts) {
  /** The record that is spoken of. @throws Refusal `unknown_record` */
  function subject({ body }: Call<Assertion>): Subject {
    const record = records.summary(body.targetVersionId)
    if (record === undefined) throw noSuch("record")
    return { roomId: record.roomId, threadId: record.threadId, record }
  }

  /** @throws Refusal `link_exists` for what the same member said of the same record already */
  function mustBeNew(kind: LinkKind, { actor, body }: Call<Assertion>): void {
    const before = links.by(actor.userId, kind, body.targetVersionId)
    const repeated = linkKinds[kind].repeatable ? before.find(({ explanation }) => explanation === body.explanation) : before[0]
    if (repeated === undefined) return
    const { linkId, label, explanation, at } = repeated
    throw new Refusal("link_exists", `You asserted this already, as ${label}.`, {
      current: { linkId, label, kind, targetVersionId: body.targetVersionId, explanation, at },
    })
  }

  function write(kind: LinkKind, call: Call<Assertion>, { roomId, threadId, record }: Subject, change: Change) {
    const { actor, body, content, contentDigest } = call
    const { targetVersionId, explanation, replacementVersionId, evidence = [] } = body
    const { at } = change
    const linkId = change.newId()
    const label = change.label("link")
    links.insert({
      linkId,
      kind,
      label,
      roomId,
      threadId,
      entryId: change.entryId,
      targetVersionId,
      targetAuthorId: record.author.userId,
      authorId: actor.userId,
      at,
      explanation,
      replacementVersionId,
      content,
      contentDigest,
    })
    const notice = {
      linkId,
      label,
      kind,
      explanation,
      author: { userId: actor.userId, username: actor.username },
      at,
      replacementVersionId: replacementVersionId ?? null,
      correction: body.correction ?? null,
    }
    standings.note(targetVersionId, linkKinds[kind].status, writeJson(notice))
    // A record that was replaced rests, from now on, on what replaced it.
    if (replacementVersionId !== undefined)
      records.refer(targetVersionId, [{ part: "replacement", versionId: replacementVersionId, explanation }])
    const warnings = [...new Set([...evidence, ...(replacementVersionId === undefined ? [] : [replacementVersionId])])].flatMap(
      (versionId) => {
        const status = standings.status(versionId)
        return status === "current"
          ? []
          : [{ code: "reference_not_current", message: `A record it names is ${status}.`, versionId, status }]
      },
    )
    return { target: { id: linkId, label }, result: { linkId, label }, warnings }
  }

  const assertion = (kind: LinkKind) => ({
    subject,
    admit: (call: Call<Assertion>) => mustBeNew(kind, call),
    write: (call: Call<Assertion>, found: Subject, change: Change) => write(kind, call, found, change),
  })

  return {
    assert_correction: behaviour("assert_correction", assertion("corrects")),
    assert_supersession: behaviour("assert_supersession", assertion("supersedes")),
    assert_dispute: behaviour("assert_dispute", assertion("disputes")),
    assert_retraction: behaviour("assert_retraction", {
      ...assertion("retracts"),
      admit(call, { roomId, record }: Subject) {
        const { userId } = call.actor
        if (record.author.userId !== userId && rooms.standing(roomId, userId)?.role !== "owner") {
          throw new Refusal("role_required", "Only the author of a record, or the owner of its Room, retracts it.", {
            current: { needed: "author or owner" },
          })
        }
        mustBeNew("retracts", call)
      },
    }),
  }
}
