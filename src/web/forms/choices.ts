/** The choices of a form's id fields: objects of the Room, each with its label, so that nobody has to know an id. */
import { accepted } from "../../contract/reads/shared.ts"
import { orNull, type Visit } from "../visit.ts"
import { isKeyOf } from "../../contract/each.ts"
import type { LabelledKind, ObjectKind, RecordKind } from "../../contract/objects/objects.ts"
import { type Author, writerToSelf } from "../../contract/answers/parts.ts"
import { plainText } from "../markdown.ts"
import { shortened, words } from "../words.ts"

// Suggestions for inputs, from the records of the Room: concepts with their meaning, roles, repositories.

/** The usual roles. A form begins with the first two. */
export const usualRoles = [
  { role: "cause", definition: "What is changed." },
  { role: "effect", definition: "What is measured." },
  { role: "comparison", definition: "What it is compared with." },
  { role: "condition", definition: "What must hold for it." },
]

/** How many of the newest records or attempts are read. */
const LOOKED_INTO = 15

const distinctBy = <T>(items: readonly T[], name: (item: T) => string): T[] =>
  [...new Map([...items].reverse().map((item) => [name(item), item])).values()].reverse()

/** The concepts and roles of a Room's newest records. A concept `happens` if it is the predicate of its record. */
function wordsIn(visit: Visit, roomId: string) {
  const { items } = visit.ask("publications", {}, { roomId, limit: LOOKED_INTO })
  const records = items.map(({ versionId, label }) => {
    return { versionId, label, ...accepted("record", visit.record(versionId)?.content) }
  })
  const concepts = records.flatMap(({ versionId, label, concepts, assertion: { predicate } }) =>
    Object.entries(concepts).map(([key, concept]) => ({
      key,
      ...concept,
      happens: predicate.key === key,
      record: { versionId, label },
    })),
  )
  const roles = records.flatMap(({ assertion }) =>
    assertion.roles.map(({ role, definition }) => ({ role, definition })),
  )
  return {
    concepts: distinctBy(concepts, ({ label }) => label.toLowerCase()),
    roles: distinctBy([...roles, ...usualRoles], ({ role }) => role),
  }
}

function repositoriesIn(visit: Visit, roomId: string): string[] {
  const { items } = visit.ask("attempts", {}, { roomId, limit: LOOKED_INTO })
  const found = items.map(({ attemptId }) => orNull(() => visit.ask("attempt", { attemptId }))?.repository.url)
  return [...new Set(found.filter((url) => url !== undefined))]
}

/** Returns the suggestions for the form of a statement, or of a plan or attempt. */
export const suggestionsOf = (visit: Visit, roomId: string | undefined, wanted: "statement" | "work" | null) => ({
  ...(roomId !== undefined && wanted === "statement" ? wordsIn(visit, roomId) : { concepts: [], roles: usualRoles }),
  repositories: roomId !== undefined && wanted === "work" ? repositoriesIn(visit, roomId) : [],
})
export type Suggestions = ReturnType<typeof suggestionsOf>

/** The name under which a concept is borrowed: "warm-up, as H1 means it". */
export const borrowedName = ({ label, record }: Suggestions["concepts"][number]): string =>
  `${label}, as ${record.label} defines it`

export interface Choice {
  readonly id: string
  readonly text: string
  /** The experiment that an attempt belongs to. */
  readonly of?: string
  /** Whether the visitor or one of their agents made it. */
  readonly isOwn?: boolean
}
/** Returns the choices of a kind. Empty if objects of the kind are not chosen from a list. */
export type Choices = (kind: ObjectKind) => readonly Choice[]

/** How many objects of a kind a form lists: the newest. Others are found by their label or by search. */
const MOST = 50
const PLANNED = 20

const text = (label: string, content: string) => `${label}: ${shortened(plainText(content), 90)}`

/** The choices of a field that accepts these kinds. */
export const choicesAmong = (choices: Choices, named: readonly ObjectKind[] = []): readonly Choice[] =>
  named.flatMap(choices)

