/** Renders the inputs of a form, each with its label, its hint and any fault. */
import { figureTypes, uploadFigure } from "../../contract/definitions/figure-routes.ts"
import { limits } from "../../contract/limits.ts"
import { ANOTHER } from "./sheets/sheet.ts"
import { attributes, type Content, type Html, html, to, toNow } from "../html.ts"
import { calledByForms, words } from "../words.ts"
import { type Choice, type Choices, choicesAmong } from "./choices.ts"
import type { Draft } from "./draft.ts"
import type { Field } from "./fields.ts"
import type { Output } from "./outputs.ts"
import { type Prompt, placeOf, type Sheet } from "./sheets/sheet.ts"
import type { Suggestions } from "./suggestions.ts"

export interface FormState {
  readonly draft: Draft
  /** Sentences by input name. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  readonly choices: Choices
  /** Inputs with a known value, which are sent as hidden fields. */
  readonly hidden: ReadonlySet<string>
  readonly sheet: Sheet | undefined
  readonly suggestions: Suggestions
  readonly outputs: readonly Output[]
  /** The condition under which an input is shown, by input name: see `Prompt.only`. */
  readonly only: ReadonlyMap<string, string>
  /** Inputs that are required whenever they are shown. */
  readonly needed: ReadonlySet<string>
}

/** The HTML id of an input. */
export const idOf = (path: string): string => `f${path.replace(/[^A-Za-z0-9]/g, "-")}`

/** The sheet's prompt for an input, if there is one. */
export const promptOf = (path: string, { sheet }: FormState): Prompt | undefined => sheet?.prompts[placeOf(path)]

export const faultsAt = (path: string, { faults }: FormState): Html | null => {
  const found = faults.get(path)
  return found === undefined ? null : html`<p class="fault" id="${idOf(path)}-fault">${found.join(" ")}</p>`
}
/** The word "optional" after a label. Inputs that are needed when shown, and alternatives of which one is needed, do not get it. */
export function optional({ required }: Field, path: string, { needed }: FormState): Html | null {
  const isNeeded = needed.has(path) || needed.has(path.slice(0, path.lastIndexOf("/")))
  return required || isNeeded ? null : html` <span class="optional">optional</span>`
}

/** Marks an input that belongs to another option of a choice. The page hides it before the script loads, so that nothing moves. */
export function onlyWith(path: string, { only, draft }: FormState) {
  const condition = only.get(path)
  if (condition === undefined) return {}
  const [choice = "", wanted = ""] = condition.split("=")
  const isWritten = [...draft].some(([name, value]) => (name === path || name.startsWith(`${path}/`)) && value !== "")
  const isOf = wanted.split(",").includes(draft.get(choice) ?? "")
  return { "data-only": condition, "data-idle": isOf || isWritten ? null : "" }
}
export const hintOf = (path: string, hint: Content): Html | null =>
  hint === undefined || hint === null ? null : html`<p class="hint" id="${idOf(path)}-hint">${hint}</p>`
export const nameAt = (field: Field, path: string, state: FormState): string =>
  promptOf(path, state)?.label ?? calledByForms(field.name || "value")

/** The attributes that every input has. */
export function common(field: Field, path: string, state: FormState, hinted: boolean) {
  const { faults } = state
  const described = [hinted ? `${idOf(path)}-hint` : null, faults.has(path) ? `${idOf(path)}-fault` : null].filter((id) => id !== null)
  return {
    id: idOf(path),
    name: path,
    required: field.required,
    "aria-invalid": faults.has(path) ? "true" : null,
    "aria-describedby": described.length === 0 ? null : described.join(" "),
  }
}

export const listId = (named: readonly string[] = []) => `choices-${named.join("-")}`
export const suggestedId = (what: string): string => `suggested-${what}`

/** The script opens a file dialog in place of this link, and reads the upload address and the limits from its attributes. */
const pictureLink = html`<p class="hint"><a href="${to("/pictures")}" target="_blank"${attributes({
  "data-upload": toNow(uploadFigure.browserPath),
  "data-types": Object.keys(figureTypes).join(","),
  "data-most": limits.figureBytes,
})}>Upload a picture</a></p>`

interface Labelled {
  readonly field: Field
  readonly path: string
  readonly state: FormState
  /** Shown if the sheet has no hint. */
  readonly hint?: Content
}

/** A labelled input. */
export function labelled({ field, path, state, hint }: Labelled, input: Html): Html {
  const prompt = promptOf(path, state)
  return html`<div class="field${state.faults.has(path) ? " wrong" : ""}"${attributes(onlyWith(path, state))}><label for="${idOf(path)}">${nameAt(field, path, state)}${optional(field, path, state)}</label>
    ${input}${hintOf(path, prompt?.hint ?? hint)}${prompt?.isPicture === true ? pictureLink : null}${faultsAt(path, state)}</div>`
}

/** The hint for choosing an object that is not in the list. Collections have no labels. */
const pickingHint = (named: readonly string[]): string =>
  named.every((kind) => kind === "collection") ? "Choose one of your Collections." : ANOTHER

/** The text shown for an id: the object's label and title if it is listed, or the id. */
const shownOf = (value: string, choices: readonly Choice[]): string => choices.find(({ id }) => id === value)?.text ?? value

