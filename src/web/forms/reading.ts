/** A draft read as the body it means: rows that were left empty go, names become ids, what goes without saying is said. */
import type { Operation } from "../../contract/definitions/operation.ts"
import { limits } from "../../contract/limits.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import type { Visit } from "../visit.ts"
import { type Choices, choicesOf } from "./choices.ts"
import { bodyOf, type Draft, itemCount } from "./draft.ts"
import { formOf } from "./fields.ts"
import { type Output, outputsOf, withOutputs } from "./outputs.ts"
import { withIds } from "./picked.ts"
import { withoutBlankRows } from "./rows.ts"
import { sheetOf } from "./sheets/index.ts"
import { spelledOut } from "./statement.ts"
import { type Suggestions, suggestionsOf } from "./suggestions.ts"

/** What a form of a Room has at hand. */
export interface AtHand {
  readonly choices: Choices
  readonly suggestions: Suggestions
  readonly outputs: readonly Output[]
}

export function atHand(visit: Visit, operation: Operation, roomId: string | undefined): AtHand {
  const choices = choicesOf(visit, roomId)
  const has = (name: string) => formOf(operation).fields.some((field) => field.name === name)
  const sheet = sheetOf(operation.name)
  const wanted = sheet === undefined ? null : has("assertion") ? "statement" : has("repository") ? "work" : null
  return {
    choices,
    suggestions: suggestionsOf(visit, roomId, wanted),
    outputs: sheet !== undefined && has("evidence") && has("provenance") ? outputsOf(visit, choices("attempt")) : [],
  }
}

const EXECUTION = "/provenance/execution"

/** The experiment of the attempts that a finding comes from, where none is named; its effects are of that one too. */
function withExperiment(draft: Draft, { choices }: AtHand): Draft {
  const named = draft.getAll(`${EXECUTION}/attemptIds`)
  const experimentId = draft.get(`${EXECUTION}/experimentId`) || choices("attempt").find(({ id }) => named.includes(id))?.of
  if (experimentId === undefined) return draft
  const made = new URLSearchParams(draft)
  made.set(`${EXECUTION}/experimentId`, experimentId)
  for (let index = 0; index < itemCount(draft, "/effects", 0, limits.effects); index += 1)
    if (!draft.get(`/effects/${index}/experimentId`)) made.set(`/effects/${index}/experimentId`, experimentId)
  return made
}

/** Where a faulty draft was read: the draft without its empty rows, and with every name spelled out. */
export interface ReadDraft {
  readonly draft: Draft
  readonly spelled: Draft
  readonly body: Record<string, unknown>
  readonly issues: readonly Issue[]
}

/** Reads a draft. The Room is looked into only where something is named in words. */
export function readDraft(visit: Visit, operation: Operation, roomId: string | undefined, sent: Draft): ReadDraft {
  const form = formOf(operation)
  const draft = withoutBlankRows(form, sent)
  const hand = atHand(visit, operation, roomId)
  const statement = form.fields.some(({ name }) => name === "assertion") && sheetOf(operation.name) !== undefined
  const named = withOutputs(statement ? spelledOut(draft, hand.suggestions) : draft, hand.outputs)
  const { draft: resolved, issues } = withIds(form, named, { visit, roomId, choices: hand.choices })
  const spelled = operation.name === "publish_finding" ? withExperiment(resolved, hand) : resolved
  const read = bodyOf(form, spelled)
  return { draft, spelled, body: read.body, issues: [...issues, ...read.issues] }
}
