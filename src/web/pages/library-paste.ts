/** `POST /web/paste`: saves every paper that a pasted text names, and says what became of each. */
import { randomUUID } from "node:crypto"
import { v5 } from "uuid"
import { isUuid } from "../../contract/schema/fields.ts"
import { limits } from "../../contract/limits.ts"
import { type OperationName, operationOf, type ResultOf } from "../../contract/operations/index.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Answer } from "../../edge/answers/answer.ts"
import { readFormBody } from "../../edge/limits/body.ts"
import { mustBeSignedIn, mustComeFromOwnPage, personActor } from "../../edge/identity/callers.ts"
import { sendWrite } from "../../edge/requests/writes.ts"
import { importedFrom, isBibliography } from "../../library/index.ts"
import { readPasted } from "../../library/pasted.ts"
import type { PasteResult } from "../parts/paste.ts"
import type { Visit, WebPage } from "../visit.ts"
import { collectionShown } from "./library-collection.ts"
import { libraryShown } from "./library.ts"
import { trusted } from "../../contract/json.ts"

/** What a text names. */
interface Found {
  readonly arxivIds: readonly string[]
  readonly titles?: ReadonlyMap<string, string>
  readonly others: readonly string[]
}
type Filed = Pick<PasteResult, "filed" | "already" | "refusal">
type Receipt<N extends OperationName> = { readonly result: ResultOf<N> }
type Send = <N extends OperationName>(operation: N, params: Readonly<Record<string, string>>, said: object) => Promise<Receipt<N>>

const bySkipped = ({ key, reason }: { readonly key: string | null; readonly reason: string }): string =>
  key === null ? `An entry ${reason}` : `${key} ${reason}`

/** What a file of references names, each with its title. @throws Refusal */
async function foundIn(text: string): Promise<Found> {
  const { papers, skipped } = await importedFrom(text)
  const titles = papers.flatMap(({ arxivId, given }) =>
    given === undefined ? [] : [[arxivId, given.title.slice(0, limits.explanation)] as const],
  )
  return { arxivIds: papers.map(({ arxivId }) => arxivId), titles: new Map(titles), others: skipped.map(bySkipped) }
}

const savedBy = ({ result: { saved, alreadySaved } }: Receipt<"save_papers">) => ({ filed: saved, already: alreadySaved })
const addedBy = ({ result: { added, alreadyThere } }: Receipt<"add_papers" | "import_bibtex">) => ({ filed: added, already: alreadyThere })

/** Files some papers, fifty a write. What was filed before a refused write stays, and the page says so. */
async function file(send: Send, { arxivIds, titles = new Map() }: Found, collectionId: string | undefined): Promise<Filed> {
  const became: { readonly filed: string[]; readonly already: string[] } = { filed: [], already: [] }
  for (let at = 0; at < arxivIds.length; at += limits.arxivIds) {
    const some = arxivIds.slice(at, at + limits.arxivIds)
    const known = some.flatMap((arxivId) => (titles.has(arxivId) ? [{ arxivId, title: titles.get(arxivId) }] : []))
    const said = { arxivIds: some, ...(known.length > 0 && { titles: known }) }
    try {
      const { filed, already } =
        collectionId === undefined
          ? savedBy(await send("save_papers", {}, said))
          : addedBy(await send("add_papers", {}, { collectionId, ...said }))
      became.filed.push(...filed)
      became.already.push(...already)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { ...became, refusal: error.message }
    }
  }
  return became
}

/** Files what a text names. @throws Refusal with nothing stored */
async function taken(send: Send, text: string, collectionId: string | undefined): Promise<Omit<PasteResult, "collection">> {
  const isFile = isBibliography(text)
  const most = isFile ? limits.bibtex : limits.pasted
  if ([...text].length > most)
    throw new Refusal("invalid_schema", `This is longer than ${most.toLocaleString("en")} characters. Paste it in parts.`)
  if (isFile && collectionId !== undefined) {
    // Of a Collection's papers their keys and authors are kept too.
    const receipt = await send("import_bibtex", { collectionId }, { bibtex: text })
    return { ...addedBy(receipt), others: receipt.result.skipped.map(bySkipped), left: [] }
  }
  const found = isFile ? await foundIn(text) : readPasted(text)
  const left = found.arxivIds.slice(limits.pastedPapers)
  const became = await file(send, { ...found, arxivIds: found.arxivIds.slice(0, limits.pastedPapers) }, collectionId)
  const again = became.refusal !== undefined ? { text } : left.length > 0 ? { text: left.join("\n") } : {}
  return { ...became, others: found.others, left, ...again }
}

export async function pasteSent(visit: Visit): Promise<Answer | WebPage> {
  const { edge, event } = visit
  mustComeFromOwnPage(edge, event)
  const actor = personActor(mustBeSignedIn(edge, event))
  const form = await readFormBody(event, Math.min(limits.requestBodyBytes, 3 * limits.bibtex + limits.smallFormBytes))
  const [text, of, base] = [form.get("text") ?? "", form.get("of") ?? "", form.get("requestId") ?? ""]
  const collectionId = (of === "" ? form.get("collectionId") : of) || undefined
  const delivery = isUuid(base) ? base : randomUUID()
  let sent = 0
  const send: Send = async <N extends OperationName>(name: N, params: Readonly<Record<string, string>>, said: object) => {
    const operation = operationOf(name)
    // Each write has an id of its own, and has it again when the same form is sent again.
    const requestId = v5(String(sent++), delivery)
    const body = { schemaVersion: operation.schemaVersion, requestId, ...said }
    return trusted<Receipt<N>>(await sendWrite(edge, event, operation, actor, () => ({ params, body })))
  }
  let outcome: Omit<PasteResult, "collection">
  try {
    outcome = await taken(send, text, collectionId)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    outcome = { filed: [], already: [], others: [], left: [], refusal: error.message, text }
  }
  return (again) => (of === "" ? libraryShown(again, outcome, collectionId) : collectionShown(again, of, outcome))
}
