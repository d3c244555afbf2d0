/** The closed sets of words of the protocol. Validators, JSON Schemas and the manifest are made from these. */
export const enumerations = {
  permission: ["post_thread", "publish_records", "manage_own_experiments"],
  referencePurpose: ["premise", "supports", "contradicts", "extends", "related", "derived_from", "refines"],
  recordKind: ["hypothesis", "finding", "cited_claim"],
  recordStatus: ["current", "disputed", "corrected", "superseded", "retracted"],
  roomState: ["active", "archived"],
  memberRole: ["owner", "member"],
  joinDecision: ["accept", "decline"],
} as const

export type Permission = (typeof enumerations.permission)[number]
export type RecordKind = (typeof enumerations.recordKind)[number]
export type RoomState = (typeof enumerations.roomState)[number]
export type MemberRole = (typeof enumerations.memberRole)[number]

/** What each permission lets a credential do, in the manifest's words. */
export const permissionMeanings: Record<Permission, string> = {
  post_thread: "Start Threads, post, reuse records, relate findings, write checkpoints, correct, supersede and dispute.",
  publish_records: "Publish hypotheses, findings and cited claims, and retract one's own.",
  manage_own_experiments: "Propose and take experiments, act on one's own assigned work, and register reproductions.",
}
