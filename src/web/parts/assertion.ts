/** Renders a statement: its wording with the concepts underlined, and its roles as a table. */
import type { Assertion, Concepts } from "../../contract/definitions/science.ts"
import { type Content, type Html, html, to } from "../html.ts"
import type { LinkedNumber } from "../linked-numbers.ts"
import { inlineMarkdown } from "../markdown.ts"
import { words } from "../words.ts"
import { table } from "./parts.ts"

/** Renders the wording with its concepts underlined and their definitions as tooltips. Formulas and code stay whole. */
export function wording(text: string, concepts: Concepts, numbers: readonly LinkedNumber[] = []): Html {
  const named = Object.entries(concepts).filter(([, { label }]) => label.length > 2)
  if (named.length === 0) return inlineMarkdown(text, numbers)
  const part = (from: number, to?: number) =>
    inlineMarkdown(
      text.slice(from, to),
      numbers.filter(({ start }) => start >= from && start < (to ?? text.length)),
    )
  const longestFirst = named
    .map(([, { label }]) => RegExp.escape(label))
    .sort((one, other) => other.length - one.length)
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${longestFirst.join("|")})(?![\\p{L}\\p{N}])`, "giu")
  const rendered: Content[] = []
  let last = 0
  for (const match of text.matchAll(pattern)) {
    const before = text.slice(0, match.index)
    // Nothing is underlined within a formula or code.
    if ((before.match(/(?<!\\)\$/g)?.length ?? 0) % 2 === 1 || (before.match(/`/g)?.length ?? 0) % 2 === 1) continue
    const found = named.find(([, { label }]) => label.toLowerCase() === match[0].toLowerCase())
    if (found === undefined) continue
    const [key, concept] = found
    rendered.push(
      part(last, match.index),
      html`<span class="with-tip">\
<a class="concept" href="#concept-${key}" aria-describedby="tip-${key}-${match.index}">${match[0]}</a>\
<span class="tip" role="tooltip" id="tip-${key}-${match.index}">${concept.definition}</span></span>`,
    )
    last = match.index + match[0].length
  }
  rendered.push(part(last))
  return html`${rendered}`
}

type Value = Assertion["roles"][number]["value"] | Assertion["predicate"]

function roleValue(value: Value, concepts: Concepts, named: (versionId: string) => Content): Content {
  switch (value.type) {
    case "concept":
      return html`<a class="concept" href="#concept-${value.key}">${concepts[value.key]?.label ?? value.key}</a>`
    case "concept_ref":
      return html`<a class="concept" href="${to(`/records/${value.versionId}#concept-${value.key}`)}">\
${words(value.key)}</a>, as ${named(value.versionId)} defines it`
    case "record":
      return named(value.versionId)
    case "decimal":
      return html`${value.value} ${value.unit}`
    case "boolean":
      return value.value ? "yes" : "no"
    case "text":
      return inlineMarkdown(value.value)
  }
}

export const rolesTable = (
  { predicate, roles }: Assertion,
  concepts: Concepts,
  named: (versionId: string) => Content,
): Html =>
  table(
    "Roles",
    ["Role", "What", "Meaning of the role"],
    [
      html`<tr><th scope="row">predicate</th><td>${roleValue(predicate, concepts, named)}</td>\
<td class="quiet">What is said of the roles below.</td></tr>`,
      ...roles.map(
        ({ role, definition, value }) =>
          html`<tr><th scope="row">${words(role)}</th><td>${roleValue(value, concepts, named)}</td>\
<td class="quiet">${definition}</td></tr>`,
      ),
    ],
  )

/** The concepts that a record defines, each with an anchor. Null if it borrows all of them. */
export const conceptList = (concepts: Concepts): Html | null =>
  Object.keys(concepts).length === 0
    ? null
    : html`<dl class="facts">${Object.entries(concepts).map(
        ([key, { label, definition }]) => html`<div id="concept-${key}"><dt>\
<dfn>${label}</dfn>${label === key ? null : html`<br><code>${key}</code>`}</dt>
    <dd>${inlineMarkdown(definition)}</dd></div>`,
      )}</dl>`
