/**
 * What data before schema 8 kept in parts, put together again: what a write sent, from the columns, events and points it
 * became. Where something that was sent is not kept, every way it may have been sent is a candidate; the first one makes the
 * same rows. Nothing newer needs it.
 */
import { canonicalJson, type Json, type JsonObject, trusted, isJsonObject } from "../../contract/json.ts"
import { schemaVersions } from "../../contract/versions.ts"
import type { Db } from "../database.ts"

export const parsed = <T>(text: string): T | undefined => {
  try {
    return trusted<T>(text)
  } catch {
    return undefined
  }
}

const messageIn = (told: JsonObject | null | undefined): JsonObject => (isJsonObject(told?.message) ? told.message : {})

/** A receipt as it is stored. */
export interface StoredReceipt {
  readonly operation: string
  readonly requestId?: string
  readonly clientMessageId?: string
  readonly acceptedAt: string
  readonly roomId: string | null
  readonly threadId: string | null
  readonly target: { readonly kind: string; readonly id: string; readonly label: string | null }
  readonly targetId: string
  readonly result: JsonObject
  readonly entry: { readonly entryId: string; readonly sequence: number } | null
  readonly activity: { readonly sequence: number; readonly digest: string } | null
  readonly warnings?: readonly Json[]
}

/** What a write may have sent; empty where nothing tells. */
type Candidates = JsonObject[]
type Way = (receipt: StoredReceipt, userId: string) => Candidates
type Part = { readonly [member: string]: Json | null | undefined }

/** An object without what was left out when it was sent. */
const sent = (members: Part): JsonObject =>
  Object.fromEntries(Object.entries(members).filter((member): member is [string, Json] => member[1] != null))

interface EventRow {
  body: string
}
interface PointRow {
  name: string
  split: string | null
  unit: string | null
  step: number | null
  value: string
}

