/** Renders a form's fields from its schema, with the words of its sheet. */
import { aOrAn, type ObjectKind } from "../../contract/objects/objects.ts"
import { attributes, type Content, type Html, html } from "../html.ts"
import { title, words } from "../words.ts"
import { type Choices, choicesAmong, isOfOutput, LOG_CASE, OUTPUT_CASE, outputName } from "./choices.ts"
import { casePath, countName, itemCount } from "./draft.ts"
import type { Field } from "./fields.ts"
import {
  promptOf,
  boxes,
  faultsAt,
  type FormState,
  hintOf,
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
  optionText,
  radios,
} from "./inputs.ts"

const group = (name: Content, body: Content, path: string, state: FormState): Html =>
  html`<fieldset${attributes({
    class: promptOf(path, state)?.line === true ? "line" : null,
    ...onlyWith(path, state),
  })}><legend>${name}</legend>${faultsAt(path, state)}${body}</fieldset>`

/** The buttons that add and remove a row. Without the script they send the form, which is shown again. */
export const addButton = (path: string, row: string): Html =>
  html`<p class="row-end"><button class="quiet" name="_add" value="${path}" formnovalidate>Add ${aOrAn(row)}</button>\
</p>`
export const removeButton = (at: string, row: string, index: number): Html =>
  html`<button class="plain remove" name="_remove" value="${at}" formnovalidate>Remove ${row} ${index + 1}</button>`

/** A list of rows. @param row the noun for a row */
export const listOf = (name: Content, path: string, row: string, rows: readonly Html[], state: FormState): Html =>
  html`<fieldset class="list"><legend>${name}</legend>
    ${hintOf(path, promptOf(path, state)?.hint)}${faultsAt(path, state)}<input type="hidden" name="${countName(path)}" \
value="${rows.length}">${rows}${addButton(path, row)}</fieldset>`

function items(field: Field & { form: "list" }, path: string, state: FormState): Html {
  const prompt = promptOf(path, state)
  const count = itemCount(state.draft, path, prompt?.rows ?? field.least, field.most)
  const one =
    prompt?.row ??
    words(field.name)
      .replace(/ies$/, "y")
      .replace(/([^s])s$/, "$1")
  const rows = Array.from({ length: count }, (_, index) => {
    const at = `${path}/${index}`
    return html`<fieldset class="row${prompt?.line === true ? " line" : ""}"><legend>${title(one)} ${index + 1}</legend>
      ${faultsAt(at, state)}${fields(inner(field.item), at, state)}${removeButton(at, one, index)}
      </fieldset>`
  })
  return listOf(html`${nameAt(field, prompt)}${optional(field, path, state)}`, path, one, rows, state)
}

const inner = (item: Field): readonly Field[] => (item.form === "object" ? item.fields : [item])

function variant(field: Field & { form: "variant" }, path: string, state: FormState): Html {
  const tagPath = `${path}/${field.tag}`
  // Without the script all cases are shown, and only the chosen one is read.
  const cases = field.cases.map(({ value, fields: own }) => {
    const at = casePath(path, value)
    const shown = value === LOG_CASE ? citingLog(own) : own.filter(({ name }) => !isOfOutput(`${at}/${name}`))
    return html`<fieldset data-case="${value}"><legend>${title(optionText(value, tagPath, state))}</legend>
    ${value === OUTPUT_CASE ? outputInput(path, state) : null}${fields(shown, at, state)}</fieldset>`
  })
  const tag = select(
    { name: field.name || field.tag, required: field.required },
    tagPath,
    field.cases.map(({ value }) => value),
    state,
  )
  return html`<div class="variant" data-variant data-chosen="${state.draft.get(tagPath) ?? ""}">\
${faultsAt(path, state)}${tag}${cases}</div>`
}

/** The fields of cited lines: the digest of the log is filled in, and both lines are one input. */
const citingLog = (own: readonly Field[]): readonly Field[] =>
  own.flatMap((field): readonly Field[] => {
    const { name, required } = field
    if (name === "digest") return []
    if (name !== "lines") return [field]
    return [{ name, required, form: "text", max: 40, long: false, type: "text" }]
  })

function outputInput(path: string, state: FormState): Html {
  const name = outputName(path)
  const hint =
    state.outputs.length === 0 ? "No attempt of this Room has reported an output yet." : "Such as A4: model.json"
  return labelled(
    { field: { name: "output", required: true }, path: name, state, hint },
    (given) =>
      html`<input${attributes({
        ...given,
        type: "text",
        list: suggestedId("outputs"),
        value: state.draft.get(name),
        autocomplete: "off",
      })}>`,
  )
}

/** Renders a field with its label. Null for a fixed value. */
export function one(field: Field, path: string, state: FormState): Html | null {
  if (state.hidden.has(path))
    return html`${state.draft.getAll(path).map((value) => html`<input type="hidden" name="${path}" value="${value}">`)}\
${faultsAt(path, state)}`
  switch (field.form) {
    case "fixed":
    // The words of a statement are the only such field, and have a form of their own.
    case "named":
      return null
    case "text":
      return text(field, path, state)
    case "number":
      return labelled(
        { field, path, state },
        (given) =>
          html`<input${attributes({
            ...given,
            type: "text",
            inputmode: "decimal",
            autocomplete: "off",
            value: state.draft.get(path) ?? "",
          })}>`,
      )
    case "yes-no":
      return select(field, path, ["true", "false"], state)
    case "choice":
      if (promptOf(path, state)?.buttons === true) return radios(path, field.options, state)
      return field.options.length > MANY ? suggested(field, path, state) : select(field, path, field.options, state)
    case "boxes":
      return boxes(
        field,
        path,
        field.options.map((id) => ({ id, text: optionText(id, path, state) })),
        state,
      )
    case "lines":
      return lines(field, path, state)
    case "list":
      return items(field, path, state)
    case "variant":
      return variant(field, path, state)
    case "pairs":
      return code(field, path, state, "name: value, one per line.")
    case "json":
      return code(field, path, state, "A JSON object. If left empty, {}.")
    case "object":
      return group(
        html`${nameAt(field, promptOf(path, state))}${optional(field, path, state)}`,
        fields(field.required ? field.fields : field.fields.map((own) => ({ ...own, required: false })), path, state),
        path,
        state,
      )
  }
}

const code = (field: Field & { form: "pairs" | "json" }, path: string, state: FormState, hint: string): Html =>
  labelled({ field, path, state, hint }, (given) => {
    const required = field.form === "pairs" && field.required
    return html`<textarea${attributes({ ...given, required, class: "code" })}>${state.draft.get(path)}</textarea>`
  })

/** Renders fields one after the other. */
export const fields = (all: readonly Field[], path: string, state: FormState): Html =>
  html`${all.map((field) => one(field, field.name === "" ? path : `${path}/${field.name}`, state))}`

/** The kinds that each id field within a field accepts. */
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

/** The datalists of the id fields, each once. */
export const dataLists = (form: Field, choices: Choices): Html => {
  const lists = new Map(namedWithin(form).map((named) => [listId(named), choicesAmong(choices, named)]))
  return html`${[...lists].map(([id, list]) =>
    list.length === 0
      ? null
      : html`<datalist id="${id}">${list.map((choice) => html`<option value="${choice.text}"></option>`)}</datalist>`,
  )}`
}
