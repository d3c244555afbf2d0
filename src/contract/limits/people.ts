/**
 * The Library's limits and the sizes of its writes; names, passwords, credentials and sessions; how often a sign-in may
 * fail; and webhooks.
 */
export const ofPeople = {
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
  usernameMin: 2,
  usernameMax: 40,
  /** Characters of a password. The maximum bounds the cost of its hash. */
  passwordMin: 10,
  passwordMax: 200,
  credentialLabel: 100,
  credentialThreads: 50,
  credentialDaysDefault: 90,
  credentialDaysMax: 366,
  invitationDays: 7,
  sessionDays: 30,
  /**
   * Failed sign-ins allowed in one window for one name at one address, and ten times that for one address. Beyond the
   * same number for one name at all addresses, sign-ins with that name are only slowed: one is tried in so many
   * seconds, and so many wait.
   */
  signInFailures: 10,
  signInWindowSeconds: 300,
  signInSlowedSeconds: 1,
  signInsWaiting: 5,
  /**
   * Failed sign-ins that the audit log lists one by one in so many seconds; the rest of them are counted in one line.
   */
  auditedFailures: 20,
  auditedFailuresSeconds: 3_600,
  /**
   * Webhooks of a Room; seconds that a delivery may take; days of failures after which a webhook is turned off;
   * deliveries shown for each.
   */
  roomWebhooks: 10,
  webhookSeconds: 7,
  webhookDays: 3,
  webhookDeliveries: 20,
} as const
