/**
 * Reads the papers named in a text. A long text or a file is parsed in a separate process with bounded time and memory.
 */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { inDigits } from "../contract/text.ts"
import type { Job } from "../jobs/job.ts"
import { parsing } from "../jobs/pool.ts"
import type { Found } from "./papers/found.ts"
import { isFile, readPlain } from "./pasted.ts"

/** The most characters of plain text that are parsed in this thread. */
const INLINE_CHARACTERS = 5_000

const papers = (path: string): Job<readonly string[], Found> => ({
  name: "papers",
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: limits.parsingOutput,
  tooCostly: () =>
    new Refusal("invalid_schema", "This takes too much time or memory to read. Nothing was stored. Send it in parts.", {
      issues: [
        { path, message: `takes more than ${limits.parsingSeconds} seconds or ${limits.parsingMegabytes} MiB to read` },
      ],
    }),
})

/**
 * Finds the papers that the texts name, and the parts that name none.
 * @param userId who sent them, and has one text parsed at a time
 * @param path the texts' field in the request body
 * @throws Refusal 422 if parsing exceeds its bounds, 503 if too many texts are being parsed
 */
export async function readPapers(texts: readonly string[], userId: string | null, path = "/text"): Promise<Found> {
  const isShort = texts.reduce((length, text) => length + text.length, 0) <= INLINE_CHARACTERS
  if (!isShort || texts.some(isFile)) return parsing.run(papers(path), texts, userId)
  return readPlain(texts)
}

/**
 * Finds the papers of a text to import. @throws Refusal 422 if it names no paper or too many, otherwise as `readPapers`
 * does
 */
export async function readImport(text: string, userId: string): Promise<Found> {
  const found = await readPapers([text], userId)
  const { length } = found.papers
  const refuse = (sentence: string, message: string) =>
    new Refusal("invalid_schema", `${sentence} Nothing was stored.`, { issues: [{ path: "/text", message }] })
  if (length > limits.importedPapers)
    throw refuse(
      `This names ${inDigits(length)} papers. At most ${inDigits(limits.importedPapers)} can be ` +
        "imported at once: paste it in parts.",
      `names ${length} papers`,
    )
  if (length > 0) return found
  const [first] = found.unreadable
  const why = first === undefined ? "is empty" : `“${first.input}” ${first.why}`
  throw refuse(first === undefined ? "There is nothing here to read." : `No paper could be read in this. ${why}.`, why)
}
