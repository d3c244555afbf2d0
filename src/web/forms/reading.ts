/**
 * Reads a draft as a request body: drops empty rows, replaces names with ids, and fills in what follows from other
 * inputs.
 */
import type { Operation } from "../../contract/definitions/operation.ts"
import { limits } from "../../contract/limits.ts"
import type { Issue } from "../../contract/refusals/refusal.ts"
import type { Visit } from "../visit.ts"
import { choicesOf } from "./choices.ts"
import { bodyOf, type Draft, itemCount } from "./draft.ts"
import { formOf } from "./fields.ts"
import { outputsOf, withIds, withOutputs } from "./picked.ts"
import { withoutBlankRows } from "./rows.ts"
import { spelledOut } from "./statement.ts"
import { suggestionsOf } from "./suggestions.ts"

/** The choices and suggestions that a form offers. */
export type AtHand = ReturnType<typeof atHand>

export function atHand(visit: Visit, operation: Operation, roomId: string | undefined) {
  const choices = choicesOf(visit, roomId)
  const has = (name: string) => formOf(operation).fields.some((field) => field.name === name)
  const wanted = has("assertion") ? "statement" : has("repository") ? "work" : null
  return {
    choices,
    suggestions: suggestionsOf(visit, roomId, wanted),
    outputs: has("evidence") && has("provenance") ? outputsOf(visit, choices("attempt")) : [],
  }
}

const EXECUTION = "/provenance/execution"

/** Fills in the experiment of a finding from its attempts, and the experiment of each effect from the finding. */
function withExperiment(draft: Draft, { choices }: AtHand): Draft {
  const attemptIds = draft.getAll(`${EXECUTION}/attemptIds`)
  const experimentId =
    draft.get(`${EXECUTION}/experimentId`) || choices("attempt").find(({ id }) => attemptIds.includes(id))?.of
  if (experimentId === undefined) return draft
  const made = new URLSearchParams(draft)
  made.set(`${EXECUTION}/experimentId`, experimentId)
  for (let index = 0; index < itemCount(draft, "/effects", 0, limits.effects); index += 1)
    if (!draft.get(`/effects/${index}/experimentId`)) made.set(`/effects/${index}/experimentId`, experimentId)
  return made
}

export interface ReadDraft {
  /** The draft without its empty rows. */
  readonly draft: Draft
  /** The draft with ids in place of names, and with all derived inputs. */
  readonly spelled: Draft
  readonly body: Record<string, unknown>
  readonly issues: readonly Issue[]
}

/** Reads a draft. */
export function readDraft(visit: Visit, operation: Operation, roomId: string | undefined, sent: Draft): ReadDraft {
  const form = formOf(operation)
  const draft = withoutBlankRows(form, sent)
  const hand = atHand(visit, operation, roomId)
  const statement = form.fields.some(({ name }) => name === "assertion")
  const withDigests = withOutputs(statement ? spelledOut(draft, hand.suggestions) : draft, hand.outputs)
  const { draft: resolved, issues } = withIds(form, withDigests, { visit, roomId, choices: hand.choices })
  const spelled = operation.name === "publish_finding" ? withExperiment(resolved, hand) : resolved
  const read = bodyOf(form, spelled)
  return { draft, spelled, body: read.body, issues: [...issues, ...read.issues] }
}
