/** A form's fields as markup, each with its label, its hint and, after a refusal, what is wrong with it. */
import type { ObjectKind } from "../../contract/objects.ts"
import type { Issue } from "../../contract/refusals.ts"
import { attributes, type Content, type Html, html } from "../html.ts"
import { title, words } from "../words.ts"
import { type Choices, choicesAmong } from "./choices.ts"
import { casePath, countName, type Draft, itemCount, keyName } from "./draft.ts"
import type { Field } from "./fields.ts"

export interface FormState {
  readonly draft: Draft
  /** By the path of the input. */
  readonly issues: ReadonlyMap<string, readonly Issue[]>
  readonly choices: Choices
  /** Inputs that are known already and not asked for. */
  readonly hidden: ReadonlySet<string>
}

/** What an issue says, where its words are those of programs. */
export const forPeople = (message: string): string => (/^must be one of \("/.test(message) ? "is to be chosen" : message)

/** Choices beyond which nobody reads a list. */
const MANY = 60

/** An id that may stand in markup. */
export const idOf = (path: string): string => `f${path.replace(/[^A-Za-z0-9]/g, "-")}`

const faults = (path: string, { issues }: FormState): Html | null => {
  const found = issues.get(path)
  return found === undefined
    ? null
    : html`<p class="fault" id="${idOf(path)}-fault">${found.map(({ message }) => `It ${forPeople(message)}. `)}</p>`
}
const optional = ({ required }: Field): Html | null => (required ? null : html` <span class="optional">optional</span>`)
const hintOf = (path: string, hint: Content): Html | null =>
  hint === undefined || hint === null ? null : html`<p class="hint" id="${idOf(path)}-hint">${hint}</p>`

/** What an input has in common with all others. */
function common(field: Field, path: string, { issues }: FormState, hinted: boolean) {
  const described = [hinted ? `${idOf(path)}-hint` : null, issues.has(path) ? `${idOf(path)}-fault` : null].filter((id) => id !== null)
  return {
    id: idOf(path),
    name: path,
    required: field.required,
    "aria-invalid": issues.has(path) ? "true" : null,
    "aria-describedby": described.length === 0 ? null : described.join(" "),
  }
}

const listId = (named: readonly string[] = []) => `choices-${named.join("-")}`

/** A labelled input. */
function labelled(field: Field, path: string, state: FormState, input: Html, hint?: Content): Html {
  return html`<div class="field${state.issues.has(path) ? " wrong" : ""}"><label for="${idOf(path)}">${title(field.name || "value")}${optional(field)}</label>
    ${input}${hintOf(path, hint)}${faults(path, state)}</div>`
}

function text(field: Field & { form: "text" }, path: string, state: FormState): Html {
  const value = state.draft.get(path) ?? ""
  const { named } = field
  const hint = field.type === "time" ? "In UTC." : named === undefined ? field.hint : "Choose one of this Room, or paste the id of another."
  const given = { ...common(field, path, state, hint !== undefined), maxlength: field.max }
  if (field.long)
    return labelled(field, path, state, html`<textarea${attributes(given)}>${value === "" ? null : html`\n${value}`}</textarea>`, hint)
  const list = choicesAmong(state.choices, named).length === 0 ? null : listId(named)
  return labelled(
    field,
    path,
    state,
    html`<input${attributes({ ...given, type: field.type === "time" ? "datetime-local" : "text", step: field.type === "time" ? 1 : null, value: field.type === "time" ? value.replace(/(\.\d+)?Z$/, "") : value, list, autocomplete: "off", class: field.type === "text" ? null : "code" })}>`,
    hint,
  )
}

function select(field: Field, path: string, options: readonly { value: string; text: string }[], state: FormState): Html {
  const value = state.draft.get(path)
  return labelled(
    field,
    path,
    state,
    html`<select${attributes(common(field, path, state, false))}><option value="">choose</option>${options.map(
      (option) => html`<option value="${option.value}"${attributes({ selected: option.value === value })}>${option.text}</option>`,
    )}</select>`,
  )
}

/** Words of which there are too many to look through: typed, with suggestions. */
function suggested(field: Field & { form: "choice" }, path: string, state: FormState): Html {
  const list = `${idOf(path)}-words`
  return labelled(
    field,
    path,
    state,
    html`<input${attributes({ ...common(field, path, state, true), type: "text", value: state.draft.get(path) ?? "", list, autocomplete: "off", class: "code" })}>
    <datalist id="${list}">${field.options.map((option) => html`<option value="${option}">`)}</datalist>`,
    html`One of ${field.options.length}, such as ${field.options.slice(0, 3).join(", ")}.`,
  )
}

function boxes(field: Field, path: string, options: readonly { value: string; text: string }[], state: FormState, others = false): Html {
  const chosen = state.draft.getAll(path).flatMap((value) => value.split(/[\s,]+/))
  const unknown = chosen.filter((value) => value !== "" && !options.some((option) => option.value === value))
  return html`<fieldset class="field choices${state.issues.has(path) ? " wrong" : ""}"><legend>${title(field.name)}${optional(field)}</legend>
    ${options.map(
      (option, index) =>
        html`<label><input${attributes({ type: "checkbox", name: path, id: `${idOf(path)}-${index}`, value: option.value, checked: chosen.includes(option.value) })}>${option.text}</label>`,
    )}${
      others
        ? html`<label class="hint" for="${idOf(path)}">Others, by id</label>
    <input${attributes({ id: idOf(path), name: path, type: "text", value: unknown.join(" "), autocomplete: "off" })}>`
        : null
    }${faults(path, state)}</fieldset>`
}

function lines(field: Field & { form: "lines" }, path: string, state: FormState): Html {
  if (field.named !== undefined)
    return boxes(
      field,
      path,
      choicesAmong(state.choices, field.named).map(({ id, text: said }) => ({ value: id, text: said })),
      state,
      true,
    )
  const hint = field.name === "argv" ? "The program and its arguments, one a line." : "One a line."
  return labelled(
    field,
    path,
    state,
    html`<textarea${attributes({ ...common(field, path, state, true), required: field.required && field.least > 0, class: field.name === "argv" ? "code" : null })}>${state.draft.getAll(path).join("\n")}</textarea>`,
    hint,
  )
}

const group = (name: Content, body: Content, path: string, state: FormState): Html =>
  html`<fieldset><legend>${name}</legend>${faults(path, state)}${body}</fieldset>`

function items(field: Field & { form: "list" | "named" }, path: string, state: FormState): Html {
  const least = field.form === "list" ? field.least : 1
  const count = itemCount(state.draft, path, least, field.form === "list" ? field.most : undefined)
  const one = words(field.name)
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
    return html`<fieldset><legend>${title(one)} ${index + 1}</legend>
      ${faults(at, state)}${key}${fields(inner(field.item), at, state)}<button class="plain" name="_remove" value="${at}" formnovalidate>Remove ${one} ${index + 1}</button>
      </fieldset>`
  })
  return html`<fieldset class="list"><legend>${title(field.name)}${optional(field)}</legend>
    ${faults(path, state)}<input type="hidden" name="${countName(path)}" value="${count}">${rows}<p class="row-end"><button class="quiet" name="_add" value="${path}" formnovalidate>Add ${one === words(field.name) ? "" : /^[aeiou]/.test(one) ? "an " : "a "}${one}</button>
    </p></fieldset>`
}

