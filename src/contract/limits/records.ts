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
