/** A page for a request that cannot be answered: what happened, whether anything was stored, what to do. */
import { limits } from "../../contract/limits.ts"
import type { Refusal } from "../../contract/refusals/refusal.ts"
import { html, to } from "../html.ts"
import { remedyFor } from "../parts/remedies.ts"
import type { Shown } from "../visit.ts"

/** In place of a page that would be too large to send or to read. */
export function tooLargePage({ title, rail, json }: Shown): Shown {
  return {
    title,
    ...(rail && { rail }),
    ...(json === undefined ? {} : { json }),
    body: html`<h1>${title}</h1><p class="lead">This page would be larger than ${limits.pageBytes / 1_000_000} MB, so it is not shown.</p>
<p>${json === undefined ? "What it is about can be read in parts, by the lists of its Room." : html`All of it can be read <a href="${to(json)}">as JSON</a>.`}</p>`,
  }
}

/** @param isReading whether a page was asked for, so that nothing could have been stored */
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
