/** What a form is about: the object an operation acts on, found by the ids it was given, and shown above the form. */
import { parsed } from "../../contract/json.ts"
import { accepted } from "../../contract/reads/accepted.ts"
import type { Visit } from "../visit.ts"
import { orNull } from "../visit.ts"
import { entryPath } from "../addresses.ts"
import { type Content, html, to } from "../html.ts"
import { beginning } from "../markdown.ts"
import { gist } from "../parts/entry.ts"
import { label, recordChip } from "../parts/parts.ts"
import { stateBadge } from "../parts/marks.ts"

export interface Subject {
  readonly roomId: string | undefined
  readonly threadId?: string | undefined
  readonly about: readonly Content[]
}

/** Ids by the name of the property or path part that holds them. */
export type Ids = Readonly<Record<string, string | undefined>>

/** Looks up what the ids name, as far as they name anything. */
export function subjectOf(visit: Visit, ids: Ids): Subject {
  const about: Content[] = []
  let { roomId } = ids
  let threadId = ids.threadId
  if (ids.experimentId !== undefined) {
    const experiment = orNull(() => visit.ask("experiment", { experimentId: ids.experimentId }))
    roomId ??= experiment?.roomId
    if (experiment !== null)
      about.push(
        html`${label("experiment", experiment.experimentId, experiment.label)} ${stateBadge(experiment.status)} ${beginning(experiment.question, 160)}`,
      )
  }
  if (ids.attemptId !== undefined) {
    const attempt = orNull(() => visit.ask("attempt", { attemptId: ids.attemptId }))
    roomId ??= attempt?.roomId
    if (attempt !== null)
      about.push(
        html`${label("attempt", attempt.attemptId, attempt.label)} ${stateBadge(attempt.outcome ?? attempt.status)} of ${attempt.experimentLabel}`,
      )
  }
  for (const versionId of [ids.targetVersionId, ids.findingVersionId, ids.versionId]) {
    const record = versionId === undefined ? null : orNull(() => visit.ask("record", { versionId }))
    if (record === null) continue
    roomId ??= record.roomId
    about.push(recordChip({ ...record, wording: accepted("record", record.content).assertion.wording }, 160))
  }
  if (ids.linkId !== undefined) {
    const link = orNull(() => visit.ask("link", { linkId: ids.linkId }))
    roomId ??= link?.roomId
    if (link !== null)
      about.push(
        link.kind === "finding_link"
          ? html`${recordChip(link.finding, 120)} related to ${label("experiment", link.experimentId, link.experimentLabel)}`
          : html`${label("link", link.linkId, link.label)} ${stateBadge(link.kind)} ${recordChip({ ...link.target }, 120)}`,
      )
  }
  if (ids.materialId !== undefined) {
    const material = orNull(() => visit.ask("material", { materialId: ids.materialId }))
    roomId ??= material?.materialOriginRoom
    if (material !== null) about.push(html`${label("material", material.materialId, material.label)} ${material.name}`)
  }
  const answered = visit.edge.instance.ledger.timeline.find(ids.replyToEntryId?.toLowerCase() ?? "")
  if (answered !== undefined) {
    const entry = parsed(answered.entry)
    about.push(
      html`In answer to <a href="${to(entryPath(answered.threadId, entry.entryId))}" dir="auto">${entry.author.username}: ${gist(entry)}</a>`,
    )
  }
  if (threadId !== undefined) {
    const context = orNull(() => visit.ask("thread_context", { threadId }))
    roomId ??= context?.room.roomId
    if (context === null) threadId = undefined
    else about.push(html`Thread <a href="${to(`/threads/${context.thread.threadId}`)}" dir="auto">${context.thread.title}</a>`)
  }
  const room = roomId === undefined ? null : orNull(() => visit.ask("room", { roomId }))
  if (room !== null) about.push(html`Room <a href="${to(`/rooms/${room.roomId}`)}" dir="auto">${room.title}</a>`)
  return { roomId: room?.roomId, threadId, about }
}
