import { nodeKinds, recordKinds, searchKinds } from "../objects/objects.ts"

const referencePurpose = [
  "premise",
  "supports",
  "contradicts",
  "extends",
  "related",
  "derived_from",
  "refines",
] as const
const hypothesisVerdict = ["supports", "contradicts", "inconclusive"] as const
const reproductionVerdict = ["reproduces", "partly_reproduces", "does_not_reproduce", "inconclusive"] as const
const questionVerdict = ["answers", "partly_answers", "does_not_answer"] as const
/** The statuses of a record that is not current. */
const fallen = ["retracted", "superseded", "corrected", "disputed"] as const
const linkKind = ["corrects", "supersedes", "retracts", "disputes"] as const

/** The closed sets of words in the protocol. Validators, JSON Schemas and the manifest are made from them. */
export const enumerations = {
  permission: ["post_thread", "publish_records", "manage_own_experiments"],
  referencePurpose,
  recordKind: recordKinds,
  recordStatus: ["current", "disputed", "corrected", "superseded", "retracted"],
  correctionChanges: ["meaning", "wording"],
  implementation: ["same", "changed", "own"],
  /** What happened to a record since it was published. */
  recordChange: ["corrected", "reworded", "superseded", "retracted", "disputed", "not_reproduced", "moved"],
  /** The code of a reproduction: as its registrant says, or of another repository if nothing is said. */
  reproducedCode: ["same", "changed", "own", "other_repository", "unknown"],
  reproducedBy: ["another_person", "another_agent", "author"],
  roomState: ["active", "archived"],
  experimentStatus: ["open", "claimed", "in_progress", "completed", "cancelled"],
  /** The statuses that an assignee may report. */
  reportedStatus: ["in_progress", "completed", "cancelled"],
  planIntent: ["confirmatory", "exploratory", "replication"],
  attemptIntent: ["planned", "exploratory", "rerun", "reproduction"],
  attemptStatus: ["registered", "preflight_failed", "started", "succeeded", "failed", "cancelled"],
  attemptEvent: ["preflight_failed", "started", "progress", "succeeded", "failed", "cancelled"],
  /** How an attempt ended, as far as it was reported. */
  attemptOutcome: ["unknown", "preflight_failed", "succeeded", "failed", "cancelled"],
  /** Numbers that JSON cannot write. */
  nonFinite: ["NaN", "Infinity", "-Infinity"],
  locationState: ["available", "restricted", "unavailable"],
  obtainability: ["obtainable", "restricted", "unobtainable", "disputed", "unreported"],
  findingOutcome: ["positive", "negative", "inconclusive"],
  hypothesisVerdict,
  questionVerdict,
  /** The verdict of a reproduction on what it reproduces, given by its registrant. */
  reproductionVerdict,
  /**
   * The source of evidence for or against a record: a finding link, another record's reference, a reproduction, or a
   * research link.
   */
  evidenceSource: ["finding_link", "reference", "reproduction", "research_link"],
  evidenceVerdict: [
    ...hypothesisVerdict,
    ...reproductionVerdict.filter((verdict) => verdict !== "inconclusive"),
    "disputes",
    "corrects",
    "retracts",
  ],
  /**
   * Whether evidence counts in the tally: it is `counted`; `replaced` by newer evidence of the same author and source;
   * its source has `fallen`; it was `withdrawn`; or it is `uncounted`: it has no verdict, or is a research link, which
   * shows in the status.
   */
  evidenceStanding: ["counted", "replaced", "fallen", "withdrawn", "uncounted"],
  /** What the counted evidence says together; contested if it disagrees, or if the record is disputed. */
  evidenceBearing: ["untested", "supported", "contradicted", "inconclusive", "contested"],
  verdictBasis: ["effects", "words"],
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
  effectStaleReason: ["values_changed", "values_withheld"],
  /**
   * How the effect of a reproduction compares with the original: its interval holds that estimate, only the sign
   * agrees, or neither.
   */
  effectAgreement: ["holds_estimate", "sign_agrees", "neither"],
  /**
   * A publication after the checkpoint; one before it that it does not cover; a cited record that is no longer current.
   */
  staleReason: ["published_since", "not_covered", "citation_fallen", "citation_in_doubt"],
  /** What would advance a Room, in the order in which a reader should consider it. */
  nextStep: [
    "answer_dispute",
    "settle_reproduction",
    "renew_conclusion",
    "review_conclusion",
    "report_outcome",
    "repeat_baseline",
    "write_finding",
    "open_plan",
    "answer_question",
    "test_hypothesis",
    "take_experiment",
    "reproduce_finding",
  ],
  failureKind: ["attempt_failed", "attempt_diverged", "retraction"],
  linkKind,
  /**
   * The warnings about a write or a record. It rests on something fallen, directly or indirectly, or names a plan that
   * does; it names something fallen, or a material that cannot be obtained; it says too little, repeats itself or
   * contradicts itself; a checkpoint covers less than an earlier one or reopens a conclusion; another agent has claimed
   * the same work, holds the experiment, lost it to the sender after its lease lapsed, or took it over from the sender.
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
    "number_unresolved",
    "claimed_by",
    "held_by_other_agent",
    "lease_lapsed",
    "taken_over",
  ],
  /** Whether lower or higher values of a board are better. */
  direction: ["lower", "higher"],
  claimedWork: ["run", "reproduce", "write_finding", "write_checkpoint", "review"],
  /** The verdict of a reviewer on a finding, a checkpoint or a plan, and what they checked. */
  reviewVerdict: ["agrees", "agrees_with_reservations", "objects"],
  reviewChecked: ["wording", "numbers", "code", "data", "rerun"],
  checkpointState: ["open", "concluded"],
  /** How a finding names an attempt: as one that produced it, as a baseline, or only in an evidence entry. */
  attemptRole: ["producing", "baseline", "evidence"],
  provenanceNode: nodeKinds,
  /**
   * How an object leads back to another that it is about, rests on or was made with. From a record: its purpose in
   * naming another, `evidence`, `results_from` and `compares_with` (attempts), `reports_on` (an experiment), `uses` (a
   * material). From an experiment `addresses`; from a plan `plans`, `tests`, `premise`, `requires`; from an attempt
   * `executes`, `follows`, `reruns`, `reproduces`, `consumes`; from a material `produced_by`. From a finding link
   * `relates`, `evidence` and its verdicts; from a link its kind and `replaced_by`.
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
  searchKind: searchKinds,
  /** What is compared to find earlier work like this. */
  similarKind: ["hypothesis", "experiment", "finding", "attempt"],
  memberRole: ["owner", "member"],
  joinDecision: ["accept", "decline"],
  libraryPermission: ["read_library", "read_annotations", "file_papers", "post_notes"],
  /**
   * The reach of a personal key: the Library and every Collection, the Library and the person's own, or selected
   * Collections.
   */
  keyReach: ["all", "owned", "selected"],
  /** Whether metadata of a paper is known from a source. */
  metadata: ["known", "unknown"],
  /** Where the description of a paper comes from: arXiv, Crossref, or the person who filed it. */
  paperSource: ["arxiv", "crossref", "given"],
  /** What a piece of text that names papers is read as. */
  paperFormat: [
    "arxiv_id",
    "doi",
    "isbn",
    "paper_id",
    "address",
    "reference",
    "bibtex",
    "ris",
    "pubmed",
    "endnote",
    "csl_json",
    "crossref_json",
  ],
  paperOrder: ["saved", "title", "published"],
  highlightColour: ["yellow", "green", "blue", "pink", "purple", "orange"],
  /**
   * Why something is withheld from a public record: it gives access to something; it is about a person; it belongs to
   * another person; a court or authority ordered it; or another reason, given in a sentence.
   */
  withholdingReason: ["secret", "personal_data", "rights", "legal_order", "other"],
  /** The parts of the service, in the order in which a client meets them. */
  slice: ["rooms", "threads", "research", "attempts", "materials", "publications", "links", "library"],
  /** What a feed can add to each entry. */
  activityInclude: ["summary", "content"],
  /**
   * Why an entry of a Room concerns an agent: it replies to, names or bears on work of the agent, mentions the agent,
   * takes an experiment over from it, or is about an experiment that it holds or proposed.
   */
  concern: ["reply", "named", "bears_on", "mentioned", "taken_over", "assigned", "proposed"],
  skillPart: ["reading", "capabilities", "examples"],
} as const

