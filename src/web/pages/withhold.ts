/** The form to withhold text, and the page afterwards, which says where copies may remain. */
import type { Receipt } from "../../contract/answers/receipts.ts"
import { isUuid } from "../../contract/schema/fields.ts"
import { isKeyOf } from "../../contract/typed.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import { withholdingReasons, withWords } from "../../contract/nouns/withholding.ts"
import { placeInWords } from "../../contract/definitions/sentence.ts"
import type { StandingWrite } from "../../ledger/journal/withheld.ts"
import { entryPath, pathOf, type Html, html, to } from "../html.ts"
import type { Draft } from "../forms/draft.ts"
import { digest, empty, facts, heading, table } from "../parts/parts.ts"
import { roomRail } from "../parts/room-frame.ts"
import { mayWithhold, type Named } from "../parts/actions.ts"
import type { Shown, Visit } from "../visit.ts"
import { shortened, title, words } from "../words.ts"

/** Maximum number of characters shown of a text. */
const SHOWN = 400

function namedIn(draft: Draft): Named | undefined {
  const [entryId, versionId, sequence] = ["entryId", "versionId", "sequence"].map((name) =>
    draft.get(`/of/${name}`)?.toLowerCase(),
  )
  if (entryId !== undefined && isUuid(entryId)) return { entryId }
  if (versionId !== undefined && isUuid(versionId)) return { versionId }
  return sequence !== undefined && /^[1-9][0-9]{0,14}$/.test(sequence) ? { sequence: Number(sequence) } : undefined
}

function passages(visit: Visit, write: StandingWrite, draft: Draft): Html {
  const { withheld } = visit.tables
  const all = withheld.passages(write)
  const left = all.filter(({ isWithheld }) => !isWithheld)
  const chosen = new Set(draft.getAll("/fields"))
  if (left.length === 0 && all.length === 0) return empty("It contains no text that people wrote.")
  if (left.length === 0)
    return empty(
      withheld.isCleaned()
        ? "All its text is withheld already. The data files no longer hold any withheld text."
        : `All its text is withheld already. It is still being removed from the data files. ${withheld.waitsFor()}`,
    )
  return html`<fieldset class="boxes"><legend>What to withhold</legend>${left.map(({ place, text }, index) => {
    const id = `place-${index}`
    return html`<div class="passage">\
<input type="checkbox" id="${id}" name="/fields" \
value="${place}"${chosen.has(place) || left.length === 1 ? html` checked` : null}><label for="${id}">\
<strong>${title(placeInWords(place))}</strong> \
<span class="said" dir="auto">${shortened(withWords(text), SHOWN)}</span></label>\
</div>`
  })}</fieldset>`
}

/** What to do about an input that was left empty. */
const MISSING = {
  "/fields": "Choose what to withhold.",
  "/reason": "Choose why.",
  "/explanation": "Say why in a sentence.",
} as const
const isEmptied = (message: string): boolean => /^is required$|^must have at least 1 |^must be one of /.test(message)

/** Returns the form, for the Room's owner and for operators. */
export function withholdPage(visit: Visit, draft: Draft, refusal?: Refusal): Shown {
  const roomId = (draft.get("roomId") ?? "").toLowerCase()
  const room = visit.ask("room", { roomId })
  if (!mayWithhold(visit, room))
    throw new Refusal("role_required", "Only the owner of the Room or an operator can withhold text in it.", {
      current: { needed: ["owner"] },
    })
  const named = namedIn(draft)
  const write = named && visit.tables.withheld.write(roomId, named)
  if (named === undefined || write === undefined)
    return {
      title: "Withhold",
      rail: roomRail(room),
      body: html`<h1>Withhold text</h1>${empty(
        "Choose an entry first. Each entry of the Room's activity has a link to this form.",
        html`<a class="button" href="${to(`/rooms/${roomId}/activity`)}">The Room's activity</a>`,
      )}`,
    }
  const { sequence, contentDigest, target } = write
  const [name, value] = Object.entries(named)[0] ?? []
  const what = target.label ?? `this ${words(target.kind)}`
  return {
    title: `Withhold text of ${what}`,
    status: refusal?.status ?? 200,
    rail: roomRail(room),
    body: html`<h1>Withhold text of ${what}</h1>