/** A choice says whose it is if it is the visitor's own. */
function madeBy(visit: Visit, author: Author, choice: Choice): Choice {
  if (visit.person === undefined || author.userId !== visit.person.userId) return choice
  return { ...choice, text: `${choice.text} (by ${writerToSelf(author)})`, isOwn: true }
}

/** Lists the newest objects of a kind in label order, so the newest come last. */
type ListChoices = (room: ChoiceRoom) => readonly Choice[]

interface ChoiceRoom {
  readonly visit: Visit
  readonly roomId: string
  /** Reads a part of the Room's context, once for all kinds that it holds. */
  readonly part: (name: string) => Context
}
const contextOf = (visit: Visit, roomId: string, parts: string) =>
  visit.ask("room_context", { roomId }, { parts, affordances: 0 })
type Context = ReturnType<typeof contextOf>

const records =
  (kind: RecordKind): ListChoices =>
  ({ visit, part }) => {
    const { hypotheses, publications } = part(kind === "hypothesis" ? "hypotheses" : "publications")
    return (hypotheses ?? publications ?? [])
      .filter((record) => record.kind === kind)
      .slice(-MOST)
      .map(({ versionId, label, wording, author }) =>
        madeBy(visit, author, { id: versionId, text: text(label, wording) }),
      )
  }

const listers = {
  hypothesis: records("hypothesis"),
  finding: records("finding"),
  cited_claim: records("cited_claim"),
  experiment: ({ visit, part }) =>
    (part("experiments").experiments ?? [])
      .slice(-MOST)
      .map(({ experimentId, label, question, proposer }) =>
        madeBy(visit, proposer, { id: experimentId, text: text(label, question) }),
      ),
  plan: ({ visit, part }) =>
    (part("experiments").experiments ?? [])
      .filter(({ plans }) => plans > 0)
      .slice(-PLANNED)
      .map(({ experimentId }) => visit.ask("experiment", { experimentId }))
      .flatMap(({ acceptedPlans, label }) =>
        acceptedPlans.map((plan) => ({ id: plan.planId, text: `${plan.label}: plan of ${label}` })),
      ),
  attempt: ({ visit, roomId, part }) => {
    const after = Math.max(0, part("counts").counts.attempt - MOST)
    const { items } = visit.ask("attempts", {}, { roomId, order: "label", after, limit: MOST })
    return items.map(({ attemptId, label, intent, status, experimentLabel, experimentId, registrant }) =>
      madeBy(visit, registrant, {
        id: attemptId,
        text: `${label}: ${words(intent)} attempt of ${experimentLabel}, ${words(status)}`,
        of: experimentId,
      }),
    )
  },
  material: ({ visit, roomId }) =>
    visit.tables.materials
      .newestOfRoom(roomId, MOST)
      .map(({ materialId, label, name }) => ({ id: materialId, text: text(label, name) })),
  thread: ({ part }) =>
    (part("threads").threads ?? []).slice(-MOST).map(({ threadId, title }) => ({ id: threadId, text: title })),
} satisfies Partial<Record<LabelledKind | "thread", ListChoices>>

/**
 * The objects of a Room and the reader's own Collections. Each kind is looked up once, when it is first needed. First
 * come attempts of the form's experiment, then what the visitor or their agents made; the newest first within each.
 */
export function choicesOf(visit: Visit, roomId: string | undefined, experimentId?: string): Choices {
  const known = new Map<ObjectKind, readonly Choice[]>()
  const parts = new Map<string, Context>()
  const look: Choices = (kind) => {
    if (kind === "collection")
      return visit.actor === null
        ? []
        : visit.ask("library_collections").items.map(({ id, name }) => ({ id, text: name }))
    if (roomId === undefined || !isKeyOf(listers, kind)) return []
    const part = (name: string) => parts.getOrInsertComputed(name, () => contextOf(visit, roomId, name))
    const place = ({ of, isOwn }: Choice) =>
      (of !== undefined && of === experimentId ? 0 : 2) + (isOwn === true ? 0 : 1)
    return [...listers[kind]({ visit, roomId, part })].reverse().sort((one, other) => place(one) - place(other))
  }
  return (kind) => known.getOrInsertComputed(kind, () => look(kind))
}
