/**
 * Lays out a form as its sheet says: the first fields, then any field that the sheet does not name, then the folded
 * ones.
 */
import { type Html, html } from "../html.ts"
import type { Field, Form } from "./fields.ts"
import { type FormState, suggestedId } from "./inputs.ts"
import { dataLists, fields, one } from "./render.ts"
import { placeOf, SAYS, type Sheet } from "./sheets/sheet.ts"
import { saying } from "./saying.ts"
import { isOfValues, tableBox } from "./table.ts"
import { sentence, structure } from "./statement-parts.ts"
import { borrowedName } from "./choices.ts"

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
    const body = places.map((place) => placed(form, place, without(place), state, true))
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
