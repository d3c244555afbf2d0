/** BibTeX and RIS from elsewhere, read in a process that is ended when it takes too much. */
import { limits } from "../../contract/limits.ts"
import { Refusal } from "../../contract/refusals/refusal.ts"
import type { Job } from "../../jobs/job.ts"
import { parsing } from "../../jobs/pools.ts"
import type { Bibliography } from "./read.ts"

const bibtex: Job<string, Bibliography> = {
  name: "bibtex",
  bounds: { seconds: limits.parsingSeconds, megabytes: limits.parsingMegabytes },
  output: limits.parsingOutput,
  tooCostly: () =>
    new Refusal("invalid_schema", "This file takes too much time or memory to read. Nothing was imported; import it in parts.", {
      issues: [{ path: "/bibtex", message: `takes more than ${limits.parsingSeconds} seconds or ${limits.parsingMegabytes} MiB to read` }],
    }),
}

/** What is wrong with a file of which nothing can be taken. */
function nothingIn({ skipped }: Bibliography): Refusal {
  const entries = skipped.length === 1 ? "Its one entry" : `None of its ${skipped.length} entries`
  const [first] = skipped
  const why = skipped.length === 1 ? (first?.reason ?? "") : `names an arXiv paper (the first ${first?.reason ?? ""})`
  const message = first === undefined ? "holds no entry of BibTeX or RIS" : "names no paper of arXiv"
  const sentence = first === undefined ? "This file holds no entry of BibTeX or RIS." : `${entries} ${why}.`
  return new Refusal("invalid_schema", `${sentence} Nothing was imported.`, { issues: [{ path: "/bibtex", message }] })
}

/**
 * The arXiv papers in a file of BibTeX or RIS.
 * @throws Refusal 422 for one that costs too much or names no paper, 503 when too many are being read
 */
export async function importedFrom(text: string): Promise<Bibliography> {
  const found = await parsing.run(bibtex, text)
  if (found.papers.length === 0) throw nothingIn(found)
  return found
}