/** Makes the function that says what the write of a receipt may have sent. It wants receipts in the order they were given. */
export function reassembly(db: Db): Way {
  const head = ({ requestId }: StoredReceipt): Part => ({ schemaVersion: schemaVersions.research, requestId })
  const revision = db.prepare<{ content: string }>("SELECT content FROM experiment_revisions WHERE experiment_id = ? AND revision = ?")
  const material = db.prepare<{ content: string }>("SELECT content FROM materials WHERE material_id = ?")
  const reports = db.prepare<{ uri: string; state: string; observed_digest: string | null; explanation: string | null }>(
    "SELECT uri, state, observed_digest, explanation FROM material_reports WHERE material_id = ? AND reporter_id = ? AND at = ?",
  )
  const thread = db.prepare<{ room_id: string; title: string; follows_entry_id: string | null }>(
    "SELECT room_id, title, follows_entry_id FROM threads WHERE thread_id = ?",
  )
  const entry = db.prepare<{ body: string }>("SELECT body FROM timeline_entries WHERE entry_id = ?")
  const link = db.prepare<{ experiment_id: string; version_id: string; attempt_id: string | null; toward_question: string }>(
    "SELECT experiment_id, version_id, attempt_id, toward_question FROM finding_links WHERE link_id = ?",
  )
  const verdicts = db.prepare<{ version_id: string; verdict: string; explanation: string }>(
    "SELECT version_id, verdict, explanation FROM finding_verdicts WHERE link_id = ? ORDER BY position",
  )
  const event = db.prepare<EventRow>("SELECT body FROM attempt_events WHERE attempt_id = ? AND revision = ?")
  const outputs = db.prepare<EventRow>("SELECT body FROM attempt_outputs WHERE attempt_id = ? AND revision = ? ORDER BY position")
  const points = db.prepare<PointRow>(
    "SELECT name, split, unit, step, value FROM attempt_metrics WHERE attempt_id = ? AND ordinal > ? ORDER BY ordinal LIMIT ?",
  )
  /** How many points the attempts that still run have reported so far. */
  const reported = new Map<string, number>()

  const whole = (row: { content: string } | undefined): Candidates => {
    const content = row && parsed<JsonObject>(row.content)
    return content === undefined ? [] : [content]
  }
  const ofExperiment = ({ targetId, result }: StoredReceipt) => whole(revision.get(targetId, Number(result.revision)))
  const bodyOf = (row: { body: string } | undefined) => (row === undefined ? undefined : parsed<JsonObject>(row.body))

  function ofEvent(receipt: StoredReceipt): Candidates {
    const attemptId = receipt.target.id
    const now = Number(receipt.result.revision)
    const told = bodyOf(event.get(attemptId, now))
    const before = bodyOf(event.get(attemptId, now - 1))
    if (told === undefined || before === undefined) return []
    const { event: name = null, reportedAt = null, message, exitCode, failure, reproduction, metricPoints } = told
    const from = reported.get(attemptId) ?? 0
    const metrics = points
      .all(attemptId, from, Number(metricPoints))
      .map(({ value, ...point }) => sent({ ...point, value: parsed<Json>(value) ?? null }))
    reported.set(attemptId, from + metrics.length)
    if (name !== "started" && name !== "progress") reported.delete(attemptId)
    const made = outputs.all(attemptId, now).map(({ body }) => {
      const { reportedAt: _sender, receivedAt: _server, ...output } = parsed<JsonObject>(body) ?? {}
      return output
    })
    const common = sent({
      ...head(receipt),
      attemptId,
      event: name,
      expectedRevision: now - 1,
      expectedStatus: before.event === "registered" ? "registered" : "started",
      reportedAt,
      message,
      exitCode,
      failure,
      reproduction,
    })
    const ways = (name: string, list: JsonObject[]): JsonObject[] => (list.length > 0 ? [{ [name]: list }] : [{}, { [name]: [] }])
    return ways("metrics", metrics).flatMap((one) => ways("outputs", made).map((other) => ({ ...common, ...one, ...other })))
  }

  const cardOf = ({ entry: told }: StoredReceipt): JsonObject | undefined => {
    const card = told === null ? undefined : bodyOf(entry.get(told.entryId))?.card
    return isJsonObject(card) ? card : undefined
  }

  function ofThread(receipt: StoredReceipt): Candidates {
    const row = thread.get(receipt.target.id)
    if (row === undefined) return []
    const { messageEntryId } = receipt.result
    const opening = typeof messageEntryId === "string" ? bodyOf(entry.get(messageEntryId)) : null
    if (opening === undefined) return []
    const { text = null, clientMessageId = receipt.requestId } = messageIn(opening)
    if (clientMessageId !== receipt.requestId) return []
    const content = sent({ ...head(receipt), roomId: row.room_id, title: row.title, message: text, replyToEntryId: row.follows_entry_id })
    return [content, { ...content, allowDuplicate: true }, { ...content, allowDuplicate: false }]
  }

  function ofLink(receipt: StoredReceipt): Candidates {
    const row = link.get(receipt.target.id)
    if (row === undefined) return []
    const towardHypothesis = verdicts
      .all(receipt.target.id)
      .map(({ version_id: versionId, verdict, explanation }) => ({ versionId, verdict, explanation }))
    const said = { experimentId: row.experiment_id, findingVersionId: row.version_id, attemptId: row.attempt_id }
    const toward = { towardHypothesis, towardQuestion: parsed<JsonObject>(row.toward_question) ?? null }
    // Its card repeats the verdicts; nothing else would notice a change there.
    const card = cardOf(receipt)
    const shown = { towardHypothesis: card?.towardHypothesis ?? null, towardQuestion: card?.towardQuestion ?? null }
    return canonicalJson(shown) === canonicalJson(toward) ? [sent({ ...head(receipt), ...said, ...toward })] : []
  }

  const wholeIn = (table: string, key: string): Way => {
    const find = db.prepare<{ content: string }>(`SELECT content FROM ${table} WHERE ${key} = ?`)
    return ({ target }) => whole(find.get(target.id))
  }
  const record = wholeIn("records", "version_id")
  const assertion = wholeIn("research_links", "link_id")
  const room = db.prepare<{ title: string; question: string | null; archive_reason: string | null }>(
    "SELECT t.title, r.question, r.archive_reason FROM rooms r JOIN threads t ON t.thread_id = r.opening_thread_id WHERE r.room_id = ?",
  )
  const amendments = db.prepare<{ question: string | null }>(
    "SELECT body ->> '$.result.question' AS question FROM receipts WHERE operation = 'amend_room' AND body ->> '$.roomId' = ?",
  )
  const request = db.prepare<{ message: string | null }>("SELECT message FROM join_requests WHERE room_id = ? AND user_id = ?")
  const withdrawal = db.prepare<{ explanation: string }>("SELECT explanation FROM link_withdrawals WHERE link_id = ?")
  const reproduction = db.prepare<{ verdict: string; explanation: string }>(
    "SELECT verdict, explanation FROM reproductions WHERE attempt_id = ?",
  )
  const bare: Way = (receipt) => [sent(head(receipt))]
  const asked = (receipt: StoredReceipt, ...members: string[]): JsonObject =>
    sent({ ...head(receipt), ...Object.fromEntries(members.map((member) => [member, receipt.result[member] ?? null])) })
  const issued = (receipt: StoredReceipt, members: Part): JsonObject[] => {
    const { expiresAt = null } = receipt.result
    return [sent({ ...head(receipt), ...members, expiresAt }), sent({ ...head(receipt), ...members })]
  }

  const ways: Readonly<Record<string, Way>> = {
    publish_hypothesis: record,
    publish_finding: record,
    publish_cited_claim: record,
    accept_plan: wholeIn("plans", "plan_id"),
    register_attempt: wholeIn("attempts", "attempt_id"),
    assert_correction: assertion,
    assert_supersession: assertion,
    assert_dispute: assertion,
    assert_retraction: assertion,
    post_research_checkpoint: wholeIn("checkpoints", "checkpoint_id"),
    propose_experiment: ofExperiment,
    amend_experiment: ofExperiment,
    cancel_experiment: ofExperiment,
    take_experiment: ofExperiment,
    release_experiment: ofExperiment,
    report_experiment_status: ofExperiment,
    create_thread: ofThread,
    report_attempt_event: (receipt) =>
      ofEvent(receipt).flatMap((content) => {
        const told = reproduction.get(receipt.target.id)
        return told === undefined ? [content] : [content, { ...content, reproduction: { ...told } }]
      }),
    link_experiment_finding: ofLink,
    // Of a material that was known already nothing is kept but that it was named, where, and where it was said to lie.
    register_material: (receipt, userId) =>
      whole(material.get(receipt.target.id)).map((content) => {
        if (receipt.result.existing !== true) return content
        const { location: _first, ...known } = content
        const [place] = reports.all(receipt.target.id, userId, receipt.acceptedAt)
        return sent({ ...known, ...head(receipt), roomId: receipt.roomId, threadId: receipt.threadId, location: place?.uri })
      }),
    report_material_location: (receipt, userId) =>
      reports
        .all(receipt.target.id, userId, receipt.acceptedAt)
        .map(({ observed_digest: observedDigest, ...report }) =>
          sent({ ...head(receipt), materialId: receipt.target.id, ...report, observedDigest }),
        ),
    reuse_record(receipt) {
      const card = cardOf(receipt)
      return card === undefined ? [] : [sent({ ...head(receipt), versionId: card.versionId, note: card.note })]
    },
    post_message(receipt) {
      const told = bodyOf(receipt.entry === null ? undefined : entry.get(receipt.entry.entryId))
      const { text = null, clientMessageId = null } = messageIn(told)
      return told === undefined
        ? []
        : [sent({ schemaVersion: schemaVersions.research, clientMessageId, text, replyToEntryId: told.replyToEntryId })]
    },
    withdraw_link: (receipt) =>
      [withdrawal.get(receipt.target.id)].flatMap((told) =>
        told === undefined ? [] : [sent({ ...head(receipt), linkId: receipt.target.id, explanation: told.explanation })],
      ),
    create_room(receipt) {
      const now = room.get(receipt.target.id)
      const questions = [now?.question ?? null, null, ...amendments.all(receipt.target.id).map(({ question }) => question)]
      return now === undefined ? [] : questions.map((question) => sent({ ...head(receipt), title: now.title, question }))
    },
    amend_room: (receipt) => [asked(receipt, "title", "question"), asked(receipt, "title"), asked(receipt, "question")],
    // A reason is kept for as long as it holds.
    archive_room: (receipt) => [sent({ ...head(receipt), reason: room.get(receipt.target.id)?.archive_reason ?? "(not kept)" })],
    restore_room: bare,
    request_to_join: (receipt, userId) => [
      sent({ ...head(receipt), message: request.get(receipt.roomId ?? "", userId)?.message }),
      ...bare(receipt, userId),
    ],
    decide_join_request: (receipt) => [asked(receipt, "decision")],
    add_member: (receipt) => [asked(receipt, "username")],
    remove_member: bare,
    issue_credential({ result, ...receipt }) {
      const { label = null, permissions = null, threadIds = null } = result
      return issued({ ...receipt, result }, { label, permissions, threadIds })
    },
    rotate_credential: (receipt) => issued(receipt, {}),
    revoke_credential: bare,
  }
  return (receipt, userId) => ways[receipt.operation]?.(receipt, userId) ?? []
}
