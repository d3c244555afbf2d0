/** The sizes of answers (lists page through the rest), and how much of a text is rendered in a page. */
export const ofAnswers = {
  /** Items of a list page; also the page size when `limit` is omitted. */
  pageItems: 50,
  /** The most seconds for which `wait` may hold the activity feed open. */
  activityWaitSeconds: 60,
  /** Seconds without an event after which a stream sends a comment. */
  eventCommentSeconds: 20,
  /** Entries that one answer of an inbox reads, and reasons that it gives for each entry it shows. */
  inboxSight: 2_000,
  inboxConcerns: 5,
  /** The most characters of a text that a feed tells whole to the agent that it names. */
  namingText: 2_000,
  /** Ids of one entry that are looked up, from its beginning: a configuration may hold thousands. */
  inboxIds: 500,
  /** Bytes of the items on a list page. If fewer items fit than `limit` asks for, the next page begins sooner. */
  listBytes: 3_500_000,
  /** Bytes of one list in an answer with several lists; the newest items are kept. */
  innerListBytes: 800_000,
  /** Metrics of each attempt whose last values a list of attempts shows. */
  listedMetrics: 20,
  /** Records that are followed to find what a record rests on. */
  groundsFollowed: 1_000,
  /** Records that are marked as resting on one that has fallen. */
  shakenRecords: 10_000,
  /** Reasons that are listed for a stale checkpoint, the newest first. */
  staleReasons: 50,
  /** Threads whose open questions a brief lists: those with the newest checkpoints. */
  briefThreads: 1_000,
  /** The first entries without proof, which a Room lists. */
  unprovedEntries: 100,
  /** Bytes of a page in Markdown, its form for agents. */
  documentBytes: 32_000,
  smallReceiptBytes: 600,
  /** Bytes of an MCP tool's answer: longer ones are cut. The default and the maximum. */
  toolAnswerBytes: 16_000,
  toolAnswerMost: 100_000,
  /** Bytes of a brief: the minimum and the default; the maximum is below. */
  briefMin: 2_000,
  brief: 8_000,
  /** Bytes of the brief that agents are advised to read first. */
  briefFirst: 4_000,
  briefMax: 64_000,
  /** Items of each kind that are read to write a brief, the newest first. */
  briefSight: 200,
  /** The newest messages that a brief names. */
  briefMessages: 5,
  /** Checkpoints whose tables a brief shows. */
  briefTables: 5,
  /**
   * Items of each kind that are read to show how strong a record is, the newest; and items of each list that are shown.
   */
  caseSight: 200,
  caseItems: 20,
  /** Reviews that are shown with their subject, the newest. */
  shownReviews: 20,
  /** Days without activity after which work that somebody holds is called silent. */
  silentDays: 14,
  /** Items of a list in a context; Threads are never cut. */
  contextItems: 500,
  /** Nodes of each kind in a provenance graph, and steps from the focused node. */
  provenanceNodes: 500,
  provenanceDepth: 5,
  /** Edges that one graph reads; if there are more, every kind is marked as cut. */
  provenanceEdges: 15_000,
  metricPoints: 1_000,
  /** Points of one curve in an answer: the minimum, the default and the maximum. */
  curvePointsMin: 20,
  curvePoints: 1_000,
  curvePointsMax: 2_000,
  /** Attempts that can be compared by name. */
  comparedAttempts: 32,
  /**
   * Attempts that a table sorts and takes columns from, the newest. Then what it reads of them: bytes of their
   * registrations, settings of each, last values and inputs of all; and the columns that it has of either sort.
   */
  tableAttempts: 2_000,
  tableSettingsBytes: 4_000_000,
  tableSettings: 200,
  tableMetrics: 50_000,
  tableColumns: 100,
  /** Metrics and arms whose means a row of that table tells, and the last values of all its rows that they are of. */
  tableMeans: 6,
  tableArms: 12,
  tableMeanValues: 20_000,
  /** Characters of a text whose numbers are checked, and the most numbers that are looked up. */
  checkedText: 60_000,
  checkedNumbers: 2_000,
  /**
   * Attempts and values that one measurement table reads, metrics and groups that it has, and attempts and values that
   * each group names.
   */
  measuredAttempts: 10_000,
  measuredMetrics: 1_000,
  measuredValues: 250_000,
  measuredGroups: 500,
  /** Groups of a table that a checkpoint keeps: twelve rows at fifty sizes, the baseline among them. */
  keptGroups: 600,
  groupAttempts: 50,
  /** Attempts that the noise of a table or of a difference names. */
  noiseAttempts: 10,
  groupPoints: 200,
  /**
   * Rows and bytes of a table of measured values that a program reports, and characters of one that is pasted into a
   * page.
   */
  tableRows: 20_000,
  tableBytes: 4_000_000,
  pastedTable: 50_000,
  /** Texts that stand for a missing value in a table. */
  missingCells: 20,
  /** Effects that are gathered for one record, the newest. */
  gatheredEffects: 500,
  /** Entries that the refusal of a watermark lists. */
  entriesBetween: 10,
  /** Records that are looked through for what changed, the newest, and those that a read tells. */
  changedSight: 200,
  changedItems: 30,
  /** Attempts on a page of a Room's ledger. */
  ledgerRuns: 200,
  /** Characters of a setting that a table shows. */
  tableCell: 200,
  /** Bytes of the notices that are shown with a record, the newest. Its Room's list of links has them all. */
  noticeBytes: 16_384,
  /** Fallen records that are listed as grounds of doubt. */
  doubts: 50,
  /** Characters of the title of a node in a provenance graph. */
  nodeTitle: 300,
  /** Newest events that the read of an attempt shows; it shows ten times as many outputs and last values. */
  attemptEvents: 500,
  /**
   * Limits of one formula: its characters, macro expansions, and the bytes and depth of its MathML. Beyond them its
   * source is shown.
   */
  formula: 2_000,
  formulaExpansions: 200,
  formulaBytes: 65_536,
  formulaDepth: 100,
  /** Formulas of one text that are rendered, and their characters in total. */
  textFormulas: 500,
  textFormulaCharacters: 8_000,
  /** Cells of a Markdown table; a larger one stays text. */
  tableCells: 5_000,
  /** Bytes of one rendered text; a longer one is shown as it was written. */
  renderedTextBytes: 262_144,
  /** Milliseconds for rendering one text on its own thread. */
  renderingMilliseconds: 5_000,
  /** Bytes of rendered texts on a page; what follows is cut, or moved to the next page. */
  pageTextBytes: 2_000_000,
  /** Characters of a code block that is highlighted; a longer one is plain. */
  colouredCode: 10_000,
  /** Labels in the texts of a page that are linked. */
  linkedLabels: 300,
  /** Bytes of a page. A larger one is replaced by a notice that says where its content can be read. */
  pageBytes: 4_000_000,
  /** Bytes of rendered texts that are cached. */
  keptTextBytes: 33_554_432,
} as const

