/** Shows states by a shape, a word and a colour, never by colour alone. */
import { type Html, html, markup } from "../html.ts"
import { words } from "../words.ts"

/** SVG paths in a view box of 12 by 12. */
const SHAPES = {
  filled: "M6 1.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9z",
  hollow: "M6 1.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9zM6 3.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6z",
  half: "M6 1.5a4.5 4.5 0 1 1 0 9a4.5 4.5 0 1 1 0-9zM6 3v6a3 3 0 0 0 0-6z",
  cross: "M2.2 3.4l1.2-1.2L6 4.8l2.6-2.6 1.2 1.2L7.2 6l2.6 2.6-1.2 1.2L6 7.2 3.4 9.8 2.2 8.6 4.8 6z",
  question:
    "M3.3 4.3C3.3 2.6 4.4 1.5 6.1 1.5S8.9 2.5 8.9 4c0 1.9-2 2-2 3.4H5.2c0-2.1 1.9-2.2 1.9-3.3 " +
    "0-.6-.4-1-1.1-1s-1.1.5-1.1 1.2zM5.1 8.6h1.9v1.9H5.1z",
  dash: "M2 5.1h8v1.8H2z",
  up: "M6 1.8l4.4 7.9H1.6z",
  down: "M6 10.2L1.6 2.3h8.8z",
  square: "M2 2h8v8H2zM3.7 3.7v4.6h4.6V3.7z",
  pair: "M3.3 3.4a2.6 2.6 0 1 1 0 5.2a2.6 2.6 0 1 1 0-5.2zM9 3.4a2.6 2.6 0 1 1 0 5.2a2.6 2.6 0 1 1 0-5.2z",
  flag: "M2.5 1.5h7l-2 2.8 2 2.8H4.1v3.6H2.5z",
} as const
type Shape = keyof typeof SHAPES

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
  unknown: ["question", "warn"],
  preflight_failed: ["cross", "warn"],
  succeeded: ["filled", "good"],
  failed: ["cross", "bad"],
  supports: ["up", "good"],
  contradicts: ["down", "bad"],
  inconclusive: ["dash", "warn"],
  untested: ["hollow", "quiet"],
  independent: ["pair", "active"],
  supported: ["up", "good"],
  contradicted: ["down", "bad"],
  contested: ["question", "warn"],
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
  disputed: ["question", "warn"],
  retracts: ["cross", "bad"],
  supersedes: ["square", "warn"],
  corrects: ["flag", "warn"],
  disputes: ["question", "warn"],
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

const drawn = ([shape, tone]: (typeof marks)[string]): Html =>
  markup(
    `<svg class="mark ${tone}" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">` +
      `<path d="${SHAPES[shape]}"/></svg>`,
  )
// Each is made once: a page shows dozens.
const glyphs = new Map(Object.entries(marks).map(([state, mark]) => [state, drawn(mark)]))
const otherGlyph = drawn(["hollow", "quiet"])

/** The shape of a state alone. The caller adds the word. */
export const glyph = (state: string): Html => glyphs.get(state) ?? otherGlyph

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
