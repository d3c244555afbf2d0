/** How the Library's bodies and queries name papers, and how its receipts do. */
import * as v from "valibot"
import { optionalText } from "../answers/fields.ts"
import { limits } from "../limits.ts"
import { arxivId, distinct, isArxivId, paperId, shape, text } from "../schema/fields.ts"
import { described } from "../schema/described.ts"

/** One paper, by either name: `paperId` is taken for every paper, `arxivId` for those that have one. */
export const onePaper = { paperId: v.exactOptional(paperId), arxivId: v.exactOptional(arxivId) }
/** Some papers that are known here already. */
export const somePapers = {
  paperIds: v.exactOptional(distinct(paperId, limits.arxivIds, 1)),
  arxivIds: v.exactOptional(distinct(arxivId, limits.arxivIds, 1)),
}
/** Papers to be filed: arXiv ids, or whatever else names a paper. */
export const newPapers = {
  arxivIds: v.exactOptional(distinct(arxivId, limits.arxivIds, 1)),
  identifiers: v.exactOptional(
    described(
      distinct(text(limits.identifier), limits.arxivIds, 1),
      "Whatever names papers: DOIs, ISBNs, arXiv ids, addresses, entries of BibTeX or RIS, references as they are printed. A text may name several.",
    ),
  ),
}

/** Of each, one must be there. */
export const oneOfPaper = ["paperId", "arxivId"]
export const oneOfPapers = ["paperIds", "arxivIds"]
export const oneOfNew = ["arxivIds", "identifiers"]

/** The paper of a receipt. */
export const paperNamed = { paperId: v.string(), arxivId: optionalText }
/** What a paper is known by, as answers say it. */
export const named = (id: string) => ({ paperId: id, arxivId: isArxivId(id) ? id : null })
/** Papers of a batch, by their paperId, in the order they were sent. */
export const ids = v.array(v.string())
/** What was sent and names no paper, with why. */
export const unreadable = v.array(shape({ text: v.string(), reason: v.string() }))