export function text(field: Field & { form: "text" }, path: string, state: FormState): Html {
  const prompt = promptOf(path, state)
  const { named } = field
  const choices = choicesAmong(state.choices, named)
  const value = named === undefined ? (state.draft.get(path) ?? "") : shownOf(state.draft.get(path) ?? "", choices)
  const hint = field.type === "time" ? "In UTC." : named === undefined ? field.hint : prompt === undefined ? pickingHint(named) : undefined
  const isHinted = (prompt?.hint ?? hint) !== undefined
  const given = {
    ...common(field, path, state, isHinted),
    maxlength: named === undefined ? field.max : 400,
    rows: prompt?.tall === 1 ? null : prompt?.tall,
  }
  if (field.long && prompt?.tall !== 1 && (prompt === undefined || prompt.tall !== undefined || !isInLine(path, state)))
    return labelled(
      { field, path, state, hint },
      html`<textarea${attributes({ ...given, dir: "auto" })}>${value === "" ? null : html`\n${value}`}</textarea>`,
    )
  const suggested = prompt?.suggested
  const list = suggested !== undefined ? suggestedId(suggested) : choices.length === 0 ? null : listId(named)
  return labelled(
    { field, path, state, hint },
    html`<input${attributes({ ...given, rows: null, type: field.type === "time" ? "datetime-local" : "text", step: field.type === "time" ? 1 : null, value: field.type === "time" ? value.replace(/(\.\d+)?Z$/, "") : value, list, "data-picks": named?.join(","), autocomplete: "off", dir: field.type === "text" ? "auto" : null, class: field.type === "code" ? "code" : null })}>`,
  )
}

/** Whether an input shares its line with others, which leaves no room for a textarea. */
const isInLine = (path: string, state: FormState): boolean =>
  promptOf(path.slice(0, path.lastIndexOf("/")), state)?.line === true ||
  promptOf(path.replace(/\/\d+(?:\|[^/]*)?\/[^/]*$/, ""), state)?.line === true

export const optionText = (value: string, path: string, state: FormState): string => promptOf(path, state)?.words?.[value] ?? words(value)

export function select(field: Field, path: string, options: readonly { value: string; text: string }[], state: FormState): Html {
  const value = state.draft.get(path)
  return labelled(
    { field, path, state },
    html`<select${attributes(common(field, path, state, promptOf(path, state)?.hint !== undefined))}><option value="">choose</option>${options.map(
      (option) =>
        html`<option value="${option.value}"${attributes({ selected: option.value === value })}>${promptOf(path, state)?.words?.[option.value] ?? option.text}</option>`,
    )}</select>`,
  )
}

/** A choice of more options is a text input with suggestions. */
export const MANY = 60

/** A text input with suggestions, for choices too long for a list. */
export function suggested(field: Field & { form: "choice" }, path: string, state: FormState): Html {
  const list = `${idOf(path)}-words`
  return labelled(
    { field, path, state, hint: html`One of ${field.options.length}, such as ${field.options.slice(0, 3).join(", ")}.` },
    html`<input${attributes({ ...common(field, path, state, true), type: "text", value: state.draft.get(path) ?? "", list, autocomplete: "off", class: "code" })}>
    <datalist id="${list}">${field.options.map((option) => html`<option value="${option}">`)}</datalist>`,
  )
}

/** How many checkboxes a list of objects shows. Those that are ticked are always shown. */
const MOST_BOXES = 8

interface Others {
  readonly choices: readonly Choice[]
  readonly named: readonly string[]
}

/** The label of the text input for objects without a checkbox. */
const othersLabel = ({ choices }: Others): string => {
  const label = /^[A-Z]\d+(?=:)/.exec(choices.at(-1)?.text ?? "")?.[0]
  return label === undefined ? "name, or the address of a page" : `label such as ${label}, or the address of a page`
}

export function boxes(
  field: Field,
  path: string,
  options: readonly { value: string; text: string }[],
  state: FormState,
  others?: Others,
): Html {
  const chosen = state.draft
    .getAll(path)
    .flatMap((value) => (others === undefined || /^[\s,0-9a-f-]+$/i.test(value) ? value.split(/[\s,]+/) : [value]))
  const unknown = chosen.filter((value) => value !== "" && !options.some((option) => option.value === value))
  const shown = options.filter(({ value }, index) => index >= options.length - MOST_BOXES || chosen.includes(value))
  const isWrong = state.faults.has(path)
  return html`<fieldset class="field choices${isWrong ? " wrong" : ""}"><legend>${nameAt(field, path, state)}${optional(field, path, state)}</legend>
    ${hintOf(path, promptOf(path, state)?.hint)}${shown.map(
      (option, index) =>
        html`<label><input${attributes({ type: "checkbox", name: path, id: index === 0 && others === undefined ? idOf(path) : `${idOf(path)}-${index}`, value: option.value, checked: chosen.includes(option.value), "aria-describedby": isWrong ? `${idOf(path)}-fault` : null })}>${option.text}</label>`,
    )}${
      others === undefined
        ? null
        : html`<label class="hint" for="${idOf(path)}">${shown.length === 0 ? "By" : "Others, by"} ${othersLabel(others)}</label>
    <input${attributes({ id: idOf(path), name: path, type: "text", value: unknown.join(", "), autocomplete: "off", list: others.choices.length === 0 ? null : listId(others.named), "data-picks": others.named.join(","), "aria-invalid": isWrong ? "true" : null, "aria-describedby": isWrong ? `${idOf(path)}-fault` : null })}>`
    }${faultsAt(path, state)}</fieldset>`
}

export function lines(field: Field & { form: "lines" }, path: string, state: FormState): Html {
  if (field.named !== undefined) {
    const choices = choicesAmong(state.choices, field.named)
    const options = choices.map(({ id, text }) => ({ value: id, text }))
    return boxes(field, path, options, state, { choices, named: field.named })
  }
  const hint = field.name === "argv" ? "As typed in a terminal, or one part a line." : "One a line."
  return labelled(
    { field, path, state, hint },
    html`<textarea${attributes({ ...common(field, path, state, true), required: field.required && field.least > 0, class: field.name === "argv" ? "code" : null })}>${state.draft.getAll(path).join("\n")}</textarea>`,
  )
}
