/** Objects of a Room that a form's ids may name, each with its label: so that nobody has to copy an id. */
import type { Visit } from "../visit.ts"
import { shortened } from "../words.ts"

export interface Choice {
  readonly id: string
  readonly text: string
}
type Kind = "records" | "hypotheses" | "findings" | "attempts" | "plans" | "materials" | "experiments" | "threads" | "collections"
export type Choices = Readonly<Record<Kind, readonly Choice[]>>

const none: Choices = {
  records: [],
  hypotheses: [],
  findings: [],
  attempts: [],
  plans: [],
  materials: [],
  experiments: [],
  threads: [],
  collections: [],
}
const text = (label: string, said: string) => `${label}: ${shortened(said, 90)}`

/** What kind of object a property of this name holds the id of; undefined for ids that are not chosen. */
export function kindOf(name: string): Kind | undefined {
  if (/^hypotheses$/.test(name)) return "hypotheses"
  if (/^findingVersionId$/.test(name)) return "findings"
  if (/VersionId$|^versionId$|^citations$|^evidence$/.test(name)) return "records"
  if (/attemptId|^rerunOf$/i.test(name)) return "attempts"
  if (/^planId$/.test(name)) return "plans"
  if (/^materialId$/.test(name)) return "materials"
  if (/^experimentId$/.test(name)) return "experiments"
  if (/^collectionIds?$/.test(name)) return "collections"
  return /^threadIds?$/.test(name) ? "threads" : undefined
}

/** The objects of a Room, newest first where there are many. */
export function choicesOf(visit: Visit, roomId: string | undefined, library: boolean): Choices {
  if (library && visit.actor !== null) {
    const { items } = visit.ask("library_collections")
    return { ...none, collections: items.map(({ id, name }) => ({ id, text: name })) }
  }
  if (roomId === undefined) return none
  const { hypotheses, publications, experiments, threads } = visit.ask("room_context", { roomId })
  const { items: attempts } = visit.ask("attempts", {}, { roomId })
  const { items: materials } = visit.ask("room_materials", { roomId })
  const held = experiments.filter(({ plans }) => plans > 0).slice(-20)
  const plans = held
    .map(({ experimentId }) => visit.ask("experiment", { experimentId }))
    .flatMap(({ acceptedPlans, label }) => acceptedPlans.map((plan) => ({ id: plan.planId, text: `${plan.label} of ${label}` })))
  const records = publications.map(({ versionId, label, wording, kind }) => ({ id: versionId, text: text(label, wording), kind }))
  const all = [
    ...new Map(
      [...hypotheses.map(({ versionId, label, wording, kind }) => ({ id: versionId, text: text(label, wording), kind })), ...records].map(
        (record) => [record.id, record],
      ),
    ).values(),
  ]
  return {
    records: all,
    hypotheses: all.filter(({ kind }) => kind === "hypothesis"),
    findings: all.filter(({ kind }) => kind === "finding"),
    attempts: attempts.map(({ attemptId, label, intent, outcome, status }) => ({
      id: attemptId,
      text: `${label}: ${intent}, ${outcome ?? status}`,
    })),
    plans,
    materials: materials.map(({ materialId, label, name }) => ({ id: materialId, text: text(label, name) })),
    experiments: experiments.map(({ experimentId, label, question }) => ({ id: experimentId, text: text(label, question) })),
    collections: [],
    threads: threads.map(({ threadId, title }) => ({ id: threadId, text: title })),
  }
}
