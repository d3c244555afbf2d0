import * as v from "valibot"
import { at, count, id, optionalText, tokenFields } from "../answers/fields.ts"
import { enumerations } from "../schema/enumerations.ts"
import { shape } from "../schema/fields.ts"
import { schemaVersions } from "../service.ts"

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

/** The ids of a paper. `paperId` is its arXiv id, else its DOI, else `isbn:` or `ref:` and an identifier. */
const identity = { paperId: v.string(), arxivId: optionalText }
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
  ...identity,
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
  ...identity,
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
  ...identity,
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
  ...identity,
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
