/** A form's fields as markup, as its schema says and its sheet puts them. */
import type { ObjectKind } from "../../contract/objects/objects.ts"
import { attributes, type Content, type Html, html } from "../html.ts"
import { title, words } from "../words.ts"
import { type Choices, choicesAmong } from "./choices.ts"
import { casePath, countName, itemCount, keyName } from "./draft.ts"
import type { Field } from "./fields.ts"
import {
  askedOf,
  boxes,
  common,
  faultsAt,
  type FormState,
  hintOf,
  idOf,
  labelled,
  lines,
  listId,
  nameAt,
  onlyWith,
  optional,
  select,
  MANY,
  suggested,
  suggestedId,
  text,
  told,
} from "./inputs.ts"
import { isOfOutput, OUTPUT_CASE, outputName } from "./outputs.ts"

const group = (name: Content, body: Content, path: string, state: FormState): Html =>
  html`<fieldset${attributes({ class: askedOf(path, state)?.line === true ? "line" : null, ...onlyWith(path, state) })}><legend>${name}</legend>${faultsAt(path, state)}${body}</fieldset>`

/** "an attempt": a noun with its article. */
const aOrAn = (noun: string): string => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`

/** The buttons that add a row and take one away: without a script they send the form and show it again. */
export const addButton = (path: string, row: string): Html =>
  html`<p class="row-end"><button class="quiet" name="_add" value="${path}" formnovalidate>Add ${aOrAn(row)}</button></p>`
export const removeButton = (at: string, row: string, index: number): Html =>
  html`<button class="plain remove" name="_remove" value="${at}" formnovalidate>Remove ${row} ${index + 1}</button>`

function items(field: Field & { form: "list" | "named" }, path: string, state: FormState): Html {
  const asked = askedOf(path, state)
  const least = field.form === "list" ? field.least : 1
  const count = itemCount(state.draft, path, asked?.rows ?? least, field.form === "list" ? field.most : undefined)
  const one =
    asked?.row ??
    words(field.name)
      .replace(/ies$/, "y")
      .replace(/([^s])s$/, "$1")
  const rows = Array.from({ length: count }, (_, index) => {
    const at = `${path}/${index}`
    const key =
      field.form === "list"
        ? null
        : html`<div class="field"><label for="${idOf(keyName(at))}">Key</label>
      <input${attributes({ id: idOf(keyName(at)), name: keyName(at), value: state.draft.get(keyName(at)) ?? "", class: "code", autocomplete: "off", pattern: "[a-z][a-z0-9_]{0,63}" })}><p class="hint">Lower-case letters, digits and _; the name that roles refer to.</p>
      </div>`
    return html`<fieldset class="row${asked?.line === true ? " line" : ""}"><legend>${title(one)} ${index + 1}</legend>
      ${faultsAt(at, state)}${key}${fields(inner(field.item), at, state)}${removeButton(at, one, index)}
      </fieldset>`
  })
  return html`<fieldset class="list"><legend>${nameAt(field, path, state)}${optional(field, path, state)}</legend>
    ${hintOf(path, asked?.hint)}${faultsAt(path, state)}<input type="hidden" name="${countName(path)}" value="${count}">${rows}${addButton(path, one)}</fieldset>`
}

/** What an item holds, without a frame of its own. */
const inner = (item: Field): readonly Field[] => (item.form === "object" ? item.fields : [item])

function variant(field: Field & { form: "variant" }, path: string, state: FormState): Html {
  const tagPath = `${path}/${field.tag}`
  const chosen = state.draft.get(tagPath) ?? ""
  const tag: Field = { name: field.tag, required: field.required, form: "choice", options: field.cases.map(({ value }) => value) }
  // Without the script every case is shown, and only the chosen one is read.
  const cases = field.cases.map(
    ({ value, fields: own }) => html`<fieldset data-case="${value}"><legend>${title(told(value, tagPath, state))}</legend>
    ${state.sheet !== undefined && value === OUTPUT_CASE ? outputInput(path, state) : null}${fields(
      own.filter(({ name }) => state.sheet === undefined || !isOfOutput(`${casePath(path, value)}/${name}`)),
      casePath(path, value),
      state,
    )}</fieldset>`,
  )
  return html`<div class="variant" data-variant data-chosen="${chosen}">${faultsAt(path, state)}${select(
    { ...tag, name: field.name === "" ? field.tag : field.name },
    tagPath,
    field.cases.map(({ value }) => ({ value, text: words(value) })),
    state,
  )}${cases}</div>`
}

/** One output of an attempt, by the attempt's label and its own name. */
function outputInput(path: string, state: FormState): Html {
  const name = outputName(path)
  const asked = { name: "output", required: true, form: "text", max: 400, long: false, type: "text" } as const
  return labelled(
    {
      field: asked,
      path: name,
      state,
      hint: state.outputs.length === 0 ? "No attempt of this Room has reported an output yet." : "Such as A4: model.json",
    },
    html`<input${attributes({ ...common(asked, name, state, true), type: "text", list: suggestedId("outputs"), value: state.draft.get(name), autocomplete: "off" })}>`,
  )
}

/** A field with its label; nothing for what is fixed. */
export function one(field: Field, path: string, state: FormState): Html | null {
  if (state.hidden.has(path))
    return html`${state.draft.getAll(path).map((value) => html`<input type="hidden" name="${path}" value="${value}">`)}${faultsAt(path, state)}`
  switch (field.form) {
    case "fixed":
      return null
    case "text":
      return text(field, path, state)
    case "number":
      return labelled(
        { field, path, state },
        html`<input${attributes({ ...common(field, path, state, false), type: "number", min: field.least, value: state.draft.get(path) ?? "" })}>`,
      )
    case "yes-no":
      return select(
        field,
        path,
        [
          { value: "true", text: "yes" },
          { value: "false", text: "no" },
        ],
        state,
      )
    case "choice":
      return field.options.length > MANY
        ? suggested(field, path, state)
        : select(
            field,
            path,
            field.options.map((value) => ({ value, text: told(value, path, state) })),
            state,
          )
    case "boxes":
      return boxes(
        field,
        path,
        field.options.map((value) => ({ value, text: told(value, path, state) })),
        state,
      )
    case "lines":
      return lines(field, path, state)
    case "list":
    case "named":
      return items(field, path, state)
    case "variant":
      return variant(field, path, state)
    case "pairs":
      return labelled(
        { field, path, state, hint: "name: value, one a line." },
        html`<textarea${attributes({ ...common(field, path, state, true), class: "code" })}>${state.draft.get(path)}</textarea>`,
      )
    case "json":
      return labelled(
        { field, path, state, hint: "A JSON object; left empty, {}." },
        html`<textarea${attributes({ ...common(field, path, state, true), required: false, class: "code" })}>${state.draft.get(path)}</textarea>`,
      )
    case "object":
      return group(
        html`${nameAt(field, path, state)}${optional(field, path, state)}`,
        fields(field.required ? field.fields : field.fields.map((own) => ({ ...own, required: false })), path, state),
        path,
        state,
      )
  }
}

/** Fields one after the other. */
export const fields = (given: readonly Field[], path: string, state: FormState): Html =>
  html`${given.map((field) => one(field, field.name === "" ? path : `${path}/${field.name}`, state))}`

/** What each id within the fields may name, as far as it is chosen from a list. */
const namedWithin = (field: Field): (readonly ObjectKind[])[] => {
  switch (field.form) {
    case "text":
    case "lines":
      return field.named === undefined ? [] : [field.named]
    case "object":
      return field.fields.flatMap(namedWithin)
    case "list":
    case "named":
      return namedWithin(field.item)
    case "variant":
      return field.cases.flatMap(({ fields: own }) => own.flatMap(namedWithin))
    default:
      return []
  }
}

/** The lists that inputs of ids choose from, each once. */
export const dataLists = (form: Field, choices: Choices): Html => {
  const lists = new Map(namedWithin(form).map((named) => [listId(named), choicesAmong(choices, named)]))
  return html`${[...lists].map(([id, list]) =>
    list.length === 0
      ? null
      : html`<datalist id="${id}">${list.map(({ text: said }) => html`<option value="${said}"></option>`)}</datalist>`,
  )}`
}
