/** Objects of a Room that a form's ids may name, each with its label: so that nobody has to know an id. */
import { isKeyOf } from "../../contract/each.ts"
import type { LabelledKind, ObjectKind, RecordKind } from "../../contract/objects/objects.ts"
import type { Visit } from "../visit.ts"
import { plainText } from "../plain-text.ts"
import { shortened, words } from "../words.ts"

export interface Choice {
  readonly id: string
  readonly text: string
  /** The experiment that an attempt belongs to. */
  readonly of?: string
}
/** The choices of a kind; none of a kind that is not chosen from a list. */
export type Choices = (kind: ObjectKind) => readonly Choice[]

/** Objects of a kind that a form lists, the newest; more are found by their label or their words. */
const MOST = 50
/** Experiments whose plans are looked up. */
const PLANNED = 20

const text = (label: string, said: string) => `${label}: ${shortened(plainText(said), 90)}`

/** What a field that may name these kinds is chosen from. */
export const choicesAmong = (choices: Choices, named: readonly ObjectKind[] = []): readonly Choice[] => named.flatMap(choices)

/** The newest of a kind, in the order of their labels, which have no gaps: the newest are the last. */
type ListChoices = (room: ChoiceRoom) => readonly Choice[]

/** A Room that is looked through for a form. */
interface ChoiceRoom {
  readonly visit: Visit
  readonly roomId: string
  /** A part of what it holds, asked for once for all kinds that are in it. */
  readonly part: (name: string) => Context
}
const contextOf = (visit: Visit, roomId: string, parts: string) => visit.ask("room_context", { roomId }, { parts, affordances: 0 })
type Context = ReturnType<typeof contextOf>

const records =
  (kind: RecordKind): ListChoices =>
  ({ part }) => {
    const { hypotheses, publications } = part(kind === "hypothesis" ? "hypotheses" : "publications")
    return (hypotheses ?? publications ?? [])
      .filter((record) => record.kind === kind)
      .slice(-MOST)
      .map(({ versionId, label, wording }) => ({ id: versionId, text: text(label, wording) }))
  }

/** How each kind that has a label is listed, and what else is chosen by its title; null where nobody is asked to choose one. */
const listers: Readonly<Record<LabelledKind | "thread", ListChoices | null>> = {
  hypothesis: records("hypothesis"),
  finding: records("finding"),
  cited_claim: records("cited_claim"),
  experiment: ({ part }) =>
    (part("experiments").experiments ?? [])
      .slice(-MOST)
      .map(({ experimentId, label, question }) => ({ id: experimentId, text: text(label, question) })),
  plan: ({ visit, part }) =>
    (part("experiments").experiments ?? [])
      .filter(({ plans }) => plans > 0)
      .slice(-PLANNED)
      .map(({ experimentId }) => visit.ask("experiment", { experimentId }))
      .flatMap(({ acceptedPlans, label }) => acceptedPlans.map((plan) => ({ id: plan.planId, text: `${plan.label}: plan of ${label}` }))),
  attempt: ({ visit, roomId, part }) => {
    const after = Math.max(0, part("counts").counts.attempt - MOST)
    const { items } = visit.ask("attempts", {}, { roomId, order: "label", after, limit: MOST })
    return items.map(({ attemptId, label, intent, status, experimentLabel, experimentId }) => ({
      id: attemptId,
      text: `${label}: ${words(intent)} attempt of ${experimentLabel}, ${words(status)}`,
      of: experimentId,
    }))
  },
  material: ({ visit, roomId }) =>
    visit.tables.materials.newestOfRoom(roomId, MOST).map(({ materialId, label, name }) => ({ id: materialId, text: text(label, name) })),
  // Nothing is done to a board.
  board: null,
  // It is taken back where it stands.
  link: null,
  thread: ({ part }) => (part("threads").threads ?? []).slice(-MOST).map(({ threadId, title }) => ({ id: threadId, text: title })),
}

/** The objects of a Room, and one's own Collections: of each kind that is asked for, looked up once. */
export function choicesOf(visit: Visit, roomId: string | undefined): Choices {
  const known = new Map<ObjectKind, readonly Choice[]>()
  const parts = new Map<string, Context>()
  const partOf = (id: string) => (name: string) => {
    const part = parts.get(name) ?? contextOf(visit, id, name)
    parts.set(name, part)
    return part
  }
  const look: Choices = (kind) => {
    if (kind === "collection")
      return visit.actor === null ? [] : visit.ask("library_collections").items.map(({ id, name }) => ({ id, text: name }))
    return roomId === undefined || !isKeyOf(listers, kind) ? [] : (listers[kind]?.({ visit, roomId, part: partOf(roomId) }) ?? [])
  }
  return (kind) => {
    const found = known.get(kind) ?? look(kind)
    known.set(kind, found)
    return found
  }
}
