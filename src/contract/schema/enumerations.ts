import { nodeKinds, recordKinds, searchKinds } from "../objects/objects.ts"

const referencePurpose = ["premise", "supports", "contradicts", "extends", "related", "derived_from", "refines"] as const
const hypothesisVerdict = ["supports", "contradicts", "inconclusive"] as const
const reproductionVerdict = ["reproduces", "partly_reproduces", "does_not_reproduce", "inconclusive"] as const
const questionVerdict = ["answers", "partly_answers", "does_not_answer"] as const
/** How a record may stand otherwise than current. */
const fallen = ["retracted", "superseded", "corrected", "disputed"] as const
const linkKind = ["corrects", "supersedes", "retracts", "disputes"] as const

/** The closed sets of words of the protocol. Validators, JSON Schemas and the manifest are made from these. */
export const enumerations = {
  permission: ["post_thread", "publish_records", "manage_own_experiments"],
  referencePurpose,
  recordKind: recordKinds,
  recordStatus: ["current", "disputed", "corrected", "superseded", "retracted"],
  roomState: ["active", "archived"],
  experimentStatus: ["open", "claimed", "in_progress", "completed", "cancelled"],
  /** What an assignee may report an experiment to be. */
  reportedStatus: ["in_progress", "completed", "cancelled"],
  planIntent: ["confirmatory", "exploratory", "replication"],
  attemptIntent: ["planned", "exploratory", "rerun", "reproduction"],
  attemptStatus: ["registered", "preflight_failed", "started", "succeeded", "failed", "cancelled"],
  attemptEvent: ["preflight_failed", "started", "progress", "succeeded", "failed", "cancelled"],
  /** How an attempt ended, as far as was reported. */
  attemptOutcome: ["unknown", "preflight_failed", "succeeded", "failed", "cancelled"],
  /** Numbers that JSON has no digits for. */
  nonFinite: ["NaN", "Infinity", "-Infinity"],
  locationState: ["available", "restricted", "unavailable"],
  obtainability: ["obtainable", "restricted", "unobtainable", "disputed", "unreported"],
  findingOutcome: ["positive", "negative", "inconclusive"],
  hypothesisVerdict,
  questionVerdict,
  /** What the registrant of a reproduction says of what it reproduces. */
  reproductionVerdict,
  /** Who speaks for or against a record: a finding link, a reference of another record, a reproduction, or a research link. */
  evidenceSource: ["finding_link", "reference", "reproduction", "research_link"],
  evidenceVerdict: [
    ...hypothesisVerdict,
    ...reproductionVerdict.filter((verdict) => verdict !== "inconclusive"),
    "disputes",
    "corrects",
    "retracts",
  ],
  /**
   * Whether a word counts in the tally: `counted`; `replaced` by a newer word of the same author and source; its source has
   * `fallen`; it was `withdrawn`; or it says nothing that is counted (`uncounted`: no verdict, or a research link, which shows in the status).
   */
  evidenceStanding: ["counted", "replaced", "fallen", "withdrawn", "uncounted"],
  /** What the words that count say of a record together; it is contested when they disagree, or when it is disputed itself. */
  evidenceBearing: ["untested", "supported", "contradicted", "inconclusive", "contested"],
  /** What decides the verdict of a hypothesis. */
  verdictBasis: ["effects", "words"],
  /** How one object uses a record. */
  recordUse: [
    "premise",
    "reference",
    "evidence",
    "role",
    "reuse",
    "verdict",
    "reproduction",
    "plan_premise",
    "plan_hypothesis",
    "addressed",
    "citation",
    "replacement",
    "dispute_evidence",
  ],
  /** A publication after the checkpoint; one before it that it does not cover; a cited record that is no longer current. */
  effectStaleReason: ["values_changed", "values_withheld"],
  /** What the effect of a reproduction says of the one that it repeats: its interval holds that estimate, its sign agrees alone, or neither. */
  effectAgreement: ["holds_estimate", "sign_agrees", "neither"],
  staleReason: ["published_since", "not_covered", "citation_fallen", "citation_in_doubt"],
  /** What would move a Room, in the order in which a reader should think of it. */
  nextStep: [
    "answer_dispute",
    "settle_reproduction",
    "renew_conclusion",
    "review_conclusion",
    "report_outcome",
    "open_plan",
    "answer_question",
    "test_hypothesis",
    "take_experiment",
    "reproduce_finding",
  ],
  /** What a brief calls a failure. */
  failureKind: ["attempt_failed", "attempt_diverged", "retraction"],
  linkKind,
  /**
   * What a write or a record is warned of. It rests on what has fallen, directly or further down, or a plan it names
   * does, with what that tests; it names what has fallen, or a
   * material that nobody can get; it says too little, repeats itself, or contradicts itself; a checkpoint goes back behind another; another agent
   * has claimed the same work, holds the experiment, lost it to the sender when its lease had lapsed, or has taken it over from the sender.
   */
  warning: [
    ...fallen.map((status) => `rests_on_${status}` as const),
    "rests_on_more",
    ...fallen.map((status) => `plan_rests_on_${status}` as const),
    ...fallen.map((status) => `names_${status}` as const),
    "material_unobtainable",
    "material_disputed",
    "cites_nothing",
    "premise_repeated",
    "attempt_in_two_roles",
    "attempt_not_of_plan",
    "same_effect",
    "effect_not_named",
    "verdict_differs",
    "attempt_without_outcome",
    "attempt_produced_nothing",
    "outcome_unknown",
    "output_unknown",
    "output_differs",
    "output_differs_from_material",
    "departs_from_plan",
    "over_budget",
    "exit_code_contradicts",
    "reported_in_future",
    "reported_before_registration",
    "attempt_not_named",
    "hypothesis_not_addressed",
    "completed_without_attempt",
    "covers_less",
    "reopens_conclusion",
    "claimed_by",
    "held_by_other_agent",
    "lease_lapsed",
    "taken_over",
  ],
  /** Which values of a board are better. */
  direction: ["lower", "higher"],
  /** What an agent can say it is at. */
  claimedWork: ["run", "reproduce", "write_finding", "write_checkpoint", "review"],
  /** What a reviewer says of a finding, a checkpoint or a plan, and what of it they checked. */
  reviewVerdict: ["agrees", "agrees_with_reservations", "objects"],
  reviewChecked: ["wording", "numbers", "code", "data", "rerun"],
  checkpointState: ["open", "concluded"],
  /** How a finding names an attempt: as one that produced it, one compared with, or in an evidence entry only. */
  attemptRole: ["producing", "baseline", "evidence"],
  provenanceNode: nodeKinds,
  /**
   * How one object leads back to another that it speaks of, rests on or was made with. Of a record: its purpose in naming
   * another, `evidence`, `results_from` and `compares_with` (attempts), `reports_on` (an experiment), `uses` (a material). Of an
   * experiment `addresses`; of a plan `plans`, `tests`, `premise`, `requires`; of an attempt `executes`, `follows`, `reruns`,
   * `reproduces`, `consumes`; of a material `produced_by`. Of a finding link `relates`, `evidence` and its verdicts; of a link its
   * kind and `replaced_by`.
   */
  provenanceEdge: [
    ...referencePurpose,
    "evidence",
    "results_from",
    "compares_with",
    "reports_on",
    "uses",
    "addresses",
    "plans",
    "tests",
    "requires",
    "executes",
    "follows",
    "reruns",
    "reproduces",
    "consumes",
    "produced_by",
    "relates",
    "inconclusive",
    ...questionVerdict,
    ...linkKind,
    "replaced_by",
  ],
  /** What full-text search finds. */
  searchKind: searchKinds,
  /** What is compared to tell what was already tried. */
  similarKind: ["hypothesis", "experiment", "finding", "attempt"],
  memberRole: ["owner", "member"],
  joinDecision: ["accept", "decline"],
  libraryPermission: ["read_library", "read_annotations", "file_papers", "post_notes"],
  /** How far a personal key reaches: the Library and every Collection, the Library and the person's own, or chosen ones. */
  keyReach: ["all", "owned", "selected"],
  /** Whether a source's metadata of a paper is known here. */
  metadata: ["known", "unknown"],
  /** Who says what a paper is: arXiv, Crossref, or whoever filed it. */
  paperSource: ["arxiv", "crossref", "given"],
  /** How saved papers may be ordered. */
  paperOrder: ["saved", "title", "published"],
  highlightColour: ["yellow", "green", "blue", "pink", "purple", "orange"],
  /** Why something is withheld from a public record: it lets somebody in somewhere; it is about a person; it is somebody else's; a court or authority says so; or another reason, told in a sentence. */
  withholdingReason: ["secret", "personal_data", "rights", "legal_order", "other"],
  /** The parts of the service, in the order in which a client meets them. */
  slice: ["rooms", "threads", "research", "attempts", "materials", "publications", "links", "library"],
  /** What a feed can add beside each entry. */
  activityInclude: ["summary", "content", "write"],
  /** Why an entry of a Room concerns an agent: it answers, names or bears on what is its own, mentions it, takes an experiment over from it, or is about an experiment of its own. */
  concern: ["reply", "named", "bears_on", "mentioned", "taken_over", "assigned", "proposed"],
  skillPart: ["reading", "capabilities", "examples"],
} as const