<p class="lead">Only for text that must not be in a public record: a secret, personal data, or what a court orders. \
Nothing else is ever removed.</p>
${
  refusal === undefined
    ? null
    : html`<div class="refused" role="alert" id="refused" tabindex="-1"><h2>Nothing was withheld</h2>\
<p>${refusal.code === "invalid_schema" ? "Correct what is listed here and send it again." : refusal.message}</p>\
${
  refusal.details.issues === undefined
    ? null
    : html`<ul>${refusal.details.issues.map(
        ({ path, message }) =>
          html`<li>${
            isEmptied(message) && isKeyOf(MISSING, path) ? MISSING[path] : `${title(placeInWords(path))}: ${message}`
          }</li>`,
      )}</ul>`
}</div>`
}
<form class="stack" method="post" action="${to("/web/withhold_content")}">
<input type="hidden" name="/requestId" value="${draft.get("/requestId")}">\
<input type="hidden" name="roomId" value="${roomId}"><input type="hidden" name="/of/${name}" value="${value}">
${passages(visit, write, draft)}
<section aria-labelledby="stays">${heading(2, "stays", "What stays")}${facts([
      ["Entry", html`${sequence} of the Room's activity, with its author and time`],
      target.label === null ? null : ["Label", target.label],
      ["Digest", digest(contentDigest)],
    ])}<p class="hint">References to it stay too. Readers see that text was withheld, when, by whom and why. The text \
behind the digest can no longer be shown.</p></section>
<div class="field"><label for="reason">Why</label><select id="reason" name="/reason" required>\
<option value="">Choose</option>\
${Object.entries(withholdingReasons).map(
  ([reason, text]) =>
    html`<option value="${reason}"${draft.get("/reason") === reason ? html` selected` : null}>${title(text)}</option>`,
)}</select></div>
<div class="field"><label for="explanation">In a sentence</label>\
<textarea id="explanation" name="/explanation" rows="3" maxlength="${limits.explanation}" required \
aria-describedby="hint-explanation">${draft.get("/explanation")}</textarea>\
<p class="hint" id="hint-explanation">Everybody can read this sentence, so do not repeat the withheld text. Revoke a \
token before you withhold it, because somebody may have copied it.</p></div>
<p>The text is removed from the record, the search, the data files and later exports. This cannot be undone: nobody \
can read it here again.</p>
<div class="buttons"><button class="danger">Withhold it for good</button>\
<a href="${to(`/rooms/${roomId}`)}">Cancel</a></div></form>`,
  }
}

/** Returns the page that says once what was withheld and where copies may remain. */
export function withheldPage(visit: Visit, { roomId, threadId, target, entry, result }: Receipt): Shown {
  const room = visit.ask("room", { roomId: roomId ?? "" })
  const fields = Array.isArray(result.fields) ? result.fields.map(String) : []
  const path = pathOf(target.kind, target.id) ?? (threadId === null ? `/rooms/${roomId}` : `/threads/${threadId}`)
  return {
    title: "Withheld",
    rail: roomRail(room),
    body: html`<h1 data-stored>The text was withheld</h1>
<div class="banner warn" role="status"><strong>Copies may remain elsewhere.</strong>\
<p>${String(result.mayStillHold)}</p></div>
${table(
  "What was withheld",
  ["Place", "Entry"],
  fields.map(
    (place) => html`<tr><th scope="row">${title(placeInWords(place))}</th><td>${String(result.sequence)}</td></tr>`,
  ),
)}
<p><a href="${to(path)}">See the place</a>\
${
  threadId === null || entry === null
    ? null
    : html` or <a href="${to(entryPath(threadId, entry.entryId))}">the entry in its Thread</a>`
}</p>`,
  }
}
