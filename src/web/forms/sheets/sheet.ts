/**
 * The words and the layout of an operation's form: its labels, which fields come first, and which are folded. A sheet
 * names places of the operation's body, which the compiler checks. Fields that it does not name come from the schema.
 */
import type { Operation } from "../../../contract/definitions/operation.ts"
import { type InputOf, type OperationName, operationOf } from "../../../contract/operations/index.ts"
import { isUuid } from "../../../contract/schema/fields.ts"
import { orNull, type Visit } from "../../visit.ts"

// Prompts for code, commands, costs and pictures, which several forms share.

/** Prompts for a cost at any place of a body. */
export const costPrompts = <const P extends string>(at: P, label: string) =>
  ({
    [at]: { label, line: true },
    [`${at}/gpuHours`]: { label: "GPU hours" },
    [`${at}/tokens`]: { label: "Tokens" },
    [`${at}/money`]: { label: "Money", line: true },
    [`${at}/money/amount`]: { label: "Amount", missing: "Say how much money." },
    [`${at}/money/currency`]: { label: "Currency", hint: "Such as EUR or USD.", missing: "Say in which currency." },
    [`${at}/wallSeconds`]: { label: "Running time in seconds" },
  }) as const

export const commandHint = "As you would type it in a terminal."

export const repositoryPrompts = {
  "/repository": { label: "The code", line: true },
  "/repository/url": {
    label: "Public repository",
    hint: "https://github.com/owner/name",
    missing: "Say which repository holds the code.",
    suggested: "repositories",
  },
  "/repository/commit": { label: "Commit", hint: "All of its 40 or 64 digits.", missing: "Say which commit is run." },
} as const
export const runPrompts = {
  "/argv": { label: "Command", hint: commandHint, missing: "Say which command is run." },
} as const
export const configurationPrompt = { label: "Configuration", hint: "A JSON object." } as const

export const pictureFold = { heading: "Pictures", places: ["/figures"] } as const
export const picturePrompts = {
  "/figures": { label: "Pictures", row: "picture", rows: 1 },
  "/figures/*/digest": {
    label: "Picture",
    hint: "Its digest, which the upload gives.",
    missing: "Choose picture {n}.",
    upload: "picture",
  },
  "/figures/*/alt": {
    label: "What it shows",
    hint: "For people who cannot see it.",
    missing: "Say what picture {n} shows.",
    tall: 2,
  },
} as const

type Inside<T> = `/${string & keyof T}` | { [K in keyof T & string]: `/${K}${PlacesIn<T[K]>}` }[keyof T & string]
/** The places of a body: the members of an object, and `*` for any item of a list or any key of a record. */
type PlacesIn<T> = T extends string | number | boolean | null | undefined
  ? never
  : T extends readonly (infer I)[]
    ? "/*" | `/*${PlacesIn<I>}`
    : string extends keyof T
      ? "/*" | `/*${PlacesIn<T[string & keyof T]>}`
      : Inside<T>
type Place<N extends OperationName> = PlacesIn<InputOf<N>>

type Suggested = "roles" | "concepts" | "repositories"

/** The words and the layout of one field. */
export interface Prompt {
  readonly label: string
  readonly hint?: string
  /** The sentence if it was left empty. `{n}` stands for the number of its row. */
  readonly missing?: string
  /** The text of each option of a choice. */
  readonly words?: Readonly<Record<string, string>>
  /** The noun for a row of a list. */
  readonly row?: string
  /** The number of rows that an empty list shows. Rows left empty are not sent. */
  readonly rows?: number
  /** Whether the fields of a row or an object share one line. */
  readonly line?: boolean
  readonly suggested?: Suggested
  /** Whether the options of a choice stand beside each other as buttons. */
  readonly buttons?: boolean
  /** What the digest in it is of, which can be uploaded beside it. */
  readonly upload?: "picture" | "log"
  /** The choice and the options with which it is shown: "/intent=rerun". */
  readonly only?: string
  /** The height of a text input in lines. */
  readonly tall?: number
}

