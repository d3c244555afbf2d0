/** `/pictures`: uploads a picture without a script, and shows the digest to paste into a form. */
import { figureTypes } from "../../contract/definitions/attachments.ts"
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import { mustBeSignedIn, mustComeFromOwnPage, mustStillBeSignedIn } from "../../edge/identity/callers.ts"
import { readBytes } from "../../edge/limits/body.ts"
import { keepFigure } from "../../edge/requests/writes.ts"
import { type Content, type Html, html, to } from "../html.ts"
import { digest as digestShown } from "../parts/parts.ts"
import { toSignIn, type Shown, type Visit, type WebPage } from "../visit.ts"

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
      edge,
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
