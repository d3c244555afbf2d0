/** How bodies, queries and receipts of the Library name papers. */
import * as v from "valibot"
import { optionalText } from "../answers/fields.ts"
import { limits } from "../limits.ts"
import { arxivId, distinct, isArxivId, paperId, shape, text } from "../schema/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { described } from "../schema/described.ts"

/** One paper: `paperId` names any paper, `arxivId` only those on arXiv. */
export const onePaper = { paperId: v.exactOptional(paperId), arxivId: v.exactOptional(arxivId) }
/** Several papers that the service already knows. */
export const somePapers = {
  paperIds: v.exactOptional(distinct(paperId, limits.arxivIds, 1)),
  arxivIds: v.exactOptional(distinct(arxivId, limits.arxivIds, 1)),
}
/** Papers to file: arXiv ids, or other texts that name papers. */
export const newPapers = {
  arxivIds: v.exactOptional(distinct(arxivId, limits.arxivIds, 1)),
  identifiers: v.exactOptional(
    described(
      distinct(text(limits.identifier), limits.arxivIds, 1),
      "Texts that name papers: DOIs, ISBNs, arXiv ids, addresses, files of BibTeX, RIS, CSL-JSON, Crossref, " +
        "PubMed or EndNote, printed references. A text may name several papers.",
    ),
  ),
}

/** At least one of each pair is required. */
export const oneOfPaper = ["paperId", "arxivId"]
export const oneOfPapers = ["paperIds", "arxivIds"]
export const oneOfNew = ["arxivIds", "identifiers"]

/** The paper of a receipt. */
export const paperNamed = { paperId: v.string(), arxivId: optionalText }
/** The ids of a paper, as answers contain them. */
export const named = (id: string) => ({ paperId: id, arxivId: isArxivId(id) ? id : null })
/** The papers of a batch, by paperId, in the order in which they were sent. */
export const ids = v.array(v.string())
/** What each piece of the texts was read as, and the pieces that name no paper, with the reasons. */
export const reading = {
  readAs: v.array(
    shape({
      input: v.string(),
      format: v.picklist(enumerations.paperFormat),
      paperId: v.string(),
      title: optionalText,
    }),
  ),
  unreadable: v.array(shape({ input: v.string(), why: v.string() })),
}
