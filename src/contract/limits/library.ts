/** The Library's caps, and how much one of its writes may hold. */
export const ofLibrary = {
  /** The Library's caps. */
  collectionPapers: 1_000,
  savedPapers: 20_000,
  ownedCollections: 200,
  collectionMembers: 100,
  /** Notes on one paper in one Collection, and highlights in one paper. */
  threadNotes: 1_000,
  highlights: 1_000,
  /** Tags of a person, tags of one paper, and characters of a tag. */
  tags: 500,
  paperTags: 20,
  tag: 50,
  collectionName: 100,
  /** Papers in one write. */
  arxivIds: 50,
  note: 10_000,
  /** Papers that are taken from one pasted text, and its characters, where it is no file of references. */
  pastedPapers: 200,
  pasted: 200_000,
  /** Characters of the BibTeX in one import, and of one entry in it. */
  bibtex: 500_000,
  bibtexEntry: 20_000,
  /** Collections that a personal key of selected reach may name. */
  keyCollections: 200,
  /** The last page that a passage may stand on, or a reader be at. */
  lastPage: 10_000,
} as const
