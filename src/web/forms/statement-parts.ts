/** Renders the form of a statement: its sentence, its words with their meaning, and its roles. */
import { attributes, type Html, html } from "../html.ts"
import { countName, itemCount } from "./draft.ts"
import type { Field } from "./fields.ts"
import { promptOf, common, faultsAt, type FormState, hintOf, labelled, suggestedId } from "./inputs.ts"
import { shortened } from "../words.ts"
import { addButton, fields, removeButton } from "./render.ts"
import { isAsProposed, PROPOSED, WORDING } from "./proposing.ts"
import { usualRoles } from "./suggestions.ts"

const CONCEPTS = "/concepts"
const ROLES = "/assertion/roles"

interface Line {
  readonly path: string
  readonly max: number
  readonly value?: string
  readonly list?: string
  /** The place whose prompt it shows, if not its own. */
  readonly as?: string
  readonly picks?: string
}

/** Renders an input of a row. */
function input(state: FormState, { path, max, value = state.draft.get(path) ?? "", list, as = path, picks }: Line): Html {
  const prompt = promptOf(as, state)
  const field: Field = { name: prompt?.label ?? "", required: true, form: "text", max, long: false, type: "text" }
  const own: FormState =
    as === path || state.sheet === undefined || prompt === undefined
      ? state
      : { ...state, sheet: { ...state.sheet, prompts: { ...state.sheet.prompts, "/concepts/*/label": prompt } } }
  return labelled(
    { field, path, state: own },
    html`<input${attributes({ ...common(field, path, own, prompt?.hint !== undefined), type: "text", maxlength: max, value, list, autocomplete: "off", "data-picks": picks })}>`,
  )
}

/** The words that are explained. The first row is the predicate. */
function concepts(state: FormState): Html {
  const count = Math.max(1, itemCount(state.draft, CONCEPTS, 1))
  return html`<fieldset class="list"><legend>${promptOf(CONCEPTS, state)?.label}</legend>${faultsAt(CONCEPTS, state)}<input type="hidden" name="${countName(CONCEPTS)}" value="${count}">${Array.from(
    { length: count },
    (_, index) => {
      const at = `${CONCEPTS}/${index}`
      return html`<div class="row line two" role="group" aria-label="Word ${index + 1}" data-row="${CONCEPTS}">${input(state, {
        path: `${at}/label`,
        max: 400,
        list: suggestedId("concepts"),
        ...(index === 0 ? { as: "/assertion/predicate" } : {}),
      })}${input(state, { path: `${at}/definition`, max: 2_000 })}${index === 0 ? null : removeButton(at, "word", index)}</div>`
    },
  )}${addButton(CONCEPTS, "word")}</fieldset>`
}

function roles(state: FormState): Html {
  const { draft } = state
  const isFresh = !draft.has(countName(ROLES))
  const count = Math.max(2, itemCount(draft, ROLES, 2, 12))
  const prompt = promptOf(ROLES, state)
  return html`<fieldset class="list"><legend>${prompt?.label}</legend>${hintOf(ROLES, prompt?.hint)}${faultsAt(ROLES, state)}<input type="hidden" name="${countName(ROLES)}" value="${count}">${Array.from(
    { length: count },
    (_, index) => {
      const at = `${ROLES}/${index}`
      const usual = isFresh ? usualRoles[index] : undefined
      return html`<div class="row line three" role="group" aria-label="Role ${index + 1}" data-row="${ROLES}">${faultsAt(at, state)}${input(
        state,
        {
          path: `${at}/role`,
          max: 64,
          list: suggestedId("roles"),
          ...(usual === undefined ? {} : { value: draft.get(`${at}/role`) ?? usual.role }),
        },
      )}${input(state, { path: `${at}/value`, max: 2_000, list: "choices-hypothesis-finding-cited_claim" })}${input(state, {
        path: `${at}/definition`,
        max: 1_000,
        ...(usual === undefined ? {} : { value: draft.get(`${at}/definition`) ?? usual.definition }),
      })}${index < 2 ? null : removeButton(at, "role", index)}</div>`
    },
  )}${addButton(ROLES, "role")}</fieldset>`
}

/** The buttons that the script enables when words of the sentence are selected. */
const marking = html`<div class="marking" data-marking><span class="hint" id="marking">Select words of the sentence. They are:</span> <button type="button" class="quiet" data-mark="happens" disabled>what happens</button> <button type="button" class="quiet" data-mark="word" disabled>a word to explain</button> <button type="button" class="quiet" data-mark="role" disabled>in a role</button></div>`

/** Renders the input for the sentence. */
export function sentence(form: Field & { form: "object" }, state: FormState): Html {
  const assertion = form.fields.find(({ name }) => name === "assertion")
  const wording = assertion?.form === "object" ? assertion.fields.filter(({ name }) => name === "wording") : []
  return html`<div class="statement-form">${fields(wording, "/assertion", state)}</div>`
}

/** The predicate and the roles as chips. Null if none is filled in. */
function chips({ draft }: FormState): Html | null {
  const happens = draft.get(`${CONCEPTS}/0/label`)?.trim() ?? ""
  const roleChips = Array.from({ length: itemCount(draft, ROLES, 2, 12) }, (_, index) => {
    const value = draft.get(`${ROLES}/${index}/value`)?.trim() ?? ""
    return value === "" ? null : html`<span class="tag">${draft.get(`${ROLES}/${index}/role`)}: <b>${shortened(value, 60)}</b></span> `
  })
  if (happens === "" && roleChips.every((chip) => chip === null)) return null
  return html`${happens === "" ? null : html`<span class="tag"><b>${shortened(happens, 60)}</b></span> `}${roleChips}`
}

/**
 * Renders the words and roles of a statement, which are proposed from its sentence. They are folded behind chips, and unfolded
 * after a fault or when a row was added.
 */
export function structure(state: FormState): Html {
  const isWrong = [...state.faults.keys()].some((at) => at.startsWith(CONCEPTS) || (at.startsWith("/assertion") && at !== WORDING))
  const known = chips(state)
  const isProposed = isAsProposed(state.draft)
  return html`<details class="fold structure" data-structure${attributes({ open: isWrong || state.draft.has("_open") })}><summary>${
    known === null
      ? html`Words and roles <span class="optional">proposed from your sentence</span>`
      : html`${known}<span class="optional">${isProposed ? "proposed from the sentence; change it here" : "change it here"}</span>`
  }</summary>${isProposed ? html`<input type="hidden" name="${PROPOSED}" value="${state.draft.get(PROPOSED)}">` : null}${marking}${concepts(state)}${roles(state)}</details>`
}
