/** Finds the objects that a form is about by the ids in its address, and shows them above the form. */
import { isKeyOf, keysOf } from "../../contract/typed.ts"
import { parsed } from "../../contract/json.ts"
import type { PublicId } from "../../contract/objects/objects.ts"
import { accepted } from "../../contract/operations/index.ts"
import { type Visit, orNull } from "../visit.ts"
import { entryPath, type Content, html, to } from "../html.ts"
import { beginning } from "../markdown.ts"
import { gist } from "../parts/timeline.ts"
import { words } from "../words.ts"
import { label, named, recordChip } from "../parts/parts.ts"
import { stateBadge } from "../parts/marks.ts"

export type Subject = ReturnType<typeof subjectOf>

/** Ids by the name of the property or path part that holds them. */
export type Ids = Readonly<Record<string, string | undefined>>

interface Found {
  readonly roomId?: string
  readonly shown: Content
}
type Find = (visit: Visit, id: string) => Found | null

/**
 * How the object of each id is found and shown, in the order shown. Of an id without one, the object that it belongs to
 * is shown.
 */
const finds: Readonly<Partial<Record<Exclude<PublicId, "roomId"> | "replyToEntryId" | "target", Find>>> = {
  experimentId: (visit, id) => {
    const { experimentId, roomId, label: text, status, question } = visit.ask("experiment", { experimentId: id })
    return {
      roomId,
      shown: html`${label("experiment", experimentId, text)} ${stateBadge(status)} ${beginning(question, 160)}`,
    }
  },
  attemptId: (visit, id) => {
    const { attemptId, roomId, label: text, status, experimentLabel } = visit.ask("attempt", { attemptId: id })
    return { roomId, shown: html`${label("attempt", attemptId, text)} ${stateBadge(status)} of ${experimentLabel}` }
  },
  versionId: (visit, versionId) => {
    const record = visit.ask("record", { versionId })
    const { wording } = accepted("record", record.content).assertion
    return { roomId: record.roomId, shown: recordChip({ ...record, wording }) }
  },
  linkId: (visit, linkId) => {
    const link = visit.ask("link", { linkId })
    const shown =
      link.kind === "finding_link"
        ? html`${recordChip(link.finding)} related to \
${label("experiment", link.experimentId, link.experimentLabel)}`
        : link.kind === "review"
          ? html`${stateBadge(link.verdict)} of \
${named(link.target.kind, link.target.id, link.target.label ?? words(link.target.kind))}: \
${beginning(link.explanation, 120)}`
          : html`${label("link", link.linkId, link.label)} ${stateBadge(link.kind)} \
${recordChip(link.target)}`
    return { roomId: link.roomId, shown }
  },
  materialId: (visit, id) => {
    const { materialId, materialOriginRoom, label: text, name } = visit.ask("material", { materialId: id })
    return { roomId: materialOriginRoom, shown: html`${label("material", materialId, text)} ${name}` }
  },
  target: (visit, id) =>
    orNull(() => finds.versionId?.(visit, id) ?? null) ??
    orNull(() => {
      const { roomId, planId, label: text, experimentLabel } = visit.ask("plan", { planId: id })
      return { roomId, shown: html`${label("plan", planId, text)}, a plan for ${experimentLabel}` }
    }) ??
    orNull(() => {
      const { roomId, checkpointId, conclusion, synthesis } = visit.ask("checkpoint", { checkpointId: id })
      return {
        roomId,
        shown: html`${named("checkpoint", checkpointId, "checkpoint")}: ${beginning(conclusion ?? synthesis, 200)}`,
      }
    }),
  replyToEntryId: (visit, id) => {
    const answered = visit.edge.instance.ledger.timeline.find(id.toLowerCase())
    if (answered === undefined) return null
    const entry = parsed(answered.entry)
    const at = to(entryPath(answered.threadId, entry.entryId))
    return { shown: html`In answer to <a href="${at}" dir="auto">${entry.author.username}: ${gist(entry)}</a>` }
  },
  threadId: (visit, id) => {
    const { room, thread } = visit.ask("thread_context", { threadId: id })
    const shown = html`Thread <a href="${to(`/threads/${thread.threadId}`)}" dir="auto">${thread.title}</a>`
    return { roomId: room.roomId, shown }
  },
}
/** Other names of an id in the bodies of operations. */
const aliases = { versionId: ["targetVersionId", "findingVersionId"] } as const

/** Looks up the objects that the ids name. Ids of unknown objects are skipped. */
export function subjectOf(visit: Visit, ids: Ids) {
  const found = keysOf(finds).flatMap((name) =>
    [...(isKeyOf(aliases, name) ? aliases[name] : []), name].flatMap((alias) => {
      const id = ids[alias]
      const one = id === undefined ? null : orNull(() => finds[name]?.(visit, id) ?? null)
      return one === null ? [] : [{ name, ...one }]
    }),
  )
  const roomId = ids.roomId ?? found.find((one) => one.roomId !== undefined)?.roomId
  const room = roomId === undefined ? null : orNull(() => visit.ask("room", { roomId }))
  return {
    roomId: room?.roomId,
    threadId: found.some(({ name }) => name === "threadId") ? ids.threadId : undefined,
    about: [
      ...found.map(({ shown }) => shown),
      ...(room === null ? [] : [html`Room <a href="${to(`/rooms/${room.roomId}`)}" dir="auto">${room.title}</a>`]),
    ],
  }
}
