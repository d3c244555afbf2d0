/** Shows states by a shape, a word and a colour, never by colour alone. */
import { type Html, html, markup } from "../html.ts"
import { words } from "../words.ts"

/** The shapes, 12 pixels wide. The style sheet draws them (`.mark`): a page names a shape dozens of times. */
type Shape =
  | ("filled" | "hollow" | "half" | "cross" | "doubt" | "dash")
  | ("up" | "down" | "square" | "couple" | "flag")

/** The shape and tone of each state. Any other state is a hollow dot. */
const marks: Readonly<Record<string, readonly [Shape, "good" | "bad" | "warn" | "active" | "quiet"]>> = {
  agrees: ["filled", "good"],
  agrees_with_reservations: ["half", "warn"],
  objects: ["cross", "bad"],
  unreviewed: ["hollow", "quiet"],
  open: ["hollow", "active"],
  claimed: ["half", "active"],
  in_progress: ["half", "active"],
  completed: ["filled", "good"],
  cancelled: ["dash", "quiet"],
  registered: ["hollow", "quiet"],
  started: ["half", "active"],
  unknown: ["doubt", "warn"],
  preflight_failed: ["cross", "warn"],
  succeeded: ["filled", "good"],
  failed: ["cross", "bad"],
  supports: ["up", "good"],
  contradicts: ["down", "bad"],
  inconclusive: ["dash", "warn"],
  untested: ["hollow", "quiet"],
  independent: ["couple", "active"],
  supported: ["up", "good"],
  contradicted: ["down", "bad"],
  contested: ["doubt", "warn"],
  reproduces: ["filled", "good"],
  partly_reproduces: ["half", "active"],
  does_not_reproduce: ["cross", "bad"],
  withdrawn: ["dash", "quiet"],
  answers: ["filled", "good"],
  partly_answers: ["half", "active"],
  does_not_answer: ["hollow", "quiet"],
  current: ["filled", "quiet"],
  retracted: ["cross", "bad"],
  superseded: ["square", "warn"],
  corrected: ["flag", "warn"],
  disputed: ["doubt", "warn"],
  retracts: ["cross", "bad"],
  supersedes: ["square", "warn"],
  corrects: ["flag", "warn"],
  disputes: ["doubt", "warn"],
  obtainable: ["filled", "good"],
  restricted: ["half", "warn"],
  unobtainable: ["cross", "bad"],
  unreported: ["hollow", "quiet"],
  available: ["filled", "good"],
  unavailable: ["cross", "bad"],
  concluded: ["filled", "good"],
  active: ["hollow", "active"],
  archived: ["square", "quiet"],
}

/** The tone of a state, for colours beside its mark. */
export const tone = (state: string): string => marks[state]?.[1] ?? "quiet"

const classOf = ([shape, tone]: readonly [Shape, string]): string => `mark ${shape} ${tone}`
const otherMark = ["hollow", "quiet"] as const
const drawn = (mark: readonly [Shape, string]): Html => markup(`<i class="${classOf(mark)}"></i>`)

// Each is made once: a page shows dozens.
const glyphs = new Map(Object.entries(marks).map(([state, mark]) => [state, drawn(mark)]))
const otherGlyph = drawn(otherMark)

/** The shape of a state alone. The caller adds the word. */
export const glyph = (state: string): Html => glyphs.get(state) ?? otherGlyph

/** The same shape in a chart, an SVG element. */
export const glyphInChart = (state: string): Html =>
  html`<rect class="${classOf(marks[state] ?? otherMark)}" width="12" height="12"/>`

/** Outcomes that are words alone: green and red triangles are for and against, which these are not. */
const plain: ReadonlySet<string> = new Set(["positive", "negative"])

const badge = (state: string, text: string): Html =>
  plain.has(state)
    ? html`<span class="state">${text}</span>`
    : html`<span class="state ${tone(state)}">${glyph(state)}${text}</span>`
const badges = new Map<string, Html>()

/** The mark and the word of a state. */
export const stateBadge = (state: string, text?: string): Html =>
  text === undefined && glyphs.has(state)
    ? badges.getOrInsertComputed(state, () => badge(state, words(state)))
    : badge(state, text ?? words(state))

/** A mark whose word is read aloud and shown on hover. */
export const stateMark = (state: string, text: string = words(state)): Html =>
  html`<span class="dot" title="${text}">${glyph(state)}<span class="aside">${text}</span></span>`

/** Shows whether something is true, by a mark and words. */
export const yesNo = (holds: boolean | null, yes: string, no: string, unknown = "unknown"): Html =>
  holds === null ? stateBadge("unknown", unknown) : stateBadge(holds ? "succeeded" : "failed", holds ? yes : no)

interface Life {
  readonly expiresAt: string
  readonly revokedAt: string | null
}

/** A badge for a revoked or expired token. Null while it is valid. */
export const tokenOver = ({ revokedAt, expiresAt }: Life, now: number): Html | null =>
  revokedAt !== null
    ? stateBadge("retracted", "revoked")
    : Date.parse(expiresAt) <= now
      ? stateBadge("cancelled", "expired")
      : null

/** The word before the time at which a token ends. */
export const expiring = (expiresAt: string, now: number): string =>
  Date.parse(expiresAt) <= now ? "expired" : "expires"

export const tokenState = (life: Life, now: number): Html => tokenOver(life, now) ?? stateBadge("completed", "in use")
