/** The columns of each table that an insert names. Made from schema.sql by build/row-types.ts, not by hand. */
export interface NewRows {
  annotations: {
    readonly userId: string
    readonly paperId: string
    readonly revision: number
    readonly notes: string
    readonly updatedAt: string
  }
  attachment_uses: {
    readonly digest: string
    readonly historyPosition: number
  }
  attachments: {
    readonly digest: string
    readonly mediaType: "image/png" | "image/jpeg" | "image/webp" | "text/plain"
    readonly width?: number | null | undefined
    readonly height?: number | null | undefined
    readonly log?: string | null | undefined
    readonly uploadedBy: string
    readonly uploadedAt: string
    readonly bytes: Buffer
  }
  attempt_counts: {
    readonly experimentId: string
    readonly status: string
    readonly attempts: number
  }
  attempt_curves: {
    readonly attemptId: string
    readonly name: string
    readonly split: string
    readonly dimensionsId: number
    readonly part: number
    readonly points: Buffer
  }
  attempt_events: {
    readonly attemptId: string
    readonly revision: number
    readonly body: string
  }
  attempt_inputs: {
    readonly attemptId: string
    readonly position: number
    readonly materialId: string
    readonly name: string
  }
  attempt_last_metrics: {
    readonly attemptId: string
    readonly name: string
    readonly split: string
    readonly dimensionsId: number
    readonly ordinal: number
    readonly unit?: string | null | undefined
    readonly step?: number | null | undefined
    readonly value: string
    readonly points: number
    readonly fromStep: number
    readonly toStep: number
    readonly stretch: number
  }
  attempt_logs: {
    readonly attemptId: string
    readonly kind: "log" | "session"
    readonly revision: number
    readonly digest: string
    readonly format?: string | null | undefined
  }
  attempt_metrics: {
    readonly attemptId: string
    readonly ordinal: number
    readonly name: string
    readonly split?: string | null | undefined
    readonly dimensionsId: number
    readonly unit?: string | null | undefined
    readonly step?: number | null | undefined
    readonly value: string
    readonly reportedAt: string
  }
  attempt_outputs: {
    readonly attemptId: string
    readonly outputLabel: string
    readonly revision: number
    readonly position: number
    readonly digest: string
    readonly materialId?: string | null | undefined
    readonly body: string
  }
  attempt_values: {
    readonly attemptId: string
    readonly name: string
    readonly split: string
    readonly block: number
    readonly units: string
    readonly dimensions: string
    readonly codes: Buffer
    readonly told: Buffer
  }
  attempts: {
    readonly attemptId: string
    readonly experimentId: string
    readonly roomId: string
    readonly threadId: string
    readonly label: string
    readonly entryId: string
    readonly registrantId: string
    readonly intent: string
    readonly status: string
    readonly revision: number
    readonly planId?: string | null | undefined
    readonly rerunOf?: string | null | undefined
    readonly reproducesAttemptId?: string | null | undefined
    readonly reproducesVersionId?: string | null | undefined
    readonly registeredAt: string
    readonly updatedAt: string
    readonly planMatch?: string | null | undefined
    readonly cost?: string | null | undefined
    readonly historyPosition: number
    readonly contentDigest: string
  }
  audit_entries: {
    readonly sequence?: number | null | undefined
    readonly at: string
    readonly kind: string
    readonly byId?: string | null | undefined
    readonly subjectId?: string | null | undefined
    readonly body: string
    readonly nameDigest?: string | null | undefined
    readonly digest: Buffer
  }
  boards: {
    readonly boardId: string
    readonly roomId: string
    readonly threadId: string
    readonly label: string
    readonly entryId: string
    readonly authorId: string
    readonly at: string
    readonly historyPosition: number
    readonly contentDigest: string
  }
  brief_counts: {
    readonly placeId: string
  }
  checkpoint_citations: {
    readonly checkpointId: string
    readonly position: number
    readonly versionId: string
  }
  checkpoints: {
    readonly checkpointId: string
    readonly roomId: string
    readonly threadId: string
    readonly entryId: string
    readonly sequence: number
    readonly authorId: string
    readonly at: string
    readonly state: "open" | "concluded"
    readonly coversThrough: number
    readonly openQuestions: string
    readonly conclusion?: string | null | undefined
    readonly firstSaidId: string
    readonly keptTable?: string | null | undefined
    readonly historyPosition: number
    readonly contentDigest: string
  }
  collection_invitations: {
    readonly invitationId: string
    readonly collectionId: string
    readonly userId: string
    readonly invitedAt: string
  }
  collection_members: {
    readonly userId: string
    readonly collectionId: string
    readonly joinedAt: string
  }
  collection_papers: {
    readonly entry?: number | null | undefined
    readonly collectionId: string
    readonly paperId: string
    readonly addedBy: string
    readonly addedAt: string
    readonly given?: string | null | undefined
    readonly citationKey?: string | null | undefined
  }
  collections: {
    readonly collectionId: string
    readonly ownerId: string
    readonly name: string
    readonly createdAt: string
  }
  concepts: {
    readonly versionId: string
    readonly key: string
    readonly label: string
    readonly definition: string
  }
  counters: {
    readonly roomId: string
    readonly kind: string
    readonly last: number
  }
  credentials: {
    readonly credentialId: string
    readonly tokenDigest: string
    readonly tokenStart?: string | null | undefined
    readonly roomId: string
    readonly userId: string
    readonly label: string
    readonly permissions: string
    readonly threadIds?: string | null | undefined
    readonly createdAt: string
    readonly expiresAt: string
    readonly revokedAt?: string | null | undefined
    readonly lastUsedAt?: string | null | undefined
  }
  dimension_sets: {
    readonly dimensionsId?: number | null | undefined
    readonly dimensions: string
  }
  dispute_replies: {
    readonly linkId: string
    readonly entryId: string
    readonly at: string
  }
  disputed_records: {
    readonly versionId: string
    readonly roomId: string
    readonly threadId: string
    readonly linkId: string
  }
  earlier_instances: {
    readonly position?: number | null | undefined
    readonly instanceId: string
    readonly until: string
  }
  evidence_agents: {
    readonly targetId: string
    readonly personId: string
    readonly agent: string
    readonly words: number
  }
  evidence_people: {
    readonly targetId: string
    readonly personId: string
    readonly words: number
  }
  evidence_tallies: {
    readonly targetId: string
    readonly supports: number
    readonly contradicts: number
    readonly inconclusive: number
    readonly reproductions: number
    readonly failedReproductions: number
    readonly independent: number
    readonly otherAgents: number
    readonly otherCode: number
    readonly doubted: number
    readonly measuredSupports: number
    readonly measuredContradicts: number
    readonly verdictFrom?: string | null | undefined
  }
  evidence_words: {
    readonly targetId: string
    readonly sequence: number
    readonly source: "finding_link" | "reference" | "reproduction" | "research_link"
    readonly sourceId: string
    readonly position: number
    readonly speakerId: string
    readonly voiceId: string
    readonly authorId: string
    readonly agent?: string | null | undefined
    readonly measured: number
    readonly independent: number
    readonly otherAgent?: number | null | undefined
    readonly otherCode?: number | null | undefined
    readonly otherCommit?: number | null | undefined
    readonly speakerAgent?: string | null | undefined
    readonly verdict?: string | null | undefined
    readonly comparison?: string | null | undefined
    readonly at: string
  }
  experiment_revisions: {
    readonly experimentId: string
    readonly revision: number
    readonly operation: string
    readonly authorId: string
    readonly at: string
    readonly status: string
    readonly assigneeId?: string | null | undefined
    readonly planId?: string | null | undefined
    readonly historyPosition: number
  }
  experiments: {
    readonly experimentId: string
    readonly roomId: string
    readonly threadId: string
    readonly label: string
    readonly entryId: string
    readonly proposerId: string
    readonly assigneeId?: string | null | undefined
    readonly status: string
    readonly revision: number
    readonly question: string
    readonly scope: string
    readonly hypotheses: string
    readonly suggestedProtocol?: string | null | undefined
    readonly handoff?: string | null | undefined
    readonly conclusion?: string | null | undefined
    readonly leaseMinutes?: number | null | undefined
    readonly leaseUntil?: string | null | undefined
    readonly createdAt: string
    readonly updatedAt: string
  }
  fallen_records: {
    readonly versionId: string
    readonly roomId: string
    readonly status: string
  }
  finding_attempts: {
    readonly versionId: string
    readonly attemptId: string
    readonly role: "producing" | "baseline" | "evidence"
  }
  finding_effects: {
    readonly versionId: string
    readonly position: number
    readonly experimentId: string
    readonly effect: string
    readonly figures: string
    readonly contrast: string
    readonly attempts: string
    readonly repeatsId?: string | null | undefined
    readonly repeatsPosition?: number | null | undefined
  }
  finding_evidence: {
    readonly versionId: string
    readonly position: number
    readonly kind: string
    readonly attemptId?: string | null | undefined
    readonly outputLabel?: string | null | undefined
    readonly digest?: string | null | undefined
    readonly materialId?: string | null | undefined
  }
  finding_links: {
    readonly linkId: string
    readonly roomId: string
    readonly threadId: string
    readonly entryId: string
    readonly experimentId: string
    readonly versionId: string
    readonly attemptId?: string | null | undefined
    readonly authorId: string
    readonly at: string
    readonly towardQuestion: string
  }
  finding_materials: {
    readonly versionId: string
    readonly position: number
    readonly materialId: string
    readonly purpose: string
  }
  finding_verdicts: {
    readonly linkId: string
    readonly versionId: string
    readonly position: number
    readonly verdict: string
    readonly explanation: string
    readonly part?: string | null | undefined
  }
  findings: {
    readonly versionId: string
    readonly outcome: string
    readonly retrospective: number
    readonly papers: number
    readonly experimentId?: string | null | undefined
    readonly planId?: string | null | undefined
    readonly voiceId: string
    readonly attemptsBefore: number
    readonly attemptsThrough: number
  }
  highlights: {
    readonly highlightId: string
    readonly userId: string
    readonly paperId: string
    readonly quote: string
    readonly page: number
    readonly colour: string
    readonly comment?: string | null | undefined
    readonly version?: number | null | undefined
    readonly prefix?: string | null | undefined
    readonly suffix?: string | null | undefined
    readonly createdAt: string
    readonly updatedAt: string
  }
  hypothesis_ranks: {
    readonly versionId: string
    readonly roomId: string
    readonly threadId: string
    readonly rank: number
  }
  imported_rooms: {
    readonly roomId: string
    readonly knownIn: string
    readonly instanceId: string
    readonly baseUrl: string
    readonly softwareVersion: string
    readonly toldBy?: string | null | undefined
    readonly importedAt: string
    readonly adoptedAt?: string | null | undefined
  }
  instance: {
    readonly one?: number | null | undefined
    readonly instanceId: string
    readonly createdAt: string
  }
  invitations: {
    readonly invitationId: string
    readonly tokenDigest: string
    readonly invitedBy: string
    readonly roomId?: string | null | undefined
    readonly createdAt: string
    readonly expiresAt: string
    readonly acceptedBy?: string | null | undefined
    readonly revokedAt?: string | null | undefined
  }
  join_requests: {
    readonly roomId: string
    readonly userId: string
    readonly message?: string | null | undefined
    readonly requestedAt: string
  }
  journal: {
    readonly position?: number | null | undefined
    readonly operation: string
    readonly writer: number
    readonly at: string
    readonly room?: number | null | undefined
    readonly roomSequence?: number | null | undefined
    readonly thread?: number | null | undefined
    readonly entrySequence?: number | null | undefined
    readonly deliveryId?: Buffer | null | undefined
    readonly params?: string | null | undefined
    readonly content: string
    readonly client?: string | null | undefined
    readonly given?: string | null | undefined
    readonly targetKind?: string | null | undefined
    readonly targetId?: string | null | undefined
    readonly label?: string | null | undefined
    readonly aboutId?: string | null | undefined
    readonly result?: string | null | undefined
    readonly card?: string | null | undefined
    readonly contentDigest: Buffer
    readonly activityDigest?: Buffer | null | undefined
    readonly digest: Buffer
  }
  key_collections: {
    readonly keyId: string
    readonly collectionId: string
  }
  library_counts: {
    readonly userId: string
  }
  link_withdrawals: {
    readonly linkId: string
    readonly at: string
    readonly explanation: string
    readonly entryId: string
    readonly historyPosition: number
  }
  log_parts: {
    readonly partId?: number | null | undefined
    readonly digest: string
    readonly part: number
    readonly bytes: Buffer
  }
  material_reports: {
    readonly materialId: string
    readonly sequence: number
    readonly reporterId: string
    readonly roomId: string
    readonly at: string
    readonly uri: string
    readonly state: string
    readonly observedDigest?: string | null | undefined
    readonly explanation?: string | null | undefined
  }
  materials: {
    readonly materialId: string
    readonly reference: string
    readonly knownIn: string
    readonly originRoomId: string
    readonly label: string
    readonly registeredBy: string
    readonly registeredAt: string
    readonly name: string
    readonly description?: string | null | undefined
    readonly mediaType?: string | null | undefined
    readonly sizeBytes?: number | null | undefined
    readonly valuesDigest?: string | null | undefined
    readonly historyPosition: number
    readonly contentDigest: string
  }
  member_counts: {
    readonly userId: string
    readonly rooms: number
    readonly owned: number
  }
  members: {
    readonly roomId: string
    readonly userId: string
    readonly role: "owner" | "member"
    readonly joinedAt: string
  }
  moved_effects: {
    readonly holderId: string
    readonly position: number
    readonly now?: string | null | undefined
  }
  notes: {
    readonly noteId: string
    readonly collectionId: string
    readonly paperId: string
    readonly authorId: string
    readonly postedAt: string
    readonly text: string
    readonly replyToNoteId?: string | null | undefined
    readonly via?: string | null | undefined
  }
  paper_misses: {
    readonly paperId: string
    readonly askedAt: string
  }
  paper_tags: {
    readonly userId: string
    readonly paperId: string
    readonly tag: string
  }
  papers: {
    readonly paperId: string
    readonly origin: "import" | "arxiv" | "crossref"
    readonly recordedAt: string
    readonly record: string
    readonly sameAs?: string | null | undefined
  }
  people: {
    readonly userId: string
    readonly username: string
    readonly passwordHash: string
    readonly isOperator: number
    readonly createdAt: string
    readonly disabledAt?: string | null | undefined
    readonly signedInAt?: string | null | undefined
    readonly countClearedAt?: string | null | undefined
    readonly instanceId?: string | null | undefined
    readonly knownAs?: string | null | undefined
    readonly baseUrl?: string | null | undefined
    readonly idThere?: string | null | undefined
    readonly name?: string | null | undefined
    readonly givenName?: string | null | undefined
    readonly familyName?: string | null | undefined
    readonly orcid?: string | null | undefined
  }
  personal_keys: {
    readonly keyId: string
    readonly tokenDigest: string
    readonly tokenStart?: string | null | undefined
    readonly userId: string
    readonly label: string
    readonly permissions: string
    readonly reach: "all" | "owned" | "selected"
    readonly agent?: string | null | undefined
    readonly createdAt: string
    readonly expiresAt: string
    readonly revokedAt?: string | null | undefined
    readonly lastUsedAt?: string | null | undefined
  }
  places: {
    readonly place?: number | null | undefined
    readonly id: string
  }
  plan_materials: {
    readonly planId: string
    readonly position: number
    readonly materialId: string
    readonly purpose: string
  }
  plans: {
    readonly planId: string
    readonly experimentId: string
    readonly roomId: string
    readonly threadId: string
    readonly label: string
    readonly entryId: string
    readonly acceptedBy: string
    readonly acceptedAt: string
    readonly budget?: string | null | undefined
    readonly opensAt?: string | null | undefined
    readonly openedPosition?: number | null | undefined
    readonly historyPosition: number
    readonly contentDigest: string
  }
  provider_accounts: {
    readonly issuer: string
    readonly subject: string
    readonly userId: string
    readonly connectedAt: string
  }
  reading_positions: {
    readonly userId: string
    readonly paperId: string
    readonly page: number
    readonly pages?: number | null | undefined
    readonly thousandths: number
    readonly setAt: string
  }
  record_papers: {
    readonly arxivId: string
    readonly sequence: number
    readonly versionId: string
  }
  record_references: {
    readonly versionId: string
    readonly part: "premise" | "reference" | "evidence" | "plan" | "role"
    readonly position: number
    readonly toVersionId: string
    readonly purpose?: string | null | undefined
    readonly explanation: string
  }
  record_uses: {
    readonly targetId: string
    readonly sequence: number
    readonly how: string
    readonly byKind: string
    readonly byId: string
    readonly at: string
  }
  records: {
    readonly versionId: string
    readonly kind: string
    readonly label: string
    readonly roomId: string
    readonly threadId: string
    readonly entryId: string
    readonly authorId: string
    readonly createdAt: string
    readonly wording: string
    readonly historyPosition: number
    readonly contentDigest: string
    readonly client?: string | null | undefined
  }
  reproduction_effects: {
    readonly attemptId: string
    readonly position: number
    readonly repeatsId: string
    readonly repeatsPosition: number
    readonly shown: string
    readonly figures: string
    readonly attempts: string
  }
  reproductions: {
    readonly attemptId: string
    readonly verdict: string
    readonly explanation: string
    readonly implementation?: "same" | "changed" | "own" | null | undefined
  }
  research_links: {
    readonly linkId: string
    readonly kind: "corrects" | "supersedes" | "retracts" | "disputes"
    readonly label: string
    readonly roomId: string
    readonly threadId: string
    readonly entryId: string
    readonly targetVersionId: string
    readonly targetAuthorId: string
    readonly authorId: string
    readonly at: string
    readonly explanation: string
    readonly replacementVersionId?: string | null | undefined
    readonly changes?: "meaning" | "wording" | null | undefined
    readonly historyPosition: number
    readonly contentDigest: string
  }
  review_tallies: {
    readonly targetId: string
    readonly reviewed: string
  }
  reviews: {
    readonly linkId: string
    readonly roomId: string
    readonly threadId: string
    readonly entryId: string
    readonly targetKind: "finding" | "checkpoint" | "plan"
    readonly targetId: string
    readonly countsFor: string
    readonly targetAuthorId: string
    readonly authorId: string
    readonly agent: string
    readonly at: string
    readonly verdict: "agrees" | "agrees_with_reservations" | "objects"
    readonly independent: number
    readonly otherAgent?: number | null | undefined
    readonly historyPosition: number
    readonly contentDigest: string
  }
  room_adoptions: {
    readonly roomId: string
    readonly sequence: number
    readonly instanceId: string
    readonly baseUrl: string
    readonly adoptedAt: string
  }
  room_failures: {
    readonly roomId: string
    readonly sequence: number
    readonly threadId: string
    readonly kind: string
    readonly id: string
    readonly at: string
    readonly detail?: string | null | undefined
  }
  room_heads: {
    readonly roomId: string
    readonly activitySequence: number
    readonly activityDigest: string
    readonly lastActivityAt: string
    readonly acceptedBytes: number
  }
  room_materials: {
    readonly roomId: string
    readonly materialId: string
    readonly threadId: string
    readonly entryId: string
    readonly registeredAt: string
  }
  rooms: {
    readonly item?: number | null | undefined
    readonly roomId: string
    readonly title: string
    readonly question?: string | null | undefined
    readonly license?: string | null | undefined
    readonly ownerId: string
    readonly openingThreadId: string
    readonly createdAt: string
    readonly state: "active" | "archived"
    readonly archivedAt?: string | null | undefined
    readonly archivedBy?: string | null | undefined
    readonly archiveReason?: string | null | undefined
  }
  row_counts: {
    readonly name: string
    readonly rows: number
  }
  same_papers: {
    readonly userId: string
    readonly paperId: string
    readonly sameAs: string
  }
  saved_papers: {
    readonly entry?: number | null | undefined
    readonly userId: string
    readonly paperId: string
    readonly savedAt: string
    readonly given?: string | null | undefined
  }
  search_changes: {
    readonly item?: number | null | undefined
  }
  search_items: {
    readonly item?: number | null | undefined
    readonly kind: string
    readonly id: string
    readonly part?: number | null | undefined
  }
  sessions: {
    readonly tokenDigest: string
    readonly userId: string
    readonly createdAt: string
    readonly expiresAt: string
  }
  shaken_records: {
    readonly versionId: string
    readonly causeId: string
  }
  standings: {
    readonly versionId: string
    readonly status: string
    readonly openDispute?: string | null | undefined
    readonly worriedAt?: number | null | undefined
    readonly fallenAt?: number | null | undefined
    readonly notices: string
  }
  tag_counts: {
    readonly userId: string
    readonly tag: string
    readonly papers: number
  }
  thread_heads: {
    readonly threadId: string
    readonly timelineSequence: number
    readonly lastActivityAt: string
  }
  threads: {
    readonly threadId: string
    readonly roomId: string
    readonly sequence: number
    readonly title: string
    readonly authorId: string
    readonly createdAt: string
    readonly followsEntryId?: string | null | undefined
    readonly selectedCheckpointId?: string | null | undefined
  }
  timeline_entries: {
    readonly thread: number
    readonly sequence: number
    readonly kind: string
    readonly entryId: string
    readonly historyPosition: number
    readonly replyToEntryId?: string | null | undefined
    readonly versionId?: string | null | undefined
  }
  unread_notes: {
    readonly userId: string
    readonly collectionId: string
    readonly paperId: string
    readonly noteId: string
  }
  use_counts: {
    readonly targetId: string
    readonly how: string
    readonly uses: number
  }
  webhooks: {
    readonly webhookId: string
    readonly roomId: string
    readonly url: string
    readonly secret: string
    readonly addedBy: string
    readonly addedAt: string
    readonly delivered: number
    readonly resend?: number | null | undefined
    readonly failingSince?: string | null | undefined
    readonly offBecause?: string | null | undefined
    readonly recent: string
  }
  wiping: {
    readonly row?: number | null | undefined
    readonly zeros: Buffer
  }
  withheld_fields: {
    readonly mark: string
    readonly historyPosition: number
    readonly path: string
    readonly byPosition: number
  }
  withheld_quotes: {
    readonly quote?: number | null | undefined
    readonly text: string
    readonly mark: string
    readonly nextPosition: number
  }
  withheld_writes: {
    readonly historyPosition?: number | null | undefined
    readonly requestDigest: string
  }
  work_claims: {
    readonly claimId: string
    readonly roomId: string
    readonly threadId: string
    readonly objectId: string
    readonly objectKind: string
    readonly objectLabel?: string | null | undefined
    readonly what: string
    readonly minutes: number
    readonly authorId: string
    readonly agent: string
    readonly until: string
    readonly historyPosition: number
  }
  writers: {
    readonly writer?: number | null | undefined
    readonly userId: string
    readonly personId: string
    readonly sender: string
    readonly username: string
    readonly shownAs: string
    readonly agent?: string | null | undefined
  }
}
