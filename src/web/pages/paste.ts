/**
 * The forms for what people bring: pasted texts and pictures. `POST /web/paste` saves the papers that a text names,
 * with a preview first if some parts could not be read or some papers are recognised only by their words. `POST
 * /web/metrics` reports a table as metrics of the visitor's own attempt, in one event. `/pictures` uploads a picture
 * without a script.
 */
import { randomUUID } from "node:crypto"
import { v5 } from "uuid"
import { isUuid } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { type OperationName, operationOf, type ResultOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals.ts"
import { trusted } from "../../contract/json.ts"
import { isOver } from "../../contract/states.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import { readFormBody, readBytes } from "../../edge/limits/body.ts"
import { pageCaller, mustBeSignedIn, mustComeFromOwnPage, mustStillBeSignedIn } from "../../edge/identity/callers.ts"
import { keepFigure } from "../../attachments/image.ts"
import { sendWrite } from "../../edge/requests/writes.ts"
import { readPapers } from "../../library/index.ts"
import { readTable } from "../../research/measurements/read-table.ts"
import { type PasteResult, seenMark } from "../parts/papers.ts"
import { redirected, type Visit, type WebPage, toSignIn, type Shown } from "../visit.ts"
import { attemptShown } from "./attempts.ts"
import { collectionShown, libraryShown } from "./library.ts"
import { type PastedTable, tableMark } from "../forms/table.ts"
import { figureTypes } from "../../contract/definitions/attachments.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { digest as digestShown } from "../parts/parts.ts"

/** Reads the form. @param most maximum number of characters of the pasted text */
async function formIn({ edge, event }: Visit, most: number) {
  const actor = pageCaller(edge, event)
  const form = await readFormBody(event, Math.min(limits.requestBodyBytes, 3 * most + limits.smallFormBytes))
  const text = (form.get("text") ?? "").replaceAll("\r\n", "\n")
  /** Sends a write. Its id depends on the content, so that a form corrected and sent again is a new write. */
  const send = (name: OperationName, of: string, body: object): Promise<string> => {
    const operation = operationOf(name)
    const delivery = form.get("requestId") ?? ""
    const requestId = isUuid(delivery) ? v5(`${of} ${text}`, delivery) : randomUUID()
    return sendWrite(edge, event, operation, actor, () => ({
      params: {},
      body: { schemaVersion: operation.schemaVersion, requestId, ...body },
    }))
  }
  return { form, text, send, value: (name: string) => form.get(name) || undefined }
}

export async function submitPaste(visit: Visit): Promise<Answer | WebPage> {
  const { form, text, send, value } = await formIn(visit, limits.importedText)
  const of = value("of")
  const collectionId = of ?? value("collectionId")

  /** Saves the papers. @throws Refusal if nothing was stored */
  async function save(): Promise<PasteResult> {
    const sent = await send("import_papers", collectionId ?? "", {
      text,
      ...(collectionId !== undefined && { collectionId }),
    })
    const { added, alreadyThere, saved, alreadySaved, unreadable } = trusted<{ result: ResultOf<"import_papers"> }>(
      sent,
    ).result
    return { collectionId, outcome: { filed: added ?? saved, already: alreadyThere ?? alreadySaved, unreadable } }
  }

  /** Returns a preview if the person asked for one or the recognition is uncertain; else saves the papers. */
  async function handle(): Promise<PasteResult> {
    if ([...text].length > limits.importedText)
      throw new Refusal(
        "invalid_schema",
        `The text is longer than ${limits.importedText.toLocaleString("en")} characters. Paste it in parts.`,
      )
    if (!form.has("preview") && form.get("seen") === seenMark(text)) return save()
    const recognised = await readPapers([text], visit.person?.userId ?? null)
    const isCertain = recognised.unreadable.length === 0 && recognised.byWords.length === 0
    return !form.has("preview") && isCertain ? save() : { text, recognised, collectionId }
  }

  const result = await handle().catch((error: unknown): PasteResult => {
    if (!(error instanceof Refusal)) throw error
    return { text, collectionId, refusal: error.message }
  })
  return (later) => (of === undefined ? libraryShown(later, result) : collectionShown(later, of, result))
}

export async function submitMetrics(visit: Visit): Promise<Answer | WebPage> {
  const { text, send, value } = await formIn(visit, limits.pastedTable)
  const attemptId = value("attemptId")?.toLowerCase() ?? ""
  const [by, missing, metric] = [value("by") ?? "", value("missing") ?? "", value("metric") ?? ""]
  const formAgain =
    (pasted: Pick<PastedTable, "faults" | "refusal" | "readAs">): WebPage =>
    (later) =>
      attemptShown(later, attemptId, { text, by, missing, metric, ...pasted })

  const listed = (names: string) => names.split(",").flatMap((name) => name.trim() || [])
  const hints = { by: listed(by), missing: listed(missing), metric: metric.trim() || undefined }
  const { points, readAs, faults } = readTable(text, hints)
  if (faults.length > 0) return formAgain({ faults })
  // Nothing is reported before its author has seen what it was read as.
  if (value("seen") !== tableMark({ text, by, missing, metric })) return formAgain({ faults: [], readAs })
  const { status, affordances } = visit.ask("attempt", { attemptId })
  try {
    await send("report_attempt_event", [attemptId, by, missing, metric].join("\n"), {
      attemptId,
      ...affordances.expected,
      event: "progress",
      reportedAt: new Date().toISOString(),
      metrics: points,
      ...(isOver("attempt", status) && { late: true }),
    })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const issues = (error.details.issues ?? []).slice(0, 5).map(({ message }) => message)
    return formAgain({ faults: [], refusal: [error.message, ...issues].join(" ") })
  }
  return redirected(visit, `/attempts/${attemptId}?done=report_attempt_event#metrics`)
}

// Pictures.

/** Bytes of the form in addition to its file. */
const AROUND = 4_096

const form: Html = html`<form class="stack" method="post" action="${to("/web/pictures")}" enctype="multipart/form-data">
<div class="field"><label for="picture">Picture</label><input id="picture" type="file" name="picture" required \
accept="${Object.keys(figureTypes).join(",")}" aria-describedby="picture-hint">\
<p class="hint" id="picture-hint">PNG, JPEG or WebP, up to ${limits.figureBytes / 1e6} MB.</p></div>
<div class="buttons"><button>Upload the picture</button></div></form>`

const page = (outcome: Content, status = 200): Shown => ({
  title: "Upload a picture",
  status,
  body: html`<h1>Upload a picture</h1>
<p>Everybody can see the picture once something in a Room shows it. Until then nobody can see it, and after a day it \
is removed. Places, names and other data in the file are not kept.</p>
${outcome}${form}`,
})

export const picturesPage: WebPage = (visit) => (visit.person === undefined ? toSignIn(visit, "/pictures") : page(null))

export async function submitPicture({ edge, event }: Visit): Promise<Answer | WebPage> {
  mustComeFromOwnPage(edge, event)
  const person = mustBeSignedIn(edge, event)
  const body = await readBytes(event, limits.figureBytes + AROUND)
  try {
    const file = await fileIn(body, event.req.headers.get("content-type") ?? "")
    const { digest, width, height } = await keepFigure(
      edge.instance,
      person,
      new Uint8Array(await file.arrayBuffer()),
      file.type,
      () => mustStillBeSignedIn(edge, event),
    )
    return () =>
      page(
        html`<div class="banner quiet" role="status">\
<strong>The picture was uploaded: ${width} × ${height} pixels.</strong>\
<p>Paste its digest into the form where the picture belongs: ${digestShown(digest)}</p></div>`,
      )
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== "invalid_schema") throw error
    const { message } = error
    return () => page(html`<div class="banner warn" role="alert"><strong>${message}</strong></div>`, 422)
  }
}

/** Returns the file of the form. @throws Refusal `invalid_schema` if there is none */
async function fileIn(body: Uint8Array, type: string): Promise<File> {
  const sent = await new Response(new Uint8Array(body), { headers: { "content-type": type } })
    .formData()
    .catch(() => null)
  const file = sent?.get("picture")
  if (file instanceof File && file.size > 0 && file.size <= limits.figureBytes) return file
  throw new Refusal("invalid_schema", `Choose a picture of up to ${limits.figureBytes / 1e6} MB.`, {
    issues: [{ path: "/picture", message: "must be a file" }],
  })
}
