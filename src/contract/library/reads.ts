/**
 * The reads of the Library and their answers: those for personal keys, which the person also has in the browser, and
 * those only for the browser.
 */
import * as v from "valibot"
import { connectPaths, schemaVersions } from "../service.ts"
import { optionalText, at, count, id, tokenFields } from "../answers/fields.ts"
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

/** A paper in answers. `paperId` is its arXiv id, else its DOI, else `isbn:` or `ref:` and an identifier. */
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

// The answers.

const words = v.array(v.string())

const schemaVersion = v.literal(schemaVersions.library)
const links = shape({ self: v.string(), next: optionalText })
const paging = { hasMore: v.boolean(), nextOffset: v.nullable(count), links }

/** A page of a Library list, paged by offset. */
export const libraryPage = <S extends v.GenericSchema, M extends v.ObjectEntries = Record<never, never>>(
  item: S,
  more: M = {} as M,
) => shape({ schemaVersion, items: v.array(item), ...paging, ...more })

/** The answer of a list that is always short and has no pages. */
export const libraryList = <S extends v.GenericSchema>(item: S) => shape({ schemaVersion, items: v.array(item) })

const reach = v.picklist(enumerations.keyReach)
const permissions = v.array(v.picklist(enumerations.libraryPermission))
const keyAgent = shape({
  name: v.exactOptional(v.string()),
  version: v.exactOptional(v.string()),
  model: v.exactOptional(v.string()),
})

export const libraryIdentity = shape({
  schemaVersion,
  userId: id,
  username: v.string(),
  key: shape({ id, label: v.string(), expiresAt: at, agent: v.nullable(keyAgent) }),
  permissions,
  reach,
  /** The present Collections of a selected reach; null for the other reaches. */
  collectionIds: v.nullable(v.array(id)),
  limits: v.record(v.string(), count),
  links: v.record(v.string(), v.string()),
})

/** A name in the parts that CSL-JSON has, or of a group. */
const cslName = shape({
  family: v.exactOptional(v.string()),
  given: v.exactOptional(v.string()),
  "non-dropping-particle": v.exactOptional(v.string()),
  suffix: v.exactOptional(v.string()),
  literal: v.exactOptional(v.string()),
})
/** A date in the parts that CSL-JSON has, or the words in its place. */
const cslDate = shape({
  "date-parts": v.exactOptional(v.array(v.array(count))),
  season: v.exactOptional(count),
  circa: v.exactOptional(v.boolean()),
  literal: v.exactOptional(v.string()),
})
export type CslName = v.InferOutput<typeof cslName>
export type CslDate = v.InferOutput<typeof cslDate>
/** What records from before it was kept lack. */
const cslFields = {
  /** CSL's type of the paper, if it is known. */
  type: v.exactOptional(v.string()),
  /** The authors in the parts of their names. */
  names: v.exactOptional(v.array(cslName)),
  /** Whether there are more authors than are named. */
  moreAuthors: v.exactOptional(v.boolean()),
  issued: v.exactOptional(cslDate),
  /** The publisher, where the venue is a journal or a book. */
  publisher: v.exactOptional(v.string()),
}
const paperFields = {
  ...paperNamed,
  ...cslFields,
  doi: optionalText,
  isbn: optionalText,
  title: optionalText,
  authors: words,
  year: v.nullable(v.pipe(v.number(), v.integer())),
  /** The journal, the proceedings, or the publisher of a book. */
  venue: optionalText,
  volume: optionalText,
  issue: optionalText,
  pages: optionalText,
  /** The address given for a paper that has no other id. */
  url: optionalText,
  abstract: optionalText,
  categories: words,
  publishedAt: v.nullable(at),
  metadata: v.picklist(enumerations.metadata),
  /** Where the metadata come from: a source, or the person who filed the paper; null if there are none. */
  source: v.nullable(v.picklist(enumerations.paperSource)),
}
/** The members of a paper, and those of them that older records lack. */
export type PaperMember = keyof typeof paperFields
export type CslMember = keyof typeof cslFields
const holding = v.array(shape({ id, name: v.string() }))
export type Holding = v.InferOutput<typeof holding>

export const savedPaper = shape({ ...paperFields, savedAt: at, collections: holding, tags: words })
export type SavedPaper = v.InferOutput<typeof savedPaper>

export const libraryPaper = shape({
  schemaVersion,
  ...paperFields,
  /** null if the key's reach excludes the Library. */
  saved: v.nullable(v.boolean()),
  savedAt: v.nullable(at),
  collections: holding,
  /** The person's own tags for it; null if the key's reach excludes the Library. */
  tags: v.nullable(words),
  /**
   * `publications` lists what the Rooms of this instance published about it; null for a paper that no record can name.
   */
  links: shape({ self: v.string(), publications: optionalText }),
})
export type LibraryPaper = v.InferOutput<typeof libraryPaper>

const collectionFields = {
  id,
  name: v.string(),
  isOwner: v.boolean(),
  owner: v.string(),
  createdAt: at,
  counts: shape({ papers: count, notes: count, unread: count }),
}
export const collectionSummary = shape(collectionFields)
export type CollectionSummary = v.InferOutput<typeof collectionSummary>

export const note = shape({
  noteId: id,
  ...paperNamed,
  author: v.string(),
  at,
  text: v.string(),
  replyToNoteId: v.nullable(id),
  /** The key with which an agent posted it under its owner's name; null for a note that the person wrote. */
  via: v.nullable(shape({ label: v.string(), agent: v.nullable(keyAgent) })),
  unread: v.boolean(),
})
export type Note = v.InferOutput<typeof note>

