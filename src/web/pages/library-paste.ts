/**
 * `POST /web/paste`: saves every paper that a pasted text names, and says what became of each part. What is not certain is shown
 * first: parts that could not be read, and papers that are known by their words alone.
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

export async function pasteSent(visit: Visit): Promise<Answer | WebPage> {
  const { edge, event } = visit
  const actor = pageCaller(edge, event)
  const form = await readFormBody(event, Math.min(limits.requestBodyBytes, 3 * limits.importedText + limits.smallFormBytes))
  const given = (name: string) => form.get(name) || undefined
  const text = (form.get("text") ?? "").replaceAll("\r\n", "\n")
  const of = given("of")
  const collectionId = of ?? given("collectionId")
  const delivery = given("requestId") ?? ""

  /** Stores it. @throws Refusal with nothing stored */
  async function stored(): Promise<PasteResult> {
    // The form's own id with its content: the same form sent again, after a change of what was wrong, is another write.
    const requestId = isUuid(delivery) ? v5(`${collectionId ?? ""} ${text}`, delivery) : randomUUID()
    const body = { schemaVersion: operation.schemaVersion, requestId, text, ...(collectionId !== undefined && { collectionId }) }
    const { result } = trusted<{ result: ResultOf<"import_papers"> }>(
      await sendWrite(edge, event, operation, actor, () => ({ params: {}, body })),
    )
    const { added, alreadyThere, saved, alreadySaved, unreadable } = result
    return { collectionId, outcome: { filed: added ?? saved, already: alreadyThere ?? alreadySaved, unreadable } }
  }

  /** What to say of it: what it is recognised as, where that was asked for or is not certain; else what became of it. */
  async function told(): Promise<PasteResult> {
    if ([...text].length > limits.importedText)
      throw new Refusal("invalid_schema", `This is longer than ${limits.importedText.toLocaleString("en")} characters. Paste it in parts.`)
    if (form.get("preview") === null && form.get("seen") === seenMark(text)) return stored()
    const recognised = await readPapers([text])
    const isCertain = recognised.unreadable.length === 0 && recognised.byWords.length === 0
    return form.get("preview") === null && isCertain ? stored() : { text, recognised, collectionId }
  }

  const result = await told().catch((error: unknown): PasteResult => {
    if (!(error instanceof Refusal)) throw error
    return { text, collectionId, refusal: error.message }
  })
  return (again) => (of === undefined ? libraryShown(again, result) : collectionShown(again, of, result))
}
