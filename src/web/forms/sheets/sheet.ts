/**
 * How an operation's form is put to people: what it asks first, in which words, and what is folded away. A sheet names places
 * of the operation's own body, which the compiler holds it to; what a sheet does not name still comes from the schema.
 */
import type { InputOf, OperationName } from "../../../contract/operations/index.ts"
import { orNull, type Visit } from "../../visit.ts"
import type { SAYS } from "./companion.ts"

type Inside<T> = `/${string & keyof T}` | { [K in keyof T & string]: `/${K}${PlacesIn<T[K]>}` }[keyof T & string]
/** The places of a body: the members of an object, and `*` for any item of a list or any name of one's own choice. */
export type PlacesIn<T> = T extends string | number | boolean | null | undefined
  ? never
  : T extends readonly (infer I)[]
    ? "/*" | `/*${PlacesIn<I>}`
    : string extends keyof T
      ? "/*" | `/*${PlacesIn<T[string & keyof T]>}`
      : Inside<T>
type Place<N extends OperationName> = PlacesIn<InputOf<N>>

/** What a suggestion is chosen from, beside the input. */
export type Suggested = "roles" | "concepts" | "repositories"

/** How one place is asked for. */
export interface Asked {
  readonly label: string
  readonly hint?: string
  /** The sentence where it was left empty; `{n}` is the number of its row. */
  readonly missing?: string
  /** What each word of a choice means to a person. */
  readonly words?: Readonly<Record<string, string>>
  /** What one row of a list is called. */
  readonly row?: string
  /** Empty rows that a list begins with; those left empty are not sent. */
  readonly rows?: number
  /** The fields of a row, or of an object, stand beside each other. */
  readonly line?: boolean
  readonly suggested?: Suggested
  /** The digest of a picture, which is uploaded beside it. */
  readonly isPicture?: boolean
  /** The choice, and its words, with which alone it is asked for: "/intent=rerun". */
  readonly only?: string
  /** Lines a text begins with. */
  readonly tall?: number
}

interface Fold<P> {
  readonly heading: string
  /** What the page filled in does not unfold it: its heading says it. */
  readonly told?: (draft: URLSearchParams) => string
  readonly places: readonly P[]
}

export interface SheetOf<P extends string> {
  /** The heading, and the words of the button. */
  readonly heading: string
  readonly lead: string
  readonly send: string
  /** Asked at once, in this order. */
  readonly first: readonly P[]
  readonly folds?: readonly Fold<P>[]
  readonly asks: Readonly<Partial<Record<P, Asked>>>
  /** Known to the page, and asked of nobody where it is. */
  readonly kept?: readonly P[]
  /** What leads to the form, by the word that the page chooses in it. */
  readonly links?: Readonly<Record<string, string>>
  /** What an untouched form holds already. */
  readonly begins?: (visit: Visit, draft: URLSearchParams) => object
}
export type Sheet = SheetOf<string>

/** A sheet of one operation. A place that its body does not have is a type error. */
export const sheet = <N extends OperationName>(_of: N, made: SheetOf<Place<N>>): Sheet => made

/** The sheet of an operation whose form asks what another operation takes too, under a place of its own. */
export const sheetWith = <N extends OperationName, M extends OperationName>(
  _of: N,
  _also: M,
  made: SheetOf<Place<N> | typeof SAYS | `${typeof SAYS}${Place<M>}`>,
): Sheet => made

/** The place of an input: rows are any row, and cases of a choice are not told apart. */
export const placeOf = (path: string): string => path.replace(/\|[^/]+/g, "").replace(/\/\d+(?=\/|$)/g, "/*")

/** In which Thread something is to stand: picked by its title where the page that led here did not say. */
export const threadAsk = {
  "/threadId": {
    label: "In which Thread?",
    hint: "Its title, or the address of its page.",
    missing: "Choose the Thread it is to stand in.",
  },
} as const

/** How one is named that the list does not hold. */
export const ANOTHER =
  "Choose one of the newest, or give another by its label, such as H12, or by the address of its page. Other words are looked up."

/** How it is asked why something is done. */
export const why = (label: string, missing: string) => ({ label, missing, tall: 2 }) as const

/** How it is asked what an agent's token is for, and what it may do. */
export const agentAsks = {
  label: { label: "What is it for?", hint: "The agent's name, or what it does.", missing: "Say what it is for." },
  permissions: { label: "What may it do?", missing: "Choose at least one thing that it may do." },
} as const

/** The field that asks for the experiment. */
export const experimentAsk = { "/experimentId": { label: "Experiment", missing: "Choose the experiment." } } as const

/** What a page knows of the experiment that something is done to. */
export const keptOfExperiment = ["/experimentId", "/expectedRevision", "/expectedStatus"] as const

/** The experiment that a form is about; null where there is none, or none yet. */
export const experimentOf = (visit: Visit, draft: URLSearchParams) =>
  orNull(() => visit.ask("experiment", { experimentId: draft.get("/experimentId") ?? "" }))
