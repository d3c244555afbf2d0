/** The message above a refused form: the faults to correct, or what changed in the meantime. */
import { isUuid } from "../../contract/schema/fields.ts"
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { withQuery } from "../addresses.ts"
import type { Draft } from "../forms/draft.ts"
import { type Fault, nameOf } from "../forms/faults.ts"
import { idOf } from "../forms/inputs.ts"
import type { Sheet } from "../forms/sheets/sheet.ts"
import { type Html, html, to } from "../html.ts"
import { list } from "../parts/lists.ts"
import { facts } from "../parts/parts.ts"
import { remedyFor } from "../parts/remedies.ts"
import { title, words } from "../words.ts"

const plain = (value: unknown): string => (typeof value === "string" ? words(value) : String(value))

/** Compares the values that the form expected with the current ones. */
function moved({ details }: Refusal, draft: Draft): Html | null {
  const expected = details.current?.expected
  if (typeof expected !== "object" || expected === null) return null
  const rows = Object.entries(expected).flatMap(([name, now]) => {
    const then = draft.get(`/${name}`)
    if (then === null || then === String(now)) return []
    const what = title(name.replace(/^expected/, "")).replace("Watermark", "Newest entry")
    return [[what, `was ${plain(then)}, is now ${plain(now)}`] as const]
  })
  const [threadId, read] = [draft.get("/threadId"), draft.get("/expectedWatermark")]
  const arrived =
    threadId &&
    read &&
    html`<p><a href="${to(withQuery(`/threads/${threadId}`, { after: read }))}">Read what was written since</a></p>`
  if (rows.length === 0) return null
  return html`<h3>What changed while you wrote</h3>${facts(rows)}${arrived}\
<p>Your draft is below as you wrote it. If it is still right, send it again.</p>`
}

function currentState({ details }: Refusal): Html | null {
  const isId = (value: unknown) => typeof value === "string" && isUuid(value)
  const current = Object.entries(details.current ?? {}).filter(
    ([, value]) => typeof value !== "object" && value !== null && !isId(value),
  )
  if (current.length === 0) return null
  return html`<p>Current state:</p>${facts(current.map(([name, value]) => [title(name), plain(value)]))}`
}

/** Renders the message above the form. @param sent the draft as it was sent, with the values that it expected */
export function refusedForm(refusal: Refusal, faults: readonly Fault[], sent: Draft, sheet: Sheet | undefined): Html {
  const { code, details } = refusal
  const fault = ({ at, sentence }: Fault) => {
    const isAbout = sentence.startsWith("This ")
    return html`<li><a href="#${idOf(at)}">${isAbout ? nameOf(at, sheet) : sentence}</a>\
${isAbout ? `: ${sentence}` : null}</li>`
  }
  return html`<div class="refused" role="alert" id="refused" tabindex="-1"><h2>Not stored</h2>
    <p>${
      code === "invalid_schema" ? "Your draft is kept. Correct what is listed here and send it again." : refusal.message
    } ${details.committed === null ? "It is not known whether this was stored. Send it again as it is." : null}</p>
${list("", faults, fault, html`<p>${remedyFor(code)}</p>`)}
${moved(refusal, sent)}${currentState(refusal)}</div>`
}
