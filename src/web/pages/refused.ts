/** The pages for a refused request and for a page that is too large. */
import { limits } from "../../contract/limits.ts"
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { html, to } from "../html.ts"
import { remedyFor } from "../parts/remedies.ts"
import type { Shown } from "../visit.ts"

/** Returns a message in place of a page that is too large. */
export function tooLargePage({ title, rail, json }: Shown): Shown {
  return {
    title,
    ...(rail && { rail }),
    ...(json === undefined ? {} : { json }),
    body: html`<h1>${title}</h1><p class="lead">This page would be larger than ${limits.pageBytes / 1_000_000} MB, so it is not shown.</p>
<p>${json === undefined ? "You can read its content in parts, in the lists of its Room." : html`You can read all of it <a href="${to(json)}">as JSON</a>.`}</p>`,
  }
}

/** Returns the page for a refusal. @param isReading whether the request could not have stored anything */
export function refusedPage(refusal: Refusal, isReading: boolean): Shown {
  const { code, status, details } = refusal
  const missing = status === 404
  return {
    title: missing ? "Not found" : "Not possible",
    status,
    ...(details.retryAfter === undefined ? {} : { headers: { "retry-after": String(details.retryAfter) } }),
    body: html`<h1>${missing ? "Nothing found here" : "This could not be done"}</h1><p class="lead">${refusal.message}</p>
${missing ? null : html`<p>${isReading ? null : details.committed === null ? "It is not known whether anything was stored." : "Nothing was stored."} ${remedyFor(code)}</p>`}<p class="meta"><span>code <code>${code}</code></span><span>status ${status}</span></p>
<p><a href="${to("/")}">All Rooms</a></p>`,
  }
}
