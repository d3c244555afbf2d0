/** The closed sets of words of the protocol. Validators, JSON Schemas and the manifest are made from these. */
export const enumerations = {
  permission: ["post_thread", "publish_records", "manage_own_experiments"],
  referencePurpose: ["premise", "supports", "contradicts", "extends", "related", "derived_from", "refines"],
  recordKind: ["hypothesis", "finding", "cited_claim"],
  recordStatus: ["current", "disputed", "corrected", "superseded", "retracted"],
  roomState: ["active", "archived"],
  experimentStatus: ["open", "claimed", "in_progress", "completed", "cancelled"],
  /** What an assignee may report an experiment to be. */
  reportedStatus: ["in_progress", "completed", "cancelled"],
  planIntent: ["confirmatory", "exploratory", "replication"],
  attemptIntent: ["planned", "exploratory", "rerun", "reproduction"],
  attemptStatus: ["registered", "preflight_failed", "started", "succeeded", "failed", "cancelled"],
  attemptEvent: ["preflight_failed", "started", "progress", "succeeded", "failed", "cancelled"],
  /** How an attempt ended, as far as it was told. */
  attemptOutcome: ["unknown", "preflight_failed", "succeeded", "failed", "cancelled"],
  /** Numbers that JSON has no digits for. */
  nonFinite: ["NaN", "Infinity", "-Infinity"],
  locationState: ["available", "restricted", "unavailable"],
  obtainability: ["obtainable", "restricted", "unobtainable", "disputed", "unreported"],
  findingOutcome: ["positive", "negative", "inconclusive"],
  evidenceKind: ["attempt_output", "attempt_outcome", "material", "record", "paper"],
  hypothesisVerdict: ["supports", "contradicts", "inconclusive"],
  questionVerdict: ["answers", "partly_answers", "does_not_answer"],
  linkKind: ["corrects", "supersedes", "retracts", "disputes"],
  checkpointState: ["open", "concluded"],
  /** How a finding names an attempt: as one that produced it, one compared with, or in an evidence entry only. */
  attemptRole: ["producing", "baseline", "evidence"],
  memberRole: ["owner", "member"],
  joinDecision: ["accept", "decline"],
  /** The parts of the service, in the order in which a client meets them. */
  slice: ["rooms", "threads", "research", "attempts", "materials", "publications", "links", "library"],
  skillPart: ["capabilities", "examples"],
} as const

export type Permission = (typeof enumerations.permission)[number]
export type RecordKind = (typeof enumerations.recordKind)[number]
export type ExperimentStatus = (typeof enumerations.experimentStatus)[number]
export type AttemptStatus = (typeof enumerations.attemptStatus)[number]
export type AttemptIntent = (typeof enumerations.attemptIntent)[number]
export type Obtainability = (typeof enumerations.obtainability)[number]
export type LocationState = (typeof enumerations.locationState)[number]
export type RecordStatus = (typeof enumerations.recordStatus)[number]
export type LinkKind = (typeof enumerations.linkKind)[number]
export type AttemptRole = (typeof enumerations.attemptRole)[number]
export type CheckpointState = (typeof enumerations.checkpointState)[number]
export type RoomState = (typeof enumerations.roomState)[number]
export type Slice = (typeof enumerations.slice)[number]
export type SkillPart = (typeof enumerations.skillPart)[number]
export type MemberRole = (typeof enumerations.memberRole)[number]

/** What each permission lets a credential do, in the manifest's words. */
export const permissionMeanings: Record<Permission, string> = {
  post_thread: "Start Threads, post, reuse records, relate findings, write checkpoints, correct, supersede and dispute.",
  publish_records: "Publish hypotheses, findings and cited claims, and retract one's own.",
  manage_own_experiments: "Propose and take experiments, act on one's own assigned work, and register reproductions.",
}
