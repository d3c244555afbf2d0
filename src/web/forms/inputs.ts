/** Renders the inputs of a form, each with its label, its hint and any fault. */
import { figureTypes, uploadFigure, uploadLog } from "../../contract/definitions/attachments.ts"
import { limits } from "../../contract/limits.ts"
import { ANOTHER, type Prompt, placeOf, type Sheet } from "./sheets/sheet.ts"
import { attributes, type Content, type Html, html, to } from "../html.ts"
import { calledByForms, words } from "../words.ts"
import { type Choice, choicesAmong, LOG_CASE } from "./choices.ts"
import type { Draft } from "./draft.ts"
import type { Field } from "./fields.ts"
import type { AtHand } from "./reading.ts"

export interface FormState extends AtHand {
  readonly draft: Draft
  /** Sentences by input name. */
  readonly faults: ReadonlyMap<string, readonly string[]>
  /** Inputs with a known value, which are sent as hidden fields. */
  readonly hidden: ReadonlySet<string>
  readonly sheet: Sheet | undefined
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
type Named = Pick<Field, "name" | "required">

/**
 * The word "optional" after a label. Inputs that are needed when shown, and alternatives of which one is needed, do not
 * get it.
 */
export function optional({ required }: Named, path: string, { needed }: FormState): Html | null {
  const isNeeded = needed.has(path) || needed.has(path.slice(0, path.lastIndexOf("/")))
  return required || isNeeded ? null : html` <span class="optional">optional</span>`
}

/**
 * Marks an input that belongs to another option of a choice. The page hides it before the script loads, so that nothing
 * moves.
 */
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
export const nameAt = ({ name }: Named, prompt: Prompt | undefined): string =>
  prompt?.label ?? calledByForms(name || "value")

export const listId = (named: readonly string[] = []) => `choices-${named.join("-")}`
export const suggestedId = (what: string): string => `suggested-${what}`

/**
 * The script opens a file dialog in place of these links, and reads the upload address and the limits from their
 * attributes. Only pictures have a page that uploads them without it.
 */
const uploadLinks = {
  picture: html`<p class="hint"><a href="${to("/pictures")}" target="_blank"${attributes({
    "data-upload": to(uploadFigure.browserPath),
    "data-what": "picture",
    "data-types": Object.keys(figureTypes).join(","),
    "data-most": limits.figureBytes,
  })}>Upload a picture</a></p>`,
  log: html`<p class="hint"><a href="#"${attributes({
    "data-upload": to(uploadLog.browserPath),
    "data-what": "log",
    "data-sent-as": uploadLog.mediaType,
    "data-most": limits.logBodyBytes,
  })}>Upload a log</a></p>`,
}

interface Labelled {
  readonly field: Named
  readonly path: string
  readonly state: FormState
  /** Shown if the sheet has no hint. */
  readonly hint?: Content
  readonly prompt?: Prompt | undefined
}
type Attributes = Parameters<typeof attributes>[0]

/** A labelled input. @param input renders the input with the attributes that every input has */
export function labelled(
  { field, path, state, hint, prompt = promptOf(path, state) }: Labelled,
  input: (given: Attributes) => Html,
): Html {
  const shown = prompt?.hint ?? hint
  const isWrong = state.faults.has(path)
  const described = [shown == null ? null : `${idOf(path)}-hint`, isWrong ? `${idOf(path)}-fault` : null].filter(
    (id) => id !== null,
  )
  const given = {
    id: idOf(path),
    name: path,
    required: field.required,
    "aria-invalid": isWrong ? "true" : null,
    "aria-describedby": described.length === 0 ? null : described.join(" "),
  }
  const { upload } = prompt ?? {}
  const isScripted = upload === "log"
  return html`<div class="field${isWrong ? " wrong" : ""}${isScripted ? " scripted" : ""}"\
${attributes(onlyWith(path, state))}>\
<label for="${idOf(path)}">${nameAt(field, prompt)}${optional(field, path, state)}</label>
    ${input(given)}${hintOf(path, shown)}${upload === undefined ? null : uploadLinks[upload]}\
${faultsAt(path, state)}</div>`
}

/** The hint for choosing an object that is not in the list. Collections have no labels. */
const pickingHint = (named: readonly string[]): string =>
  named.every((kind) => kind === "collection") ? "Choose one of your Collections." : ANOTHER

export function text(field: Field & { form: "text" }, path: string, state: FormState): Html {
  const prompt = promptOf(path, state)
  const { named, type } = field
  const choices = choicesAmong(state.choices, named)
  const typed = state.draft.get(path) ?? ""
  // An id is shown as the label and title of its object, if that is listed.
  const value = named === undefined ? typed : (choices.find(({ id }) => id === typed)?.text ?? typed)
  const hint =
    type === "time"
      ? "In UTC."
      : named === undefined
        ? field.hint
        : prompt === undefined
          ? pickingHint(named)
          : undefined
  const at = { field, path, state, hint }
  const maxlength = named === undefined ? field.max : 400
  if (field.long && prompt?.tall !== 1 && (prompt === undefined || prompt.tall !== undefined || !isInLine(path, state)))
    return labelled(
      at,
      (given) =>
        html`<textarea${attributes({ ...given, maxlength, rows: prompt?.tall, dir: "auto" })}>\
${value === "" ? null : html`\n${value}`}</textarea>`,
    )
  const suggested = path.endsWith(`${LOG_CASE}/attemptId`) ? "logs" : prompt?.suggested
  const list = suggested !== undefined ? suggestedId(suggested) : choices.length === 0 ? null : listId(named)
  const shown =
    type === "time"
      ? { type: "datetime-local", step: 1, value: value.replace(/(\.\d+)?Z$/, "") }
      : { type: "text", value }
  const look = { dir: type === "text" ? "auto" : null, class: type === "code" ? "code" : null }
  return labelled(
    at,
    (given) =>
      html`<input${attributes({
        ...given,
        maxlength,
        ...shown,
        list,
        "data-picks": named?.join(","),
        autocomplete: "off",
        ...look,
      })}>`,
  )
}

/** Whether an input shares its line with others, which leaves no room for a textarea. */
const isInLine = (path: string, state: FormState): boolean =>
  promptOf(path.slice(0, path.lastIndexOf("/")), state)?.line === true ||
  promptOf(path.replace(/\/\d+(?:\|[^/]*)?\/[^/]*$/, ""), state)?.line === true

const yesOrNo = new Map([
  ["true", "yes"],
  ["false", "no"],
])
export const optionText = (value: string, path: string, state: FormState): string =>
  promptOf(path, state)?.words?.[value] ?? yesOrNo.get(value) ?? words(value)

export function select(field: Named, path: string, values: readonly string[], state: FormState): Html {
  const chosen = state.draft.get(path)
  const option = (value: string) =>
    html`<option value="${value}"${attributes({ selected: value === chosen })}>\
${optionText(value, path, state)}</option>`
  return labelled(
    { field, path, state },
    (given) => html`<select${attributes(given)}><option value="">choose</option>${values.map(option)}</select>`,
  )
}

/** A choice of more options is a text input with suggestions. */
export const MANY = 60

/** A text input with suggestions, for choices too long for a list. */
export function suggested(field: Field & { form: "choice" }, path: string, state: FormState): Html {
  const list = `${idOf(path)}-words`
  return labelled(
    {
      field,
      path,
      state,
      hint: html`One of ${field.options.length}, such as ${field.options.slice(0, 3).join(", ")}.`,
    },
    (given) => html`<input${attributes({
      ...given,
      type: "text",
      value: state.draft.get(path) ?? "",
      list,
      autocomplete: "off",
      class: "code",
    })}>
    <datalist id="${list}">${field.options.map((option) => html`<option value="${option}">`)}</datalist>`,
  )
}

/** How many checkboxes a list of objects shows. Those that are ticked are always shown. */
const MOST_BOXES = 8

/** The label of the text input for objects without a checkbox. */
const othersLabel = (choices: readonly Choice[]): string => {
  const label = /^[A-Z]\d+(?=:)/.exec(choices[0]?.text ?? "")?.[0]
  return label === undefined ? "name, or the address of a page" : `label such as ${label}, or the address of a page`
}

/** Checkboxes. @param named the kinds of object that can also be named in a text input */
/** Renders a choice as buttons beside each other. */
export const radios = (path: string, values: readonly string[], state: FormState): Html =>
  html`<fieldset class="field acts${state.faults.has(path) ? " wrong" : ""}"><legend>${promptOf(path, state)?.label}\
</legend>${values.map(
    (value, index) =>
      html`<label><input${attributes({
        type: "radio",
        id: index === 0 ? idOf(path) : null,
        name: path,
        value,
        required: true,
        checked: state.draft.get(path) === value,
        "aria-invalid": state.faults.has(path) ? "true" : null,
      })}>${optionText(value, path, state)}</label>`,
  )}${faultsAt(path, state)}</fieldset>`

export function boxes(
  field: Field,
  path: string,
  options: readonly Choice[],
  state: FormState,
  named?: readonly string[],
): Html {
  const chosen = state.draft
    .getAll(path)
    .flatMap((value) => (named === undefined || /^[\s,0-9a-f-]+$/i.test(value) ? value.split(/[\s,]+/) : [value]))
  const unknown = chosen.filter((value) => value !== "" && !options.some(({ id }) => id === value))
  const shown = options.filter(({ id }, index) => index < MOST_BOXES || chosen.includes(id))
  const isWrong = state.faults.has(path)
  return html`<fieldset class="field choices${isWrong ? " wrong" : ""}"><legend>${nameAt(field, promptOf(path, state))}\
${optional(field, path, state)}</legend>
    ${hintOf(path, promptOf(path, state)?.hint)}${shown.map(
      (option, index) =>
        html`<label><input${attributes({
          type: "checkbox",
          name: path,
          id: index === 0 && named === undefined ? idOf(path) : `${idOf(path)}-${index}`,
          value: option.id,
          checked: chosen.includes(option.id),
          "aria-invalid": isWrong && named === undefined ? "true" : null,
          "aria-describedby": isWrong ? `${idOf(path)}-fault` : null,
        })}>${option.text}</label>`,
    )}${
      named === undefined
        ? null
        : html`<label class="hint" for="${idOf(path)}">${shown.length === 0 ? "By" : "Others, by"} \
${othersLabel(options)}</label>
    <input${attributes({
      id: idOf(path),
      name: path,
      type: "text",
      value: unknown.join(", "),
      autocomplete: "off",
      list: options.length === 0 ? null : listId(named),
      "data-picks": named.join(","),
      "aria-invalid": isWrong ? "true" : null,
      "aria-describedby": isWrong ? `${idOf(path)}-fault` : null,
    })}>`
    }${faultsAt(path, state)}</fieldset>`
}

export function lines(field: Field & { form: "lines" }, path: string, state: FormState): Html {
  if (field.named !== undefined) return boxes(field, path, choicesAmong(state.choices, field.named), state, field.named)
  const hint = field.name === "argv" ? "As typed in a terminal, or one part per line." : "One per line."
  return labelled(
    { field, path, state, hint },
    (given) =>
      html`<textarea${attributes({
        ...given,
        required: field.required && field.least > 0,
        class: field.name === "argv" ? "code" : null,
      })}>${state.draft.getAll(path).join("\n")}</textarea>`,
  )
}
