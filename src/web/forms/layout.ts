/**
 * Lays out a form as its sheet says: the first fields, then any field that the sheet does not name, then the folded
 * ones.
 */
import { type Html, html, attributes } from "../html.ts"
import type { Field, Form } from "./fields.ts"
import { type FormState, suggestedId, promptOf, faultsAt, labelled } from "./inputs.ts"
import { dataLists, fields, one, listOf, removeButton } from "./render.ts"
import { placeOf, SAYS, type Sheet } from "./sheets/sheet.ts"
import { saying } from "./saying.ts"
import { isOfValues, tableBox } from "./table.ts"
import { borrowedName, usualRoles } from "./choices.ts"
import { countName, itemCount } from "./draft.ts"
import { shortened } from "../words.ts"
import { isAsProposed, PROPOSED, WORDING, CONCEPTS, ROLES } from "./statement.ts"

// Renders the form of a statement: its sentence, its words with their meaning, and its roles.

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
function structure(state: FormState): Html {
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

/** The field at a place, without the objects around it. */
function fieldAt(form: Form, place: string): Field | undefined {
  let field: Field | undefined = form
  for (const step of place.split("/").slice(1))
    field = field?.form === "object" ? field.fields.find(({ name }) => name === step) : undefined
  return field
}

/** A field without the places that are shown elsewhere. Null if nothing is left. */
function left(field: Field, path: string, elsewhere: ReadonlySet<string>): Field | null {
  if (field.form !== "object") return field
  const fields = field.fields.flatMap((inner) => {
    const at = `${path}/${inner.name}`
    return elsewhere.has(at) ? [] : (left(inner, at, elsewhere) ?? [])
  })
  return fields.length === 0 ? null : { ...field, fields }
}

function placed(
  form: Form,
  place: string,
  elsewhere: ReadonlySet<string>,
  state: FormState,
  bare: boolean,
): Html | null {
  // A statement: its sentence, then its words and roles.
  if (place === "/assertion") return sentence(form, state)
  if (place === "/concepts") return structure(state)
  const field = fieldAt(form, place)
  if (place === SAYS && field?.form === "object") return saying(field, state)
  if (field?.form === "object" && isOfValues(place, field)) return tableBox(field, state)
  const rest = field === undefined ? null : left(field, place, elsewhere)
  if (rest === null) return null
  return bare && rest.form === "object" ? fields(rest.fields, place, state) : one(rest, place, state)
}

/**
 * Whether a place was filled in or got more rows. Choices and numbers do not count, because they may have an initial
 * value.
 */
function isWritten(form: Form, { draft, sheet }: FormState, places: readonly string[]): boolean {
  const counted = places.filter((place) => !["choice", "yes-no", "number"].includes(fieldAt(form, place)?.form ?? ""))
  const within = (name: string) => counted.some((place) => name === place || name.startsWith(`${place}/`))
  return [...draft].some(([name, value]) =>
    name.startsWith("#")
      ? within(name.slice(1)) && Number(value) > Math.max(1, sheet?.prompts[placeOf(name.slice(1))]?.rows ?? 1)
      : value.trim() !== "" && within(name),
  )
}

function lists({ suggestions: { roles, concepts, repositories }, outputs, logs }: FormState): Html {
  return html`<datalist id="${suggestedId("roles")}">\
${roles.map(({ role, definition }) => html`<option value="${role}" label="${definition}"></option>`)}</datalist>
<datalist id="${suggestedId("concepts")}">\
${concepts.map(
  (concept) => html`<option value="${borrowedName(concept)}" label="${concept.definition}"></option>`,
)}</datalist>
<datalist id="${suggestedId("repositories")}">\
${repositories.map((url) => html`<option value="${url}"></option>`)}</datalist>
<datalist id="${suggestedId("outputs")}">\
${outputs.map(({ text }) => html`<option value="${text}"></option>`)}</datalist>
<datalist id="${suggestedId("logs")}">\
${logs.map((text) => html`<option value="${text}"></option>`)}</datalist>`
}

/** Renders all fields of a form, with the suggestions for its inputs. */
export function laidOut(form: Form, sheet: Sheet | undefined, state: FormState): Html {
  if (sheet === undefined) return html`${fields(form.fields, "", state)}${dataLists(form, state.choices)}`
  const { first, folds = [] } = sheet
  const all = new Set([...first, ...folds.flatMap(({ places }) => places)])
  const without = (place: string) => all.difference(new Set([place]))
  const rest = left(form, "", all)
  const folded = folds.map(({ heading, places, summary }) => {
    // The heading names what is alone below it. Of several things, one whose fields make a line has its own name.
    const isBare = (place: string) => places.length === 1 || promptOf(place, state)?.line !== true
    const body = places.map((place) => placed(form, place, without(place), state, isBare(place)))
    const tag = summary?.(state.draft) ?? ""
    const isOpen =
      (summary === undefined && isWritten(form, state, places)) ||
      [...state.faults.keys()].some((at) => places.some((place) => at === place || at.startsWith(`${place}/`)))
    return html`<details class="fold"${isOpen ? html` open` : null}><summary>${heading}\
${tag === "" ? null : html` <span class="tag">${tag}</span>`}</summary>${body}</details>`
  })
  const kept = (sheet.kept ?? []).filter((place) => first.includes(place) && state.hidden.has(place))
  const top = [...kept, ...first.filter((place) => !state.hidden.has(place))]
  const others = rest?.form === "object" ? rest.fields : []
  const isKept = ({ name }: Field) => sheet.kept?.includes(`/${name}`) === true
  const shown = others.filter((field) => !isKept(field))
  return html`${fields(others.filter(isKept), "", state)}\
${top.map((place) => placed(form, place, without(place), state, false))}${fields(shown, "", state)}${folded}\
${dataLists(form, state.choices)}${lists(state)}`
}