export type Permission = (typeof enumerations.permission)[number]
export type LibraryPermission = (typeof enumerations.libraryPermission)[number]
/** What a Room credential or a personal key may be given. */
export type AnyPermission = Permission | LibraryPermission
export type PaperOrder = (typeof enumerations.paperOrder)[number]
export type KeyReach = (typeof enumerations.keyReach)[number]
export type ReviewVerdict = (typeof enumerations.reviewVerdict)[number]
export type ClaimedWork = (typeof enumerations.claimedWork)[number]
export type RecordKind = (typeof enumerations.recordKind)[number]
export type ExperimentStatus = (typeof enumerations.experimentStatus)[number]
export type WarningCode = (typeof enumerations.warning)[number]
export type AttemptStatus = (typeof enumerations.attemptStatus)[number]
export type AttemptIntent = (typeof enumerations.attemptIntent)[number]
export type Obtainability = (typeof enumerations.obtainability)[number]
export type LocationState = (typeof enumerations.locationState)[number]
export type ReproductionVerdict = (typeof enumerations.reproductionVerdict)[number]
export type EffectAgreement = (typeof enumerations.effectAgreement)[number]
export type Bearing = (typeof enumerations.evidenceBearing)[number]
export type RecordStatus = (typeof enumerations.recordStatus)[number]
export type LinkKind = (typeof enumerations.linkKind)[number]
export type AttemptRole = (typeof enumerations.attemptRole)[number]
export type CheckpointState = (typeof enumerations.checkpointState)[number]
export type ProvenanceNode = (typeof enumerations.provenanceNode)[number]
export type ProvenanceEdge = (typeof enumerations.provenanceEdge)[number]
export type SearchKind = (typeof enumerations.searchKind)[number]
export type SimilarKind = (typeof enumerations.similarKind)[number]
export type RoomState = (typeof enumerations.roomState)[number]
export type Slice = (typeof enumerations.slice)[number]
export type SkillPart = (typeof enumerations.skillPart)[number]
export type MemberRole = (typeof enumerations.memberRole)[number]

/** What each permission lets a credential do, in the manifest's words. */
export const permissionMeanings: Record<Permission, string> = {
  post_thread:
    "Start Threads, post, reuse records, relate findings, write checkpoints, correct, supersede and dispute, review, and claim work.",
  publish_records: "Publish hypotheses, findings and cited claims, and retract one's own.",
  manage_own_experiments: "Propose and take experiments, act on one's own assigned work, and register reproductions.",
}

/** What each permission lets a personal key do, as far as it reaches. */
export const libraryPermissionMeanings: Record<LibraryPermission, string> = {
  read_library: "Read saved papers, Collections and their notes.",
  read_annotations: "Read one's own annotations: free text and highlights.",
  file_papers: "Save papers, create and rename Collections, add papers to them and remove papers from them.",
  post_notes: "Post notes on papers of Collections, under the owner's name.",
}
