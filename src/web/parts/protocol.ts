/** Renders a protocol: its summary, steps, and arms with their commands. */
import { accepted } from "../../contract/reads/accepted.ts"
import { type Html, html } from "../html.ts"
import { inlineMarkdown, markdown } from "../markdown.ts"
import { argv, jsonBlock, table } from "./parts.ts"

/** @param stored a protocol as it was accepted */
export function protocolParts(stored: unknown, id: string): Html {
  const { summary, steps, arms, entrypoint, configuration, successCriteria } = accepted("protocol", stored)
  return html`${markdown(summary)}
${steps.length === 0 ? null : html`<ol>${steps.map((step) => html`<li dir="auto">${inlineMarkdown(step)}</li>`)}</ol>`}
${entrypoint === undefined ? null : html`<p>Entry point: ${argv(entrypoint.argv)}</p>`}
${
  arms.length === 0
    ? null
    : table(
        "Arms",
        ["Arm", "Command", "What sets it apart"],
        arms.map(
          (arm) => html`<tr id="arm-${id}-${arms.indexOf(arm)}"><th scope="row">${arm.name}</th>
  <td>${argv(arm.argv)}</td><td>${arm.description === undefined ? null : inlineMarkdown(arm.description)}</td></tr>`,
        ),
        "caption",
      )
}
${successCriteria === undefined ? null : html`<p>It succeeds if:</p><ul>${successCriteria.map((criterion) => html`<li dir="auto">${inlineMarkdown(criterion)}</li>`)}</ul>`}
${configuration === undefined ? null : html`<details><summary>Configuration</summary>${jsonBlock(configuration)}</details>`}`
}
