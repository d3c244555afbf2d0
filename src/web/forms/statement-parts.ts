/** Renders the form of a statement: its sentence, its words with their meaning, and its roles. */
import { attributes, type Html, html } from "../html.ts"
import { countName, itemCount } from "./draft.ts"
import type { Form } from "./fields.ts"
import { promptOf, faultsAt, type FormState, labelled, suggestedId } from "./inputs.ts"
import { shortened } from "../words.ts"
import { fields, listOf, removeButton } from "./render.ts"
import { isAsProposed, PROPOSED, WORDING } from "./proposing.ts"
import { CONCEPTS, ROLES } from "./statement.ts"
import { usualRoles } from "./choices.ts"

interface Line {
  readonly path: string
  readonly max: number
  readonly usual?: string | undefined
  readonly list?: string
  /** The place whose prompt it shows, if not its own. */
  readonly as?: string | undefined
}

const input = (state: FormState, { path, max, usual = "", list, as = path }: Line): Html =>
  labelled({ field: { name: "", required: true }, path, state, prompt: promptOf(as, state) }, (given) => {
    const value = state.draft.get(path) ?? usual
    return html`<input${attributes({ ...given, type: "text", maxlength: max, value, list, autocomplete: "off" })}>`
  })

/** The words that are explained. The first row is the predicate. */
function concepts(state: FormState): Html {
  const rows = Array.from({ length: Math.max(1, itemCount(state.draft, CONCEPTS, 1)) }, (_, index) => {
    const at = `${CONCEPTS}/${index}`
    const as = index === 0 ? "/assertion/predicate" : undefined
    return html`<div class="row line two" role="group" aria-label="Word ${index + 1}" data-row="${CONCEPTS}">${[
      input(state, { path: `${at}/label`, max: 400, list: suggestedId("concepts"), as }),
      input(state, { path: `${at}/definition`, max: 2_000 }),
    ]}${index === 0 ? null : removeButton(at, "word", index)}</div>`
  })
  return listOf(promptOf(CONCEPTS, state)?.label, CONCEPTS, "word", rows, state)
}

function roles(state: FormState): Html {
  const { draft } = state
  const isFresh = !draft.has(countName(ROLES))
  const rows = Array.from({ length: Math.max(2, itemCount(draft, ROLES, 2, 12)) }, (_, index) => {
    const at = `${ROLES}/${index}`
    const usual = isFresh ? usualRoles[index] : undefined
    return html`<div class="row line three" role="group" aria-label="Role ${index + 1}" data-row="${ROLES}">${[
      faultsAt(at, state),
      input(state, { path: `${at}/role`, max: 64, list: suggestedId("roles"), usual: usual?.role }),
      input(state, { path: `${at}/value`, max: 2_000, list: "choices-hypothesis-finding-cited_claim" }),
      input(state, { path: `${at}/definition`, max: 1_000, usual: usual?.definition }),
    ]}${index < 2 ? null : removeButton(at, "role", index)}</div>`
  })
  return listOf(promptOf(ROLES, state)?.label, ROLES, "role", rows, state)
}

/** The buttons that the script enables when words of the sentence are selected. */
const marking = html`<div class="marking" data-marking><span class="hint" id="marking">Select words of the sentence. \
They are:</span> <button type="button" class="quiet" data-mark="happens" disabled>what happens</button> \
<button type="button" class="quiet" data-mark="word" disabled>a word to explain</button> \
<button type="button" class="quiet" data-mark="role" disabled>in a role</button></div>`

/** Renders the input for the sentence. */
export function sentence(form: Form, state: FormState): Html {
  const assertion = form.fields.find(({ name }) => name === "assertion")
  const wording = assertion?.form === "object" ? assertion.fields.filter(({ name }) => name === "wording") : []
  return html`<div class="statement-form">${fields(wording, "/assertion", state)}</div>`
}

/** The predicate and the roles as chips. Null if none is filled in. */
function chips({ draft }: FormState): Html | null {
  const happens = draft.get(`${CONCEPTS}/0/label`)?.trim() ?? ""
  const roleChips = Array.from({ length: itemCount(draft, ROLES, 2, 12) }, (_, index) => {
    const value = draft.get(`${ROLES}/${index}/value`)?.trim() ?? ""
    return value === ""
      ? null
      : html`<span class="tag">${draft.get(`${ROLES}/${index}/role`)}: <b>${shortened(value, 60)}</b></span> `
  })
  if (happens === "" && roleChips.every((chip) => chip === null)) return null
  return html`${happens === "" ? null : html`<span class="tag"><b>${shortened(happens, 60)}</b></span> `}${roleChips}`
}

/**
 * Renders the words and roles of a statement, which are proposed from its sentence. They are folded behind chips, and
 * unfolded after a fault or when a row was added.
 */
export function structure(state: FormState): Html {
  const isWrong = [...state.faults.keys()].some(
    (at) => at.startsWith(CONCEPTS) || (at.startsWith("/assertion") && at !== WORDING),
  )
  const known = chips(state)
  const isProposed = isAsProposed(state.draft)
  return html`<details class="fold structure" \
data-structure${attributes({ open: isWrong || state.draft.has("_open") })}><summary>${
    known === null
      ? html`Words and roles <span class="optional">proposed from your sentence</span>`
      : html`${known}<span class="optional">\
${isProposed ? "proposed from the sentence; change it here" : "change it here"}</span>`
  }</summary>${isProposed ? html`<input type="hidden" name="${PROPOSED}" value="${state.draft.get(PROPOSED)}">` : null}\
${marking}${concepts(state)}${roles(state)}</details>`
}
