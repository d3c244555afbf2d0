/** An input of the forms for signing in and for accounts. */
import { attributes, type Html, html } from "../html.ts"

/** @param faults what is wrong with its value */
export const field = (
  name: string,
  text: string,
  more: Readonly<Record<string, string | number | boolean | null>>,
  faults: readonly string[] = [],
  hint?: string,
): Html =>
  html`<div class="field${faults.length > 0 ? " wrong" : ""}"><label for="${name}">${text}</label>
    <input${attributes({ id: name, name, required: true, "aria-invalid": faults.length > 0 ? "true" : null, "aria-describedby": faults.length > 0 ? `${name}-fault` : hint === undefined ? null : `${name}-hint`, ...more })}>${
      hint === undefined ? null : html`<p class="hint" id="${name}-hint">${hint}</p>`
    }${faults.length === 0 ? null : html`<p class="fault" id="${name}-fault">${faults.map((fault) => `It ${fault}. `)}</p>`}</div>`
