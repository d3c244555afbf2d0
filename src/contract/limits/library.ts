/** The Library's limits, and the sizes of its writes. */
export const ofLibrary = {
  /** The limits that interface.md calls caps. */
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
  /** Characters of a paper id, and of a text in a write that names papers. */
  paperId: 300,
  identifier: 5_000,
  note: 10_000,
  /** Papers in one imported text, its characters, and those of one entry in it. */
  importedPapers: 1_000,
  importedText: 500_000,
  bibtexEntry: 20_000,
  /** Collections that a personal key of selected reach may name. */
  keyCollections: 200,
  /** The highest page number of a passage or a reading position. */
  lastPage: 10_000,
} as const
