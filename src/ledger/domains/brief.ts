/**
 * What domains add to a brief: its lists, each with all that is known of it, and the steps that could be taken next.
 * `src/research/brief` chooses what fits into a number of bytes.
 */
import type { BriefList } from "../../contract/nouns/overview.ts"
import type { OperationName } from "../../contract/operations/index.ts"
import type { AnswerOf } from "../../contract/reads/index.ts"
import { shortened } from "../../contract/text.ts"
import type { Db } from "../storage/database.ts"

/** The subject of a brief: a Room, or one of its Threads. */
export interface Place {
  readonly roomId: string
  readonly threadId?: string
}

export type BriefItem<L extends BriefList> = Readonly<AnswerOf<"room_brief">[L][number]>
export type NextItem = AnswerOf<"room_next">["items"][number]

/** Something to do next. */
export interface Step extends Pick<NextItem, "what" | "why" | "body"> {
  /** The object that it is about, and its label if it has one. */
  readonly id: string
  readonly label: string | null
  /** The kind of the object and the operation, where other steps of its kind have others. */
  readonly kind?: string
  readonly operation?: OperationName
}

export function stepOf(what: Step["what"], id: string, label: string | null, why: string, body: Step["body"]): Step {
  return { what, id, label, why, body }
}

/** A text in the reason for a step. */
export const quoted = (text: string): string => shortened(text, 160)

export interface Items<L extends BriefList> {
  /** The items at a moment, milliseconds since 1970, with texts cut to a number of characters. */
  readonly at: (now: number) => (characters: number) => BriefItem<L>[]
  /** How many there are, if that is not counted at each write. */
  readonly total?: number
  /** What stands before the lists: a table as long as texts of a number of characters allow, and a sentence. */
  readonly table?: (characters: number) => string | undefined
  readonly reproductions?: string | null
}

/** The steps at a moment, milliseconds since 1970. */
export interface WithSteps {
  readonly steps: (now: number) => readonly Step[]
}

/** How a list is shown. */
export interface ListText<L extends BriefList> {
  readonly title: string
  /** An item in one line of Markdown. */
  line(item: BriefItem<L>): string
  /** The path at which all items are listed. */
  readonly link: (place: Place) => string
  /** An item as JSON in the briefs that agents read first: without what says nothing. */
  shorter?(item: BriefItem<L>): BriefItem<L>
  /** An item without all that can be read with its object. */
  barest?(item: BriefItem<L>): BriefItem<L>
}

/** The sources of next steps, in the order in which their steps are told. */
export const stepSources = [
  "disputes",
  "stands",
  "attempts",
  "experiments",
  "openQuestions",
  "hypotheses",
  "work",
  "findings",
] as const
type StepSource = (typeof stepSources)[number]

export interface Candidates<L extends BriefList> extends Partial<WithSteps> {
  /** Reads what the items show besides. */
  readonly items: () => Items<L>
}

export interface ListSource<L extends BriefList> extends ListText<L> {
  /**
   * Reads the candidates, the most important first: `limits.briefSight` of them at most, from an index. They and their
   * items are kept until anything is written.
   */
  readonly read: (place: Place) => Candidates<L> & (L extends StepSource ? WithSteps : unknown)
}

/** Every list but that of the next steps, and the steps that come from no list. */
export type BriefSources = { readonly [L in Exclude<BriefList, "next">]: ListSource<L> } & {
  readonly [S in Exclude<StepSource, BriefList>]: { readonly read: (place: Place) => WithSteps }
}

/** Items that depend on nothing but their rows. */
export const itemsOf = <Row, Item>(rows: readonly Row[], item: (row: Row, characters: number) => Item) => ({
  at: () => (characters: number) => rows.map((row) => item(row, characters)),
})

/**
 * Prepares a query for a Room and for a Thread. `{place}` in it stands for `room_id` or `thread_id`, wherever a column
 * is compared with the id of one of them.
 */
export function inPlace<Row>(db: Db, sql: string): (place: Place) => Row[] {
  const times = sql.split("{place}").length - 1
  const prepared = (column: string) => {
    const statement = db.prepare<Row>(sql.replaceAll("{place}", column))
    return (id: string): Row[] => statement.all(...Array<string>(times).fill(id))
  }
  const [room, thread] = [prepared("room_id"), prepared("thread_id")]
  return ({ roomId, threadId }) => (threadId === undefined ? room(roomId) : thread(threadId))
}
