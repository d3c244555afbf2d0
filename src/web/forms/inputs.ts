/** The inputs of a form, each with its label, its hint and, after a refusal, what is wrong with it. */
import { figureTypes, uploadFigure } from "../../contract/definitions/figure-routes.ts"
import { limits } from "../../contract/limits.ts"
import { ANOTHER } from "./sheets/sheet.ts"
import { attributes, type Content, type Html, html, to, toNow } from "../html.ts"
import { calledByForms, words } from "../words.ts"
import { type Choice, type Choices, choicesAmong } from "./choices.ts"
import type { Draft } from "./draft.ts"
import type { Field } from "./fields.ts"
import type { Output } from "./outputs.ts"
import { type Asked, placeOf, type Sheet } from "./sheets/sheet.ts"
import type { Suggestions } from "./suggestions.ts"

export interface FormState {
  readonly draft: Draft
  /** Sentences by the name of the input. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  readonly choices: Choices
  /** Inputs that are known already and not asked for. */
  readonly hidden: ReadonlySet<string>
  readonly sheet: Sheet | undefined
  readonly suggestions: Suggestions
  readonly outputs: readonly Output[]
  /** By input: the choice, and its words, that it belongs to alone. */
  readonly only: ReadonlyMap<string, string>
  /** Inputs that must be filled wherever they are shown. */
  readonly needed: ReadonlySet<string>
}

/** An id that may stand in markup. */
export const idOf = (path: string): string => `f${path.replace(/[^A-Za-z0-9]/g, "-")}`

/** How a place is asked for, where a sheet says so. */
export const askedOf = (path: string, { sheet }: FormState): Asked | undefined => sheet?.asks[placeOf(path)]

export const faultsAt = (path: string, { faults }: FormState): Html | null => {
  const found = faults.get(path)
  return found === undefined ? null : html`<p class="fault" id="${idOf(path)}-fault">${found.join(" ")}</p>`
}
/** Said of what may be left out. Of what is needed wherever it is shown, and of the parts one of which must be given, nothing is. */
export function optional({ required }: Field, path: string, { needed }: FormState): Html | null {
  const isNeeded = needed.has(path) || needed.has(path.slice(0, path.lastIndexOf("/")))
  return required || isNeeded ? null : html` <span class="optional">optional</span>`
}

/** What belongs to other words of a choice than the one that is made: marked, so that the page with a script stands still while it comes. */
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
  askedOf(path, state)?.label ?? calledByForms(field.name || "value")

/** What an input has in common with all others. */
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

/** A script lets it choose a file at once, and reads here where it goes and what is taken. */
const pictureLink = html`<p class="hint"><a href="${to("/pictures")}" target="_blank"${attributes({
  "data-upload": toNow(uploadFigure.browserPath),
  "data-types": Object.keys(figureTypes).join(","),
  "data-most": limits.figureBytes,
})}>Upload a picture</a></p>`

interface Labelled {
  readonly field: Field
  readonly path: string
  readonly state: FormState
  /** Said below it, where the sheet says nothing. */
  readonly hint?: Content
}

/** A labelled input. */
export function labelled({ field, path, state, hint }: Labelled, input: Html): Html {
  const asked = askedOf(path, state)
  return html`<div class="field${state.faults.has(path) ? " wrong" : ""}"${attributes(onlyWith(path, state))}><label for="${idOf(path)}">${nameAt(field, path, state)}${optional(field, path, state)}</label>
    ${input}${hintOf(path, asked?.hint ?? hint)}${asked?.isPicture === true ? pictureLink : null}${faultsAt(path, state)}</div>`
}

/** How one is named that the list does not hold; Collections have no labels. */
const pickingHint = (named: readonly string[]): string =>
  named.every((kind) => kind === "collection") ? "Choose one of your Collections." : ANOTHER

/** What an input of an id shows for it: the object's label and title, where it is one of those listed. */
const shownOf = (value: string, choices: readonly Choice[]): string => choices.find(({ id }) => id === value)?.text ?? value

