/** Objects of a Room that a form's ids may name, each with its label: so that nobody has to know an id. */
import type { ObjectKind, RecordKind } from "../../contract/objects.ts"
import type { Visit } from "../visit.ts"
import { plainText } from "../plain-text.ts"
import { shortened, words } from "../words.ts"

export interface Choice {
  readonly id: string
  readonly text: string
  /** The experiment that an attempt belongs to. */
  readonly of?: string
}
/** By kind; a kind without any is not chosen from a list. */
export type Choices = Readonly<Partial<Record<ObjectKind, readonly Choice[]>>>

/** Objects of a kind that a form lists, the newest; more are found by their label or their words. */
const MOST = 50
/** Experiments whose plans are looked up. */
const PLANNED = 20

const text = (label: string, said: string) => `${label}: ${shortened(plainText(said), 90)}`

/** What a field that may name these kinds is chosen from. */
export const choicesAmong = (choices: Choices, named: readonly ObjectKind[] = []): readonly Choice[] =>
  named.flatMap((kind) => choices[kind] ?? [])

/** The objects of a Room, the newest of them where there are many. */
export function choicesOf(visit: Visit, roomId: string | undefined, library: boolean): Choices {
  if (library && visit.actor !== null) {
    const { items } = visit.ask("library_collections")
    return { collection: items.map(({ id, name }) => ({ id, text: name })) }
  }
  if (roomId === undefined) return {}
  const parts = "counts,hypotheses,publications,experiments,threads"
  const context = visit.ask("room_context", { roomId }, { parts, affordances: 0 })
  const { counts, hypotheses = [], publications = [], experiments = [], threads = [] } = context
  // In the order of their labels, which have no gaps: the newest are the last.
  const after = Math.max(0, counts.attempt - MOST)
  const { items: attempts } = visit.ask("attempts", {}, { roomId, order: "label", after, limit: MOST })
  const materials = visit.tables.materials.newestOfRoom(roomId, MOST)
  const plans = experiments
    .filter(({ plans }) => plans > 0)
    .slice(-PLANNED)
    .map(({ experimentId }) => visit.ask("experiment", { experimentId }))
    .flatMap(({ acceptedPlans, label }) => acceptedPlans.map((plan) => ({ id: plan.planId, text: `${plan.label}: plan of ${label}` })))
  const records = [...new Map([...hypotheses, ...publications].map((record) => [record.versionId, record])).values()]
  const ofKind = (wanted: RecordKind) =>
    records
      .filter(({ kind }) => kind === wanted)
      .slice(-MOST)
      .map(({ versionId, label, wording }) => ({ id: versionId, text: text(label, wording) }))
  return {
    hypothesis: ofKind("hypothesis"),
    finding: ofKind("finding"),
    cited_claim: ofKind("cited_claim"),
    attempt: attempts.map(({ attemptId, label, intent, outcome, status, experimentLabel, experimentId }) => ({
      id: attemptId,
      text: `${label}: ${words(intent)} attempt of ${experimentLabel}, ${words(outcome ?? status)}`,
      of: experimentId,
    })),
    plan: plans,
    material: materials.map(({ materialId, label, name }) => ({ id: materialId, text: text(label, name) })),
    experiment: experiments.slice(-MOST).map(({ experimentId, label, question }) => ({ id: experimentId, text: text(label, question) })),
    thread: threads.slice(-MOST).map(({ threadId, title }) => ({ id: threadId, text: title })),
  }
}