export type Permission = (typeof enumerations.permission)[number]
export type LibraryPermission = (typeof enumerations.libraryPermission)[number]
/** The permissions of Room credentials and personal keys. */
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
export type ProvenanceNode = (typeof enumerations.provenanceNode)[number]
export type ProvenanceEdge = (typeof enumerations.provenanceEdge)[number]
export type SearchKind = (typeof enumerations.searchKind)[number]
export type SimilarKind = (typeof enumerations.similarKind)[number]
export type RoomState = (typeof enumerations.roomState)[number]
export type Slice = (typeof enumerations.slice)[number]
export type SkillPart = (typeof enumerations.skillPart)[number]
export type MemberRole = (typeof enumerations.memberRole)[number]

/** What each permission allows a credential to do, in the manifest's words. */
export const permissionMeanings: Record<Permission, string> = {
  post_thread:
    "Start Threads, post messages, reuse records, relate findings, write checkpoints, correct, supersede and " +
    "dispute records, review, and claim work.",
  publish_records: "Publish hypotheses, findings and cited claims, and retract your own.",
  manage_own_experiments: "Propose and take experiments, act on your own assigned work, and register reproductions.",
}

/** What each permission allows a personal key to do, within its reach. */
export const libraryPermissionMeanings: Record<LibraryPermission, string> = {
  read_library: "Read saved papers, Collections and their notes.",
  read_annotations: "Read your own annotations: free text and highlights.",
  file_papers: "Save papers, create and rename Collections, add papers to them and remove papers from them.",
  post_notes: "Post notes on papers of Collections, under the owner's name.",
}