interface Fold<P> {
  readonly heading: string
  /** Summarizes the content in the heading. Such a fold stays closed although its fields have initial values. */
  readonly summary?: (draft: URLSearchParams) => string
  readonly places: readonly P[]
}

/** What a form offers of its operation in the current state, so that nothing it offers is refused. */
export interface Offered {
  readonly heading: string
  /** Why nothing is offered. */
  readonly closed?: string
  /** The options of choices, by the member that holds one. */
  readonly options: Readonly<Record<string, readonly string[]>>
  /** Members that are left out. */
  readonly without: readonly string[]
}

interface SheetOf<P extends string> {
  readonly heading: string
  readonly lead: string
  readonly send: string
  /** The fields that are not folded, in this order. */
  readonly first: readonly P[]
  readonly folds?: readonly Fold<P>[]
  readonly prompts: Readonly<Partial<Record<P, Prompt>>>
  /** Fields that are hidden if the form's address gives their value. */
  readonly kept?: readonly P[]
  /** The texts of links to the form, by the option that they choose in it. */
  readonly links?: Readonly<Record<string, string>>
  /** Null if the draft names nothing that is known. */
  readonly offered?: (visit: Visit, draft: URLSearchParams) => Offered | null
  readonly initial?: (visit: Visit, draft: URLSearchParams) => object
}
export type Sheet = SheetOf<string>

/**
 * The form of a finding also asks what it says about its experiment's question and hypotheses: a second operation, sent
 * in the same batch. This is the place of its fields in the form.
 */
export const SAYS = "/says"
/** The fields that the form shows. The others follow from the first operation. */
export const saidFields = ["towardHypothesis", "towardQuestion"]

/** The second operation of a form, if it has one. */
export const companionOf = (operation: string): Operation | undefined =>
  operation === "publish_finding" ? operationOf("link_experiment_finding") : undefined

/** Sheets by operation. The form of a finding has the fields of its companion too. */
export type Sheets = {
  readonly [N in OperationName]?: SheetOf<
    Place<N> | (N extends "publish_finding" ? typeof SAYS | `${typeof SAYS}${Place<"link_experiment_finding">}` : never)
  >
}

/** The place of an input: its name with `*` for any row, and without the cases of variants. */
export const placeOf = (path: string): string => path.replace(/\|[^/]+/g, "").replace(/\/\d+(?=\/|$)/g, "/*")

/** The prompt for a Thread, if the form's address does not name it. */
export const threadPrompt = {
  "/threadId": {
    label: "In which Thread?",
    hint: "Its title, or the address of its page.",
    missing: "Choose the Thread to post it in.",
  },
} as const

/** The hint for choosing an object that is not in the list. */
export const ANOTHER =
  "Choose one of the newest, or give another by its label, such as H12, or by the address of its page. " +
  "Other words are looked up."

/** A prompt for a reason. */
export const why = (label: string, missing: string) => ({ label, missing, tall: 2 }) as const

/** Prompts for the purpose and the permissions of an agent's token. */
export const agentPrompts = {
  label: { label: "What is it for?", hint: "The agent's name, or what it does.", missing: "Say what it is for." },
  permissions: { label: "What may it do?", missing: "Choose at least one thing that it may do." },
} as const

export const experimentPrompt = { "/experimentId": { label: "Experiment", missing: "Choose the experiment." } } as const

/** The fields that a page about an experiment fills in. */
export const keptOfExperiment = ["/experimentId", "/expectedRevision", "/expectedStatus"] as const

/** The experiment that a form is about. Null if the draft names none. */
export const experimentOf = (visit: Visit, draft: URLSearchParams) =>
  orNull(() => visit.ask("experiment", { experimentId: draft.get("/experimentId") ?? "" }))

const LABEL = /^[A-Z]\d+$/i

/** Splits a line of labels and ids, as in "H1, H2 and H4". Any other line is one choice as the list shows it. */
export const severalIn = (text: string): string[] =>
  text.split("\n").flatMap((line) => {
    const parts = line.split(/[\s,;&+/]+/).filter((part) => part !== "" && part.toLowerCase() !== "and")
    if (parts.length === 0) return []
    return parts.every((part) => isUuid(part) || LABEL.test(part)) ? parts : [line]
  })
