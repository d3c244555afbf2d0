/** A page for a request that cannot be answered: what happened, whether anything was stored, what to do. */
import { type Refusal, refusals } from "../../contract/refusals.ts"
import { html, to } from "../html.ts"
import type { Shown } from "../visit.ts"

export function refusedPage(refusal: Refusal): Shown {
  const { code, status, details } = refusal
  const missing = status === 404
  return {
    title: missing ? "Not here" : "Not possible",
    status,
    ...(details.retryAfter === undefined ? {} : { headers: { "retry-after": String(details.retryAfter) } }),
    body: html`<h1>${missing ? "There is nothing here" : "This could not be done"}</h1><p class="lead">${refusal.message}</p>
<p>${details.committed === null ? "Whether anything was stored is not known." : "Nothing was stored."} ${missing ? null : refusals[code].remedy}</p><p class="meta"><span>refusal <code>${code}</code></span><span>status ${status}</span></p>
<p><a href="${to("/")}">All Rooms</a></p>`,
  }
}
