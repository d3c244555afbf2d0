/** How much an answer tells of what there is; lists lead on to more. */
export const ofAnswers = {
  /** Items of a list page; also the page size when `limit` is omitted. */
  pageItems: 50,
  /** Seconds for which the activity feed may be held open with `wait`. */
  activityWaitSeconds: 25,
  /** Seconds after which a stream of events on which nothing lands gets a comment. */
  eventCommentSeconds: 20,
  /** Entries that one answer of an inbox looks through, and reasons it gives for each that it shows. */
  inboxSight: 2_000,
  inboxConcerns: 5,
  /** Ids that are looked up of one entry, the first ones: a configuration may hold thousands. */
  inboxIds: 500,
  /** Bytes of the items of a list page; where fewer fit than were asked for, the next page begins sooner. */
  listBytes: 3_500_000,
  /** Bytes of one list within an answer that holds several; of more, the newest items. */
  innerListBytes: 800_000,
  /** Metrics of which a list of attempts shows the last value, for each. */
  listedMetrics: 20,
  /** How many records are followed to show what a record rests on. */
  groundsFollowed: 1_000,
  /** Records that are marked as resting on one that fell. */
  shakenRecords: 10_000,
  /** How many reasons for a stale checkpoint are listed, the newest first. */
  staleReasons: 50,
  /** Threads with a checkpoint, those with the newest, whose open questions a brief tells. */
  briefThreads: 1_000,
  /** Entries that cannot be proved which a Room names, the first ones. */
  unprovedEntries: 100,
  /** Bytes of a page in its form for agents, Markdown. */
  documentBytes: 32_000,
  /** Bytes of a receipt in its small form. */
  smallReceiptBytes: 600,
  /** Bytes of an answer of an MCP tool: where nothing is said, longer ones are cut; at the most. */
  toolAnswerBytes: 16_000,
  toolAnswerMost: 100_000,
  /** Bytes that a brief may have: at the least, when nothing is said, at the most. */
  briefMin: 2_000,
  brief: 8_000,
  /** Bytes of the brief that an agent is told to begin with. */
  briefFirst: 4_000,
  briefMax: 64_000,
  /** What is looked at of one sort when a brief is written, the newest first. */
  briefSight: 200,
  /** How many items of one kind are read to show how strong a record is, the newest; and how many of each list are shown. */
  caseSight: 200,
  caseItems: 20,
  /** Reviews that stand beside what they speak of, the newest. */
  shownReviews: 20,
  /** Days without a sign after which work that somebody holds is called silent. */
  silentDays: 14,
  /** Items of a list in a context; Threads are never cut. */
  contextItems: 500,
  /** Nodes of each kind in a provenance graph, and steps around the node in focus. */
  provenanceNodes: 500,
  provenanceDepth: 5,
  /** Edges that one graph looks at; where there are more, every kind is said to be cut. */
  provenanceEdges: 15_000,
  /** Layers that the relations in a picture of the graph cross, together; those that cross most are left to its table. */
  graphCrossings: 250,
  /** Points of an attempt's metric series in one page. */
  metricPoints: 1_000,
  /** Points of one curve in an answer: at the least, when nothing is said, at the most. */
  curvePointsMin: 20,
  curvePoints: 1_000,
  curvePointsMax: 2_000,
  /** Attempts that are laid beside each other by name. */
  comparedAttempts: 32,
  /**
   * Attempts that a table sorts and finds columns among: of more, the newest. Bytes of their registrations, settings of each, last
   * values and inputs of all that are looked at for that, and columns of either sort that it has.
   */
  tableAttempts: 2_000,
  tableSettingsBytes: 4_000_000,
  tableSettings: 200,
  tableMetrics: 50_000,
  tableColumns: 100,
  /** Attempts and values that one measurement table looks at, metrics and groups that it has, and attempts and values it names of each. */
  measuredAttempts: 5_000,
  measuredMetrics: 1_000,
  measuredValues: 250_000,
  measuredGroups: 500,
  groupAttempts: 50,
  groupPoints: 200,
  /** Rows and bytes of a table of measured values that a program reports, and characters of one that is pasted into a page. */
  tableRows: 20_000,
  tableBytes: 4_000_000,
  pastedTable: 50_000,
  /** Effects that are gathered for one record, the newest. */
  gatheredEffects: 500,
  /** Characters of a setting that a table shows. */
  tableCell: 200,
  /** Bytes of the notices that stand beside a record; of more, the newest. Its Room's links list them all. */
  noticeBytes: 16_384,
  /** How many fallen records are listed as grounds of doubt. */
  doubts: 50,
  /** Characters of the title of a node in a provenance graph. */
  nodeTitle: 300,
  /** Newest events that an attempt read shows; of outputs and last values, ten times as many. */
  attemptEvents: 500,
} as const