export function text(field: Field & { form: "text" }, path: string, state: FormState): Html {
  const asked = askedOf(path, state)
  const { named } = field
  const choices = choicesAmong(state.choices, named)
  const value = named === undefined ? (state.draft.get(path) ?? "") : shownOf(state.draft.get(path) ?? "", choices)
  const hint = field.type === "time" ? "In UTC." : named === undefined ? field.hint : asked === undefined ? pickingHint(named) : undefined
  const isHinted = (asked?.hint ?? hint) !== undefined
  const given = {
    ...common(field, path, state, isHinted),
    maxlength: named === undefined ? field.max : 400,
    rows: asked?.tall === 1 ? null : asked?.tall,
  }
  if (field.long && asked?.tall !== 1 && (asked === undefined || asked.tall !== undefined || !isInLine(path, state)))
    return labelled(
      { field, path, state, hint },
      html`<textarea${attributes({ ...given, dir: "auto" })}>${value === "" ? null : html`\n${value}`}</textarea>`,
    )
  const suggested = asked?.suggested
  const list = suggested !== undefined ? suggestedId(suggested) : choices.length === 0 ? null : listId(named)
  return labelled(
    { field, path, state, hint },
    html`<input${attributes({ ...given, rows: null, type: field.type === "time" ? "datetime-local" : "text", step: field.type === "time" ? 1 : null, value: field.type === "time" ? value.replace(/(\.\d+)?Z$/, "") : value, list, "data-picks": named?.join(","), autocomplete: "off", dir: field.type === "text" ? "auto" : null, class: field.type === "code" ? "code" : null })}>`,
  )
}

/** Whether an input stands beside others, where there is no room for several lines. */
const isInLine = (path: string, state: FormState): boolean =>
  askedOf(path.slice(0, path.lastIndexOf("/")), state)?.line === true ||
  askedOf(path.replace(/\/\d+(?:\|[^/]*)?\/[^/]*$/, ""), state)?.line === true

export const told = (value: string, path: string, state: FormState): string => askedOf(path, state)?.words?.[value] ?? words(value)

export function select(field: Field, path: string, options: readonly { value: string; text: string }[], state: FormState): Html {
  const value = state.draft.get(path)
  return labelled(
    { field, path, state },
    html`<select${attributes(common(field, path, state, askedOf(path, state)?.hint !== undefined))}><option value="">choose</option>${options.map(
      (option) =>
        html`<option value="${option.value}"${attributes({ selected: option.value === value })}>${askedOf(path, state)?.words?.[option.value] ?? option.text}</option>`,
    )}</select>`,
  )
}

/** Choices beyond which nobody reads a list. */
export const MANY = 60

/** Words of which there are too many to look through: typed, with suggestions. */
export function suggested(field: Field & { form: "choice" }, path: string, state: FormState): Html {
  const list = `${idOf(path)}-words`
  return labelled(
    { field, path, state, hint: html`One of ${field.options.length}, such as ${field.options.slice(0, 3).join(", ")}.` },
    html`<input${attributes({ ...common(field, path, state, true), type: "text", value: state.draft.get(path) ?? "", list, autocomplete: "off", class: "code" })}>
    <datalist id="${list}">${field.options.map((option) => html`<option value="${option}">`)}</datalist>`,
  )
}

/** Boxes of a list of objects that are shown: the newest, and those that are ticked. */
const MOST_BOXES = 8

interface Others {
  readonly choices: readonly Choice[]
  readonly named: readonly string[]
}

/** How objects are called that no box is there for. */
const named = ({ choices }: Others): string => {
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
    ${hintOf(path, askedOf(path, state)?.hint)}${shown.map(
      (option, index) =>
        html`<label><input${attributes({ type: "checkbox", name: path, id: index === 0 && others === undefined ? idOf(path) : `${idOf(path)}-${index}`, value: option.value, checked: chosen.includes(option.value), "aria-describedby": isWrong ? `${idOf(path)}-fault` : null })}>${option.text}</label>`,
    )}${
      others === undefined
        ? null
        : html`<label class="hint" for="${idOf(path)}">${shown.length === 0 ? "By" : "Others, by"} ${named(others)}</label>
    <input${attributes({ id: idOf(path), name: path, type: "text", value: unknown.join(", "), autocomplete: "off", list: others.choices.length === 0 ? null : listId(others.named), "data-picks": others.named.join(","), "aria-invalid": isWrong ? "true" : null, "aria-describedby": isWrong ? `${idOf(path)}-fault` : null })}>`
    }${faultsAt(path, state)}</fieldset>`
}

export function lines(field: Field & { form: "lines" }, path: string, state: FormState): Html {
  if (field.named !== undefined) {
    const choices = choicesAmong(state.choices, field.named)
    const options = choices.map(({ id, text: said }) => ({ value: id, text: said }))
    return boxes(field, path, options, state, { choices, named: field.named })
  }
  const hint = field.name === "argv" ? "As typed in a terminal, or one part a line." : "One a line."
  return labelled(
    { field, path, state, hint },
    html`<textarea${attributes({ ...common(field, path, state, true), required: field.required && field.least > 0, class: field.name === "argv" ? "code" : null })}>${state.draft.getAll(path).join("\n")}</textarea>`,
  )
}
