/** What the service takes of a request, and how much of what is asked it has in hand at one time. */
export const ofRequests = {
  /** Bytes of a request body, over which it is refused 413 `request_too_large`. */
  requestBodyBytes: 1024 * 1024,
  /** Bytes of a page's form that asks for a name and a password, and of what every other form holds beside its operation's content. */
  smallFormBytes: 65_536,
  /** Inputs of a page's form, and characters of the name of one: twice what the longest form here has. Over it 413. */
  formInputs: 5_000,
  formInputName: 200,
  /** Levels to which lists and objects of a body may be nested. */
  nesting: 100,
  /** Bytes of the body of a caller that has not identified itself, as at sign-in; over it 413 too. */
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
  /** Bytes of an uploaded picture, and of what it is kept as; its pixels; and seconds and 64 KiB pages of memory that reading it may take. */
  figureBytes: 1_000_000,
  keptFigureBytes: 4_000_000,
  figurePixels: 20_000_000,
  figureSeconds: 10,
  figurePages: 6_400,
  /** Bytes of a message of MCP that brings a picture in base64; over it 413. Any other message has `requestBodyBytes`. */
  figureMessageBytes: 1_400_000,
  /** Hours for which a picture that nothing public names is kept, and how many of those one person may have: the oldest go first. */
  unnamedFigureHours: 24,
  unnamedFigures: 50,
  /** Writes of one batch. */
  batchWrites: 20,
  /** Values of one batch that may come from receipts of its own writes: each takes as many bytes as it stands for. */
  batchReferences: 200,
  /** Values that a body may hold, lists and objects among them: more than `contentBytes` of canonical JSON have room for. */
  bodyValues: 30_000,
  /** Violations that a refusal lists; of more it says that there are more. */
  issues: 100,
} as const