/** The sizes of a write's content: of its texts and its lists. */
export const ofRecords = {
  /** Bytes of a write's canonical JSON without `client`; beyond it, 413 `content_too_large`. */
  contentBytes: 60_000,
  title: 200,
  explanation: 2_000,
  statement: 4_000,
  /** The answer of a checkpoint: what one would say in two sentences. */
  answer: 600,
  message: 20_000,
  clientField: 200,
  conceptLabel: 160,
  conceptDefinition: 2_000,
  roleDefinition: 1_000,
  roleText: 2_000,
  decimal: 100,
  unit: 100,
  rolesMin: 2,
  rolesMax: 12,
  premises: 20,
  references: 20,
  /** Seconds by which a registrant's clock may differ from the server's without a warning. */
  clockSlackSeconds: 60,
  /** A name in a body: of an arm, an output, a metric, an environment variable. */
  name: 200,
  evidence: 50,
  /** Effects that a finding bases its numbers on. */
  effects: 12,
  /**
   * Values that the effects of one finding are worked out from: of each effect, those of its metric that the named
   * attempts reported. Everybody's writes wait meanwhile.
   */
  effectValues: 100_000,
  /**
   * Effects that a write works out again, with those that repeat them: a report of metrics, at success or later, or the
   * opening of a sealed plan.
   */
  movedEffects: 300,
  /** Attempts that follow a plan while it is sealed: its opening compares each of them with it. */
  sealedAttempts: 1_000,
  executionAttempts: 50,
  papers: 50,
  locator: 200,
  verdicts: 20,
  openQuestions: 20,
  /** Places of a body in one withholding. */
  withheldFields: 50,
  citations: 50,
  /** Pictures in one write, and characters of the text alternative of each. */
  figures: 8,
  figureAlt: 500,
  protocolSteps: 50,
  protocolArms: 20,
  argv: 200,
  materials: 50,
  metricsOfEvent: 1_000,
  correctedMetrics: 50,
  /** Dimensions of one value, and the characters of a dimension's text. */
  dimensions: 8,
  dimensionText: 64,
  outputsOfEvent: 50,
  claimMinutesMin: 5,
  claimMinutesMax: 240,
  leaseMinutesMin: 30,
  leaseMinutesMax: 1_440,
  /** Claims by others that one write is warned about. */
  claimWarnings: 5,
  /** Characters of the address of another instance. */
  address: 300,
} as const