const collectionPaper = shape({ ...paperFields, addedAt: at, addedBy: v.string(), notes: count })
export type CollectionPaper = v.InferOutput<typeof collectionPaper>

export const collectionDetail = shape({
  schemaVersion,
  ...collectionFields,
  members: words,
  items: v.array(collectionPaper),
  /** The notes on the papers of this page, the oldest first; if there are very many, only the newest of them. */
  notes: v.array(note),
  notesTruncated: v.boolean(),
  ...paging,
})

export const highlight = shape({
  highlightId: id,
  quote: v.string(),
  page: count,
  colour: v.picklist(enumerations.highlightColour),
  comment: optionalText,
  version: v.nullable(count),
  prefix: optionalText,
  suffix: optionalText,
  createdAt: at,
  updatedAt: at,
})
export type Highlight = v.InferOutput<typeof highlight>

export const annotations = shape({
  schemaVersion,
  ...paperNamed,
  /** 0 if nothing was annotated yet. Send it as expectedRevision with the next change. */
  revision: count,
  notes: v.string(),
  highlights: v.array(highlight),
  updatedAt: v.nullable(at),
})
export type Annotations = v.InferOutput<typeof annotations>

/** A tag, with the number of saved papers that have it. */
export const tagged = shape({ tag: v.string(), papers: count })

/** CSL-JSON of papers, as reference managers read it. */
export const cslPapers = v.array(
  v.looseObject({
    id: v.string(),
    type: v.string(),
    title: v.string(),
    author: v.array(cslName),
    issued: v.exactOptional(cslDate),
    DOI: v.exactOptional(v.string()),
    ISBN: v.exactOptional(v.string()),
    URL: v.exactOptional(v.string()),
  }),
)

export const readingPosition = shape({
  schemaVersion,
  ...paperNamed,
  page: v.nullable(count),
  /** How many pages the paper has, if the person gave their number. */
  pages: v.nullable(count),
  offset: v.nullable(count),
  at: v.nullable(at),
})

export const personalKey = shape({
  keyId: id,
  label: v.string(),
  permissions,
  reach,
  collectionIds: v.nullable(v.array(id)),
  agent: v.nullable(keyAgent),
  ...tokenFields,
})
export type PersonalKey = v.InferOutput<typeof personalKey>

/** An invitation as the invited person sees it. */
export const receivedInvitation = shape({
  invitationId: id,
  collection: shape({ id, name: v.string() }),
  invitedBy: v.string(),
  invitedAt: at,
})
/** An invitation as the owner of the Collection sees it. */
export const sentInvitation = shape({ invitationId: id, username: v.string(), invitedAt: at })

// The reads.

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
  csl: { mediaType: "application/vnd.citationstyles.csl+json", answer: cslPapers },
} as const

export const libraryReads = [
  read({
    name: "library_identity",
    ...ofKey,
    path: connectPaths.library_identity,
    summary: "The owner of the Library, the key's permissions, reach and expiry, and the limits.",
    answer: libraryIdentity,
  }),
  read({
    name: "library_collections",
    ...ofReader,
    path: "/api/agent/library/collections",
    summary: "The Collections in reach, newest first, with the numbers of papers, notes and unread notes in each.",
    cursor: "offset",
    answer: libraryPage(collectionSummary),
  }),
  read({
    name: "library_collection",
    ...ofReader,
    path: "/api/agent/library/collections/{collectionId}",
    summary:
      "One Collection: its members, a page of its papers, newest first, and the notes on them; " +
      "or all its papers as BibTeX, RIS or CSL-JSON.",
    cursor: "offset",
    answer: collectionDetail,
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
    answer: libraryPage(savedPaper, {
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
    answer: libraryList(tagged),
  }),
  read({
    name: "library_paper",
    ...ofReader,
    path: "/api/agent/library/paper",
    summary: "One paper: its metadata, whether it is saved, and the Collections in reach that hold it.",
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: libraryPaper,
  }),
  read({
    name: "library_annotations",
    ...ofKey,
    path: "/api/agent/library/annotations",
    summary: "The person's own notes and highlights in one paper, with their revision.",
    permissions: ["read_annotations"],
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: annotations,
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
    answer: libraryList(personalKey),
  }),
  read({
    name: "library_invitations",
    ...ofPerson,
    path: "/api/library/invitations",
    summary: "Open invitations to Collections that wait for your answer.",
    answer: libraryList(receivedInvitation),
  }),
  read({
    name: "collection_invitations",
    ...ofPerson,
    path: "/api/library/collections/{collectionId}/invitations",
    summary: "Open invitations to a Collection, for its owner.",
    refusals: ["not_authorized"],
    answer: libraryList(sentInvitation),
  }),
  read({
    name: "collection_notes",
    ...ofPerson,
    path: "/api/library/collections/{collectionId}/notes",
    summary: "The notes on one paper of a Collection, oldest first.",
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    cursor: "offset",
    answer: libraryPage(note),
  }),
  read({
    name: "reading_position",
    ...ofPerson,
    path: "/api/library/reading_position",
    summary: "How far the person has read a paper.",
    parameters: ofPaper,
    refusals: ["unknown_paper"],
    answer: readingPosition,
  }),
] as const
