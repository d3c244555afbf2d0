/**
 * What a finding says about its experiment's question and hypotheses: part of the finding's form, but sent as a second
 * write.
 */
import { randomUUID } from "node:crypto"
import type { Operation } from "../../contract/definitions/operation.ts"
import { isObject } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import type { Issue } from "../../contract/refusals.ts"
import { type Html, html } from "../html.ts"
import { shortened } from "../words.ts"
import { choicesAmong } from "./choices.ts"
import { companionOf, SAYS } from "./sheets/sheet.ts"
import { countName, type Draft, itemCount } from "./draft.ts"
import type { Field } from "./fields.ts"
import { faultsAt, type FormState } from "./inputs.ts"
import { addButton, fields, removeButton } from "./render.ts"

const HYPOTHESES = `${SAYS}/towardHypothesis`
/** The input with the delivery id of the second write, so that a form sent twice stores it once. */
const DELIVERY = `${SAYS}/~id`

function hypotheses(list: Field & { form: "list" }, texts: ReadonlyMap<string, string>, state: FormState): Html {
  const { draft, sheet } = state
  const { item } = list
  const count = itemCount(draft, HYPOTHESES, 1, list.most)
  const rows = Array.from({ length: count }, (_, index) => {
    const at = `${HYPOTHESES}/${index}`
    const text = texts.get(draft.get(`${at}/versionId`) ?? "")
    if (item.form !== "object") return null
    if (text === undefined)
      return html`<fieldset class="row line"><legend class="aside">Hypothesis ${index + 1}</legend>\
${faultsAt(at, state)}${fields(item.fields.filter(isWhole), at, state)}\
${count === 1 ? null : removeButton(at, "hypothesis", index)}</fieldset>`
    const hidden = state.hidden.union(new Set([`${at}/versionId`]))
    return html`<fieldset class="row line"><legend><bdi>${text}</bdi></legend>${faultsAt(at, state)}\
${fields(item.fields.filter(isWhole), at, { ...state, hidden })}</fieldset>`
  })
  return html`<input type="hidden" name="${countName(HYPOTHESES)}" value="${count}">${rows}\
${addButton(HYPOTHESES, sheet?.prompts[HYPOTHESES]?.row ?? "hypothesis")}`
}

const isPart = ({ name }: Field): boolean => name === "part"
const isWhole = (field: Field): boolean => !isPart(field)

/** The fold for verdicts that hold for a part of a hypothesis. It is seldom needed, so it stands after the verdicts. */
function parts({ item, most }: Field & { form: "list" }, texts: ReadonlyMap<string, string>, state: FormState): Html {
  const { draft } = state
  const rows = Array.from({ length: itemCount(draft, HYPOTHESES, 1, most) }, (_, index) => `${HYPOTHESES}/${index}`)
  const isOpen = rows.some((at) => (draft.get(`${at}/part`) ?? "") !== "" || faultsAt(`${at}/part`, state) !== null)
  const named = (at: string, index: number) =>
    texts.get(draft.get(`${at}/versionId`) ?? "") ?? `Hypothesis ${index + 1}`
  return html`<details class="fold"${isOpen ? html` open` : null}><summary>Only for a part of it</summary>${rows.map(
    (at, index) =>
      item.form === "object" &&
      html`<fieldset class="row line"><legend><bdi>${named(at, index)}</bdi></legend>\
${fields(item.fields.filter(isPart), at, state)}</fieldset>`,
  )}</details>`
}

/** Renders the question "What does this say about H1?". */
export function saying(field: Field & { form: "object" }, state: FormState): Html {
  const { draft, choices } = state
  const texts = new Map(choicesAmong(choices, ["hypothesis"]).map(({ id, text }) => [id, text]))
  const named = [...texts].flatMap(([id, text]) =>
    [...draft].some(([name, value]) => value === id && name.startsWith(`${HYPOTHESES}/`))
      ? text.slice(0, text.indexOf(":"))
      : [],
  )
  const [list, ...rest] = field.fields
  return html`<fieldset class="says">\
<legend>What does this say${named.length === 0 ? " about a hypothesis?" : ` about ${named.join(" and ")}?`} \
<span class="optional">optional</span></legend>${faultsAt(SAYS, state)}
<input type="hidden" name="${DELIVERY}" value="${draft.get(DELIVERY) ?? randomUUID()}">\
${list?.form === "list" ? hypotheses(list, texts, state) : null}${fields(rest, SAYS, state)}\
${list?.form === "list" ? parts(list, texts, state) : null}</fieldset>`
}

