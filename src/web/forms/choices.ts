/** Objects of a Room that a form's ids may name, each with its label: so that nobody has to copy an id. */
import type { ObjectKind, RecordKind } from "../../contract/objects.ts"
import type { Visit } from "../visit.ts"
import { shortened } from "../words.ts"

export interface Choice {
  readonly id: string
  readonly text: string
}
/** By kind; a kind without any is not chosen from a list. */
export type Choices = Readonly<Partial<Record<ObjectKind, readonly Choice[]>>>

const text = (label: string, said: string) => `${label}: ${shortened(said, 90)}`

/** What a field that may name these kinds is chosen from. */
export const choicesAmong = (choices: Choices, named: readonly ObjectKind[] = []): readonly Choice[] =>
  named.flatMap((kind) => choices[kind] ?? [])

/** The objects of a Room, newest first where there are many. */
export function choicesOf(visit: Visit, roomId: string | undefined, library: boolean): Choices {
  if (library && visit.actor !== null) {
    const { items } = visit.ask("library_collections")
    return { collection: items.map(({ id, name }) => ({ id, text: name })) }
  }
  if (roomId === undefined) return {}
  const { hypotheses, publications, experiments, threads } = visit.ask("room_context", { roomId })
  const { items: attempts } = visit.ask("attempts", {}, { roomId })
  const { items: materials } = visit.ask("room_materials", { roomId })
  const held = experiments.filter(({ plans }) => plans > 0).slice(-20)
  const plans = held
    .map(({ experimentId }) => visit.ask("experiment", { experimentId }))
    .flatMap(({ acceptedPlans, label }) => acceptedPlans.map((plan) => ({ id: plan.planId, text: `${plan.label} of ${label}` })))
  const records = [...new Map([...hypotheses, ...publications].map((record) => [record.versionId, record])).values()]
  const ofKind = (wanted: RecordKind) =>
    records.filter(({ kind }) => kind === wanted).map(({ versionId, label, wording }) => ({ id: versionId, text: text(label, wording) }))
  return {
    hypothesis: ofKind("hypothesis"),
    finding: ofKind("finding"),
    cited_claim: ofKind("cited_claim"),
    attempt: attempts.map(({ attemptId, label, intent, outcome, status }) => ({
      id: attemptId,
      text: `${label}: ${intent}, ${outcome ?? status}`,
    })),
    plan: plans,
    material: materials.map(({ materialId, label, name }) => ({ id: materialId, text: text(label, name) })),
    experiment: experiments.map(({ experimentId, label, question }) => ({ id: experimentId, text: text(label, question) })),
    thread: threads.map(({ threadId, title }) => ({ id: threadId, text: title })),
  }
}