/** What an item holds, without a frame of its own. */
const inner = (item: Field): readonly Field[] => (item.form === "object" ? item.fields : [item])

function variant(field: Field & { form: "variant" }, path: string, state: FormState): Html {
  const tagPath = `${path}/${field.tag}`
  const chosen = state.draft.get(tagPath) ?? ""
  const tag: Field = { name: field.tag, required: field.required, form: "choice", options: field.cases.map(({ value }) => value) }
  // Without the script every case is shown, and only the chosen one is read.
  const cases = field.cases.map(
    ({ value, fields: own }) => html`<fieldset data-case="${value}"><legend>${title(value)}</legend>
    ${fields(
      own.map((one) => ({ ...one, required: false })),
      casePath(path, value),
      state,
    )}</fieldset>`,
  )
  return html`<div class="variant" data-variant data-chosen="${chosen}">${faults(path, state)}${select(
    { ...tag, name: field.name === "" ? field.tag : field.name },
    tagPath,
    field.cases.map(({ value }) => ({ value, text: words(value) })),
    state,
  )}${cases}</div>`
}

function one(field: Field, path: string, state: FormState): Html | null {
  if (state.hidden.has(path))
    return html`${state.draft.getAll(path).map((value) => html`<input type="hidden" name="${path}" value="${value}">`)}${faults(path, state)}`
  switch (field.form) {
    case "fixed":
      return null
    case "text":
      return text(field, path, state)
    case "number":
      return labelled(
        field,
        path,
        state,
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
            field.options.map((value) => ({ value, text: words(value) })),
            state,
          )
    case "boxes":
      return boxes(
        field,
        path,
        field.options.map((value) => ({ value, text: words(value) })),
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
        field,
        path,
        state,
        html`<textarea${attributes({ ...common(field, path, state, true), class: "code" })}>${state.draft.get(path)}</textarea>`,
        "name: value, one a line.",
      )
    case "json":
      return labelled(
        field,
        path,
        state,
        html`<textarea${attributes({ ...common(field, path, state, true), required: false, class: "code" })}>${state.draft.get(path)}</textarea>`,
        "A JSON object; left empty, {}.",
      )
    case "object":
      return group(
        html`${title(field.name)}${optional(field)}`,
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
      : html`<datalist id="${id}">${list.map(({ id: value, text: said }) => html`<option value="${value}">${said}</option>`)}</datalist>`,
  )}`
}
