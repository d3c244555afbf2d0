/** The reads of the Library: those of a personal key, which its person also has in the browser, and those of the browser alone. */
import * as v from "valibot"
import { enumerations } from "../schema/enumerations.ts"
import { oneOf, plain, tag } from "../schema/fields.ts"
import { limits } from "../limits.ts"
import { read } from "../definitions/read.ts"
import * as answers from "./answers.ts"
import { onePaper } from "./papers.ts"
import { described } from "../schema/described.ts"

const family = "library"
const surface = "key"
const permissions = ["read_library"] as const

/** The paper that is asked about: by either name, and by one of them at least. */
const ofPaper = {
  paperId: v.exactOptional(described(onePaper.paperId.wrapped, "What the paper is known by here. Required where arxivId is left out.")),
  arxivId: v.exactOptional(described(onePaper.arxivId.wrapped, "Its arXiv id. Required where paperId is left out.")),
}

/** A list of papers as a file: all of them that were asked for, whatever the page. */
const bibliography = {
  bibtex: { mediaType: "application/x-bibtex", answer: v.string() },
  ris: { mediaType: "application/x-research-info-systems", answer: v.string() },
  csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: answers.cslPapers },
} as const

export const libraryReads = [
  read({
    name: "library_identity",
    family,
    surface,
    path: "/api/agent/library/identity",
    summary: "Whose Library it is, what the key may do and how far it reaches, when it expires, and the limits.",
    answer: answers.libraryIdentity,
  }),
  read({
    name: "library_collections",
    family,
    surface,
    path: "/api/agent/library/collections",
    summary: "The Collections in reach, newest first, with how many papers, notes and unread notes each holds.",
    permissions,
    cursor: "offset",
    answer: answers.libraryPage(answers.collectionSummary),
  }),
  read({
    name: "library_collection",
    family,
    surface,
    path: "/api/agent/library/collections/{collectionId}",
    summary:
      "One Collection: its members, a page of its papers, newest first, and the notes on them; or all its papers as BibTeX, RIS or CSL-JSON.",
    permissions,
    cursor: "offset",
    answer: answers.collectionDetail,
    formats: bibliography,
  }),
  read({
    name: "library_papers",
    family,
    surface,
    path: "/api/agent/library/papers",
    summary:
      "The saved papers, newest first, each with its tags and the Collections in reach that hold it; of those with a tag, or with every word of query, or in another order; or all of these as BibTeX, RIS or CSL-JSON. A selected reach leaves them out.",
    permissions,
    parameters: {
      query: v.exactOptional(
        described(
          plain(limits.searchQuery),
          "Words that stand in what is known of the paper, in its tags, in the person's own notes on it, and where annotations may be read in these.",
        ),
      ),
      tag: v.exactOptional(tag),
      sort: v.exactOptional(
        described(oneOf(enumerations.paperOrder), "Newest saved first when left out; else by title, or newest published first."),
      ),
    },
    refusals: ["not_authorized"],
    cursor: "offset",
    answer: answers.libraryPage(answers.savedPaper, {
      /** Where nothing was found: the query with words that no saved paper has put right by one letter each, if that finds something. */
      didYouMean: v.nullable(v.string()),
    }),
    formats: bibliography,
  }),
  read({
    name: "library_tags",
    family,
    surface,
    path: "/api/agent/library/tags",
    summary: "The person's own tags, by name, with how many saved papers have each; a selected reach leaves them out.",
    permissions,
    refusals: ["not_authorized"],
    answer: answers.libraryList(answers.tagged),
  }),
  read({
    name: "library_paper",
    family,
    surface,
    path: "/api/agent/library/paper",
    summary: "One paper: what is known of it, whether it is saved, and the Collections in reach that hold it.",
    permissions,
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: answers.libraryPaper,
  }),
  read({
    name: "library_annotations",
    family,
    surface,
    path: "/api/agent/library/annotations",
    summary: "The person's own notes and highlights in one paper, with their revision.",
    permissions: ["read_annotations"],
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: answers.annotations,
  }),
  read({
    name: "collection_bibtex",
    family,
    surface,
    path: "/api/agent/library/collections/{collectionId}/bibtex",
    summary: "The papers of a Collection as BibTeX; a paper keeps its citation key.",
    permissions,
    mediaType: "application/x-bibtex",
    answer: v.string(),
  }),

  read({
    name: "library_keys",
    family,
    surface: "session",
    path: "/api/library/keys",
    summary: "One's own personal keys, newest first. Tokens are never shown.",
    answer: answers.libraryList(answers.personalKey),
  }),
  read({
    name: "library_invitations",
    family,
    surface: "session",
    path: "/api/library/invitations",
    summary: "Open invitations to Collections that wait for one's own answer.",
    answer: answers.libraryList(answers.receivedInvitation),
  }),
  read({
    name: "collection_invitations",
    family,
    surface: "session",
    path: "/api/library/collections/{collectionId}/invitations",
    summary: "Open invitations to a Collection, for its owner.",
    refusals: ["not_authorized"],
    answer: answers.libraryList(answers.sentInvitation),
  }),
  read({
    name: "collection_notes",
    family,
    surface: "session",
    path: "/api/library/collections/{collectionId}/notes",
    summary: "The notes on one paper of a Collection, oldest first.",
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    cursor: "offset",
    answer: answers.libraryPage(answers.note),
  }),
  read({
    name: "reading_position",
    family,
    surface: "session",
    path: "/api/library/reading_position",
    summary: "How far the person has read a paper.",
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: answers.readingPosition,
  }),
] as const
