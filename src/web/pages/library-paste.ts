/**
 * `POST /web/paste`: saves the papers that a pasted text names, and shows the result of each part. It shows a preview first if
 * some parts could not be read, or some papers are recognised only by their words.
 */
import { randomUUID } from "node:crypto"
import { v5 } from "uuid"
import { isUuid } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { operationOf, type ResultOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import { trusted } from "../../contract/json.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import { readFormBody } from "../../edge/limits/body.ts"
import { pageCaller } from "../../edge/identity/callers.ts"
import { sendWrite } from "../../edge/requests/writes.ts"
import { readPapers } from "../../library/index.ts"
import { type PasteResult, seenMark } from "../parts/paste.ts"
import type { Visit, WebPage } from "../visit.ts"
import { collectionShown } from "./library-collection.ts"
import { libraryShown } from "./library.ts"

const operation = operationOf("import_papers")

export async function submitPaste(visit: Visit): Promise<Answer | WebPage> {
  const { edge, event } = visit
  const actor = pageCaller(edge, event)
  const form = await readFormBody(event, Math.min(limits.requestBodyBytes, 3 * limits.importedText + limits.smallFormBytes))
  const value = (name: string) => form.get(name) || undefined
  const text = (form.get("text") ?? "").replaceAll("\r\n", "\n")
  const of = value("of")
  const collectionId = of ?? value("collectionId")
  const delivery = value("requestId") ?? ""

  /** Saves the papers. @throws Refusal if nothing was stored */
  async function save(): Promise<PasteResult> {
    // The id depends on the content, so that a form corrected and sent again is a new write.
    const requestId = isUuid(delivery) ? v5(`${collectionId ?? ""} ${text}`, delivery) : randomUUID()
    const body = { schemaVersion: operation.schemaVersion, requestId, text, ...(collectionId !== undefined && { collectionId }) }
    const { result } = trusted<{ result: ResultOf<"import_papers"> }>(
      await sendWrite(edge, event, operation, actor, () => ({ params: {}, body })),
    )
    const { added, alreadyThere, saved, alreadySaved, unreadable } = result
    return { collectionId, outcome: { filed: added ?? saved, already: alreadyThere ?? alreadySaved, unreadable } }
  }

  /** Returns a preview if the person asked for one or the recognition is uncertain; else saves the papers. */
  async function handle(): Promise<PasteResult> {
    if ([...text].length > limits.importedText)
      throw new Refusal(
        "invalid_schema",
        `The text is longer than ${limits.importedText.toLocaleString("en")} characters. Paste it in parts.`,
      )
    if (form.get("preview") === null && form.get("seen") === seenMark(text)) return save()
    const recognised = await readPapers([text])
    const isCertain = recognised.unreadable.length === 0 && recognised.byWords.length === 0
    return form.get("preview") === null && isCertain ? save() : { text, recognised, collectionId }
  }

  const result = await handle().catch((error: unknown): PasteResult => {
    if (!(error instanceof Refusal)) throw error
    return { text, collectionId, refusal: error.message }
  })
  return (again) => (of === undefined ? libraryShown(again, result) : collectionShown(again, of, result))
}
