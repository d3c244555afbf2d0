/** Texts of strangers are read in a process that is ended when it takes too much; short plain ones at once. */
import { limits } from "../contract/limits.ts"
import { Refusal } from "../contract/refusals/refusal.ts"
import { inDigits } from "../contract/text.ts"
import type { Job } from "../jobs/job.ts"
import { parsing } from "../jobs/pools.ts"
import type { Found } from "./papers/found.ts"
import { isBibliography, readPlain } from "./pasted.ts"

/** Characters of plain text that are read at once. */
const AT_ONCE = 5_000

const papers = (path: string): Job<readonly string[], Found> => ({
  name: "papers",
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: limits.parsingOutput,
  tooCostly: () =>
    new Refusal("invalid_schema", "This takes too much time or memory to read. Nothing was stored. Send it in parts.", {
      issues: [{ path, message: `takes more than ${limits.parsingSeconds} seconds or ${limits.parsingMegabytes} MiB to read` }],
    }),
})

/**
 * The papers that some texts name, and what in them names none.
 * @param path where the texts stand in a body @throws Refusal 422 for what costs too much, 503 when too many are being read
 */
export async function readPapers(texts: readonly string[], path = "/text"): Promise<Found> {
  const isShort = texts.reduce((length, text) => length + text.length, 0) <= AT_ONCE
  if (!isShort || texts.some(isBibliography)) return parsing.run(papers(path), texts)
  return readPlain(texts)
}

/** The papers of a text to be imported. @throws Refusal 422 for one that names no paper, too many, or costs too much; 503 when too many are being read */
export async function readImport(text: string): Promise<Found> {
  const found = await readPapers([text])
  const { length } = found.papers
  const refuse = (sentence: string, message: string) =>
    new Refusal("invalid_schema", `${sentence} Nothing was stored.`, { issues: [{ path: "/text", message }] })
  if (length > limits.importedPapers)
    throw refuse(
      `This names ${inDigits(length)} papers. At most ${inDigits(limits.importedPapers)} are taken at once: paste it in parts.`,
      `names ${length} papers`,
    )
  if (length > 0) return found
  const [first] = found.unreadable
  const why = first === undefined ? "is empty" : `“${first.text}” ${first.reason}`
  throw refuse(first === undefined ? "There is nothing here to read." : `No paper could be read in this. ${why}.`, why)
}
