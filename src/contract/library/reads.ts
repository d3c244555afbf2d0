/**
 * The reads of the Library: those for personal keys, which the person also has in the browser, and those only for the
 * browser.
 */
import * as v from "valibot"
import { connectPaths } from "../service.ts"
import * as answers from "./answers.ts"
import { optionalText } from "../answers/fields.ts"
import { limits } from "../limits.ts"
import { arxivId, distinct, isArxivId, paperId, shape, text, oneOf, plain, tag } from "../schema/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { described } from "../schema/validation.ts"
import { read } from "../definitions/read.ts"

// How bodies, queries and receipts of the Library name papers.

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

const ofKey = { family: "library", surface: "key" } as const
const ofReader = { ...ofKey, permissions: ["read_library"] } as const
const ofPerson = { family: "library", surface: "session" } as const

/** The paper in question, by either id; one of them is required. */
const ofPaper = {
  paperId: v.exactOptional(
    described(onePaper.paperId.wrapped, "The paper's id in this service. Required without arxivId."),
  ),
  arxivId: v.exactOptional(described(onePaper.arxivId.wrapped, "The paper's arXiv id. Required without paperId.")),
}

/** A list of papers as a file, with all papers of the list instead of one page. */
const bibliography = {
  bibtex: { mediaType: "application/x-bibtex", answer: v.string() },
  ris: { mediaType: "application/x-research-info-systems", answer: v.string() },
  csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: answers.cslPapers },
} as const

export const libraryReads = [
  read({
    name: "library_identity",
    ...ofKey,
    path: connectPaths.library_identity,
    summary: "The owner of the Library, the key's permissions, reach and expiry, and the limits.",
    answer: answers.libraryIdentity,
  }),
  read({
    name: "library_collections",
    ...ofReader,
    path: "/api/agent/library/collections",
    summary: "The Collections in reach, newest first, with the numbers of papers, notes and unread notes in each.",
    cursor: "offset",
    answer: answers.libraryPage(answers.collectionSummary),
  }),
  read({
    name: "library_collection",
    ...ofReader,
    path: "/api/agent/library/collections/{collectionId}",
    summary:
      "One Collection: its members, a page of its papers, newest first, and the notes on them; " +
      "or all its papers as BibTeX, RIS or CSL-JSON.",
    cursor: "offset",
    answer: answers.collectionDetail,
    formats: bibliography,
  }),
  read({
    name: "library_papers",
    ...ofReader,
    path: "/api/agent/library/papers",
    summary:
      "The saved papers, newest first, each with its tags and the Collections in reach that hold it. " +
      "query and tag are filters; sort changes the order. Or all of these as BibTeX, RIS or CSL-JSON. " +
      "Refused for a selected reach.",
    parameters: {
      query: v.exactOptional(
        described(
          plain(limits.searchQuery),
          "Words in the paper's metadata, its tags, the person's own notes on it and, if the key may read them, " +
            "its annotations.",
        ),
      ),
      tag: v.exactOptional(tag),
      sort: v.exactOptional(
        described(
          oneOf(enumerations.paperOrder),
          "Default: last saved first. Otherwise by title, or last published first.",
        ),
      ),
    },
    refusals: ["not_authorized"],
    cursor: "offset",
    answer: answers.libraryPage(answers.savedPaper, {
      /** If nothing was found: the query with each unknown word corrected by one letter, if that finds something. */
      didYouMean: v.nullable(v.string()),
    }),
    formats: bibliography,
  }),
  read({
    name: "library_tags",
    ...ofReader,
    path: "/api/agent/library/tags",
    summary: "The person's own tags, by name, with the number of saved papers for each. Refused for a selected reach.",
    refusals: ["not_authorized"],
    answer: answers.libraryList(answers.tagged),
  }),
  read({
    name: "library_paper",
    ...ofReader,
    path: "/api/agent/library/paper",
    summary: "One paper: its metadata, whether it is saved, and the Collections in reach that hold it.",
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: answers.libraryPaper,
  }),
  read({
    name: "library_annotations",
    ...ofKey,
    path: "/api/agent/library/annotations",
    summary: "The person's own notes and highlights in one paper, with their revision.",
    permissions: ["read_annotations"],
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: answers.annotations,
  }),
  read({
    name: "collection_bibtex",
    ...ofReader,
    path: "/api/agent/library/collections/{collectionId}/bibtex",
    summary: "The papers of a Collection as BibTeX. A paper keeps the citation key with which it was imported.",
    mediaType: "application/x-bibtex",
    answer: v.string(),
  }),

  read({
    name: "library_keys",
    ...ofPerson,
    path: "/api/library/keys",
    summary: "Your own personal keys, newest first. Tokens are never shown.",
    answer: answers.libraryList(answers.personalKey),
  }),
  read({
    name: "library_invitations",
    ...ofPerson,
    path: "/api/library/invitations",
    summary: "Open invitations to Collections that wait for your answer.",
    answer: answers.libraryList(answers.receivedInvitation),
  }),
  read({
    name: "collection_invitations",
    ...ofPerson,
    path: "/api/library/collections/{collectionId}/invitations",
    summary: "Open invitations to a Collection, for its owner.",
    refusals: ["not_authorized"],
    answer: answers.libraryList(answers.sentInvitation),
  }),
  read({
    name: "collection_notes",
    ...ofPerson,
    path: "/api/library/collections/{collectionId}/notes",
    summary: "The notes on one paper of a Collection, oldest first.",
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    cursor: "offset",
    answer: answers.libraryPage(answers.note),
  }),
  read({
    name: "reading_position",
    ...ofPerson,
    path: "/api/library/reading_position",
    summary: "How far the person has read a paper.",
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: answers.readingPosition,
  }),
] as const