/**
 * The write that a form makes, and its second write, if any: each with a function that converts an issue's pointer into
 * the name of its input.
 */
export type Parted = ReturnType<typeof parted>
/** The second write of a form. */
export type Also = NonNullable<Parted["also"]>

const list = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isObject).map((row) => ({ ...row })) : []
const isSaid = (row: Readonly<Record<string, unknown>>): boolean =>
  row.verdict !== undefined || (row.explanation ?? "") !== ""

/**
 * Converts pointers into a list to the rows of the form that its items came from. @param offset items that came from
 * elsewhere
 */
const moved =
  (list: string, offset: number, to: string, rows: readonly number[]) =>
  (path: string): string => {
    const [row = "", ...rest] = path.startsWith(`${list}/`) ? path.slice(list.length + 1).split("/") : []
    const place = row === "" ? undefined : rows[Number(row) - offset]
    return place === undefined ? path : [to, place, ...rest].join("/")
  }

/**
 * Splits the statements about hypotheses from the body of a finding. A finding that comes from no experiment makes them
 * by its own references. The finding's wording replaces a missing explanation.
 */
export function parted(operation: Operation, draft: Draft, whole: Readonly<Record<string, unknown>>) {
  const other = companionOf(operation.name)
  const { says, ...body } = whole
  const asIs = (path: string) => path
  if (other === undefined || !isObject(says)) return { body, at: asIs, also: null }
  const hypotheses = list(says.towardHypothesis).map((row, index) => ({ row, index }))
  const rows = hypotheses.filter(({ row }) => isSaid(row))
  const places = rows.map(({ index }) => index)
  const question = isObject(says.towardQuestion) ? { ...says.towardQuestion } : {}
  if (rows.length === 0 && !isSaid(question)) return { body, at: asIs, also: null }
  const wording = isObject(body.assertion) && typeof body.assertion.wording === "string" ? body.assertion.wording : ""
  const explained = <R extends Readonly<Record<string, unknown>>>(row: R) => ({
    ...row,
    explanation: row.explanation ?? shortened(wording, limits.explanation),
  })
  const execution =
    isObject(body.provenance) && isObject(body.provenance.execution) ? body.provenance.execution : undefined
  if (execution === undefined) {
    const own = list(body.references)
    const purposeOf = ({ verdict }: Readonly<Record<string, unknown>>) =>
      verdict === "inconclusive" ? "related" : verdict
    const references = rows.map(({ row: { verdict, ...row } }) => ({
      ...explained(row),
      purpose: purposeOf({ verdict }),
    }))
    return {
      body: { ...body, references: [...own, ...references] },
      at: moved("/references", own.length, HYPOTHESES, places),
      also: null,
    }
  }
  const inRow = moved("/towardHypothesis", 0, HYPOTHESES, places)
  return {
    body,
    at: asIs,
    also: {
      operation: other,
      body: {
        schemaVersion: other.schemaVersion,
        [other.delivery]: draft.get(DELIVERY) ?? randomUUID(),
        experimentId: execution.experimentId,
        towardQuestion: explained(question),
        towardHypothesis: rows.map(({ row }) => explained(row)),
      },
      at: (path: string) => {
        if (path.startsWith("/experimentId")) return "/provenance/execution/experimentId"
        return path.startsWith("/towardHypothesis") ? inRow(path) : `${SAYS}${path}`
      },
    },
  }
}

/** Moves an issue of either write to its input in the form. */
export function inForm({ path, message }: Issue, { at, also }: Parted): Issue {
  const [, writes = "", index = "", ...inside] = path.split("/")
  if (writes !== "writes") return { path: at(path), message }
  const within = `/${inside.slice(inside[0] === "body" ? 1 : 0).join("/")}`.replace(/^\/$/, "")
  return { path: index === "1" && also !== null ? also.at(within) : at(within), message }
}
