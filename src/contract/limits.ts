/** Every number of the protocol that a client can run into. The manifest, the validators and the answers read them here. */
export const limits = {
  /** Bytes of a request body, over which it is refused 413 `request_too_large`. */
  requestBodyBytes: 1024 * 1024,
  /** Bytes of a page's form that asks for a name and a password, and of what every other form holds beside its operation's content. */
  smallFormBytes: 65_536,
  /** Levels to which lists and objects of a body may be nested. */
  nesting: 100,
  /** Bytes of the body of whoever has not said who they are, as at sign-in; over it 413 too. */
  strangerBodyBytes: 64 * 1024,
  /** Bytes of bodies in hand at one time, all together and for one credential, key or person; over it 503. */
  bodiesBytes: 32 * 1024 * 1024,
  callerBodiesBytes: 8 * 1024 * 1024,
  /** The same for all who have not said who they are. */
  strangersBodiesBytes: 4 * 1024 * 1024,
  /** Connections at one time, all together and from one address; over it one that is idle is closed, or a request is answered 503. */
  connections: 2_000,
  addressConnections: 500,
  /** Feeds held open with `wait` at one time, all together and from one address; over it 503. */
  heldFeeds: 1_000,
  addressHeldFeeds: 200,
  /** Pages and costly reads under way or waiting at one time, all together and from one address; over it 503. */
  heldReads: 1_500,
  addressHeldReads: 400,
  /** Seconds after which an answer that a reading thread does not give is given up, and the thread with it. */
  readingSeconds: 30,
  /** Values that a body may hold, lists and objects among them: more than `contentBytes` of canonical JSON have room for. */
  bodyValues: 30_000,
  /** Violations that a refusal lists; of more it says that there are more. */
  issues: 100,
  /** Bytes of a write's canonical JSON without `client`, over which it is refused 413 `content_too_large`. */
  contentBytes: 60_000,
  /** Items of a list page; also the page size when `limit` is omitted. */
  pageItems: 50,
  /** Seconds for which the activity feed may be held open with `wait`. */
  activityWaitSeconds: 25,

  title: 200,
  explanation: 2_000,
  statement: 4_000,
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
  /** Records that are followed downwards when it is told what a record rests on. */
  /** Seconds by which the clock of a registrant may differ from the server's without a warning. */
  clockSlackSeconds: 60,
  groundsFollowed: 1_000,
  /** Reasons for which a checkpoint is stale that are told, the newest first. */
  staleReasons: 50,
  searchQuery: 200,
  /** Characters of one formula in a text, commands KaTeX may expand in it, bytes and depth of its MathML: over them its source is shown. */
  formula: 2_000,
  formulaExpansions: 200,
  formulaBytes: 65_536,
  formulaDepth: 100,
  /** Formulas of one text that are set, and characters of them all. */
  textFormulas: 500,
  textFormulaCharacters: 8_000,
  /** Cells of a table in Markdown; a larger one stays text. */
  tableCells: 5_000,
  /** Bytes of one rendered text; over them it is shown as it was written. */
  renderedTextBytes: 262_144,
  /** Milliseconds that the rendering of one text may take on its own thread. */
  renderingMilliseconds: 5_000,
  /** Bytes of rendered texts that a page begins; what comes after them is cut, or stands on the next page. */
  pageTextBytes: 2_000_000,
  /** Characters of a piece of code in colour; a longer one is plain. */
  colouredCode: 10_000,
  /** Labels in the texts of a page that become links. */
  linkedLabels: 300,
  /** Bytes of a page. A larger one says so, and where what it shows can be read. */
  pageBytes: 4_000_000,
  /** Bytes of the items of a list page; where fewer fit than were asked for, the next page begins sooner. */
  listBytes: 3_500_000,
  /** Bytes of one list within an answer that holds several; of more, the newest items. */
  innerListBytes: 700_000,
  /** Bytes of rendered texts that are kept in memory. */
  keptTextBytes: 33_554_432,
  /** Metrics of which a list of attempts shows the last value, for each. */
  listedMetrics: 20,
  /** Words of the instance that may begin like the last one of a search; with more, it is looked up as a whole word. */
  searchBeginnings: 64,
  /** Matches of a search that are ranked: of more, the newest. */
  searchRanked: 1_000,
  /** Texts that hold a word, of all words of a search together, up to which a word is weighed: without one, the newest come first. */
  searchWeighed: 20_000,
  /** Of words that each stand in very many texts, the newest so many of all of them together are looked at for texts that hold all. */
  searchCommon: 16_000,
  /** Characters of texts that are read for a phrase whose words very many texts hold. */
  searchRead: 250_000,
  /** People that a search shows whose name begins as it does. */
  searchPeople: 5,
  /** Matches among which those of a status, or since a time, are looked for: the newest. */
  searchNarrowed: 2_000,
  /** Words of a phrase that are looked up as one; a longer one as several, all of which must occur. */
  searchPhrase: 4,
  /**
   * Words in the texts of all matches, together, up to which they are ranked; with more, the newest come first. A phrase is
   * looked for in half as many words, of the newest texts that hold its words.
   */
  searchRankedWords: 200_000,
  /** Characters of the texts in which the passages of one page are looked for; what is behind them is shown unmarked. */
  searchSight: 60_000,
  /** Bytes of texts that are compared for a page of concepts or Rooms that contain something. */
  substringRead: 2_000_000,
  /** Characters that a passage shows of a word at either end. */
  searchWord: 100,
  /** Texts of each kind in a Room, the newest, among which what is similar is looked for; characters of each that are looked at. */
  similarSight: 1_000,
  similarText: 1_500,
  /** What is answered of that, characters of a line of it, and attempts on one commit that are compared, the newest. */
  similarItems: 5,
  similarLine: 160,
  /** Occurrences of terms that are weighed among the texts of a kind. */
  similarWeighed: 2_000,
  /** Terms of texts that are kept in memory of all Rooms together, but for the Room that is asked of. */
  similarHeld: 500_000,
  similarExecutions: 500,
  /** A name within a body: of an arm, an output, a metric, an environment variable. */
  name: 200,
  evidence: 50,
  executionAttempts: 50,
  papers: 50,
  locator: 200,
  verdicts: 20,
  openQuestions: 20,
  /** Places of a body that one withholding names. */
  withheldFields: 50,
  citations: 50,
  /** Threads with a checkpoint, those with the newest, whose open questions a brief tells. */
  briefThreads: 1_000,
  /** Bytes of a page in its form for agents, Markdown. */
  documentBytes: 32_000,
  /** Bytes of what a tool answers to an agent that speaks MCP; of more it is told how to ask for less. */
  toolAnswerBytes: 100_000,
  /** Bytes that a brief may have: at the least, when nothing is said, at the most. */
  briefMin: 2_000,
  brief: 8_000,
  briefMax: 64_000,
  /** What is looked at of one sort when a brief is written, the newest first. */
  briefSight: 200,
  /** What is looked at of one sort when it is told how strong a record is, the newest; and items of each list that are told. */
  caseSight: 200,
  caseItems: 20,
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
  protocolSteps: 50,
  protocolArms: 20,
  argv: 200,
  materials: 50,
  metricsOfEvent: 1_000,
  outputsOfEvent: 50,
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
  /** Characters of a setting that a table shows. */
  tableCell: 200,
  /** Bytes of the notices that stand beside a record; of more, the newest. Its Room's links list them all. */
  noticeBytes: 16_384,
  /** Fallen records that are told of as grounds of doubt. */
  doubts: 50,
  /** Characters of the title of a node in a provenance graph. */
  nodeTitle: 300,
  /** Newest events that an attempt read shows; of outputs and last values, ten times as many. */
  attemptEvents: 500,

  /** Exports under way at one time; a further one is told to wait. */
  exports: 2,
  /** Seconds after which an export is given up whose reader takes nothing more. */
  exportStallSeconds: 60,
  /** Seconds that an export may take at all: for as long, the log of the database cannot be worked off. */
  exportSeconds: 1_800,
  /** What an export may take in a process of its own: seconds of a processor's time for each piece of 64 KiB, and MiB of objects. */
  exportPieceSeconds: 10,
  exportMegabytes: 256,

  /**
   * What is done again at the most to answer as of an earlier entry, of a Room and of those bound to it by what they cite: writes,
   * bytes of what was sent, seconds of a processor's time, MiB of objects, and bytes of what is made; over it, 422 `past_too_large`.
   */
  pastEntries: 50_000,
  pastContentBytes: 128 * 1024 * 1024,
  pastSeconds: 60,
  pastMegabytes: 256,
  pastBytes: 512 * 1024 * 1024,
  /** Earlier moments that are made at one time, and that may wait; over it, 503. Those that are kept for the next who asks, and their bytes. */
  pastProcesses: 1,
  pastWaiting: 8,
  pastKept: 8,
  pastKeptBytes: 1024 * 1024 * 1024,

  /** What reading one file in a format of others may take, BibTeX among them, in a process of its own; over it, 422. */
  parsingSeconds: 5,
  parsingMegabytes: 128,
  /** Characters of JSON that it may come to. */
  parsingOutput: 2_000_000,
  /** Files read at one time, and files that may wait; over it, 503. */
  parsingProcesses: 1,
  parsingWaiting: 8,

  /** Seconds for which an answer about one repository and commit stands. */
  repositoryCheckSeconds: 120,
  /** Requests an hour that the repository host takes from one address without a token. */
  repositoryRequestsPerHour: 60,

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
  lastPage: 10_000,

  /** Characters of another instance's address. */
  address: 300,
  usernameMin: 2,
  usernameMax: 40,
  /** Characters of a password. Its upper bound keeps a hash's cost bounded. */
  passwordMin: 10,
  passwordMax: 200,
  credentialLabel: 100,
  credentialThreads: 50,
  credentialDaysDefault: 90,
  credentialDaysMax: 366,
  invitationDays: 7,
  sessionDays: 30,
  /**
   * Failed sign-ins allowed for one name at one address, and ten times that for one address, in one window. For one name at
   * all addresses together there is no more than a slowing: then one try in so many seconds is looked at, while so many wait.
   */
  signInFailures: 10,
  signInWindowSeconds: 300,
  signInSlowedSeconds: 1,
  signInsWaiting: 5,
  /** Failed sign-ins that the audit log notes one by one in so many seconds; the others of that time are counted in one line. */
  auditedFailures: 20,
  auditedFailuresSeconds: 3_600,

  /**
   * What the service takes in a minute, and how many of these may come at once; over it, 429 `too_many_requests`. Whole
   * groups read from one address, so its numbers are large; they do not count callers on the machine itself.
   */
  addressRequestsPerMinute: 6_000,
  addressRequestsAtOnce: 3_000,
  /** Of one credential, personal key or signed-in person. */
  callerReadsPerMinute: 3_000,
  callerReadsAtOnce: 1_500,
  callerWritesPerMinute: 600,
  callerWritesAtOnce: 300,
  /** Refused credentials from one address; over it only callers that came in before are still let in from there. */
  refusedCredentialsPerMinute: 30,
  refusedCredentialsAtOnce: 60,
} as const

/** What is counted of an address or a caller, each by what it may do a minute and at once. */
export const countedRates = ["addressRequests", "callerReads", "callerWrites", "refusedCredentials"] as const
export type CountedRate = (typeof countedRates)[number]
export type RateLimit = `${CountedRate}${"PerMinute" | "AtOnce"}`
/** The limits that an instance keeps only where it limits its callers. */
export const rateLimits = countedRates.flatMap((name): RateLimit[] => [`${name}PerMinute`, `${name}AtOnce`])
