/**
 * The model of evidence: what a record rests on, what speaks for or against it, and what uses it. Operations report
 * their writes to it; warnings, counts and graphs read from it.
 */
import { speakingPurposes } from "../../contract/answers/evidence.ts"
import { isOneOf } from "../../contract/each.ts"
import type { Bearing, LinkKind } from "../../contract/schema/enumerations.ts"
import type { ResultOf } from "../../contract/operations/index.ts"
import type { RecordKind } from "../../contract/objects/objects.ts"
import type { Db } from "../../ledger/storage/database.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { present } from "../../contract/present.ts"
import { grounds } from "./grounds.ts"
import { codeOf, type Writer } from "./independence.ts"
import { evidencePages } from "./pages.ts"
import { reproductionsOf } from "./reproductions.ts"
import { shaken } from "./shaken.ts"
import { type Use, type UserKind, uses } from "./uses.ts"
import { BEARING } from "./verdict.ts"
import { TALLY_OF, type Verdict, words } from "./words.ts"

type ChangedVerdict = ResultOf<"link_experiment_finding">["verdicts"][number] & { readonly roomId: string }

/** The part of a record that names another one. */
export type Part = "premise" | "reference" | "evidence" | "plan" | "role"

/** A record's reference to another one. */
export interface Reference {
  readonly part: Part
  readonly versionId: string
  readonly purpose?: string
  readonly explanation: string
}

/** The verdict of a reproduction, computed from the effect that it repeats. */
export interface Recount {
  /** The finding or attempt that reports the reproduction. */
  readonly sourceId: string
  readonly isAttempt: boolean
  /** The finding whose effect it repeats. */
  readonly repeatsId: string
  readonly verdict: Verdict
  readonly comparison: string
}

/** The author and agent of a statement, and its time. */
export interface Attribution extends Writer {
  readonly at: string
  /** Whether it rests on effects. */
  readonly isMeasured?: boolean
}
export const attributionOf = ({ userId, agent }: Pick<Actor, "userId" | "agent">, at: string): Attribution => ({
  authorId: userId,
  agent: agent ?? null,
  at,
})

export type Evidence = ReturnType<typeof evidence>

export function evidence(db: Db) {
  const evidenceWords = words(db)
  const used = uses(db)
  const doubt = shaken(db)
  const reproductions = reproductionsOf(db)
  const standing = db.prepare<{
    versionId: string
    label: string
    roomId: string
    verdict: Bearing
    independent: number
  }>(
    `SELECT r.version_id AS versionId, r.label, r.room_id AS roomId, ${BEARING} AS verdict,
        coalesce(y.independent, 0) AS independent
     FROM json_each(+?) j
      CROSS JOIN records r ON r.version_id = j.value
      LEFT JOIN standings s ON s.version_id = r.version_id ${TALLY_OF("r.version_id")}
      ORDER BY j.key`,
  )
  const restsOnEffects = db.prepare("SELECT 1 FROM finding_effects WHERE version_id = +? LIMIT 1")

  return {
    ...grounds(db),
    ...evidencePages(db),
    usedBy: used.of,

    voiceOf: reproductions.voiceOf,

    /**
     * Records the references of a published record.
     * @param references the references of each part in the order they were written
     * @param voiceId the voice it speaks with, if not its own
     * @param attemptIds the attempts behind it
     */
    published(
      versionId: string,
      kind: RecordKind,
      references: readonly Reference[],
      by: Attribution,
      voiceId = versionId,
      attemptIds: readonly string[] = [],
    ): void {
      const { at } = by
      const ran = [...new Set(attemptIds.flatMap(evidenceWords.codesOf))]
      const positions = new Map<Part, number>()
      for (const { part, versionId: targetId, purpose } of references) {
        const position = positions.get(part) ?? 0
        positions.set(part, position + 1)
        // The plan itself uses its premises.
        if (part !== "plan") used.note({ targetId, how: part, byKind: kind, byId: versionId, at })
        if (part === "reference" && purpose !== undefined && isOneOf(speakingPurposes, purpose))
          evidenceWords.add(
            {
              targetId,
              source: "reference",
              sourceId: versionId,
              position,
              speakerId: versionId,
              voiceId,
              verdict: purpose,
              ...by,
            },
            { speaker: by, ran },
          )
      }
      if (references.length > 0) doubt.published(versionId)
    },

    /**
     * Applies earlier reproductions to a new finding: those of its attempts, and those of the finding whose voice it
     * shares.
     */
    restsOnAttempts(versionId: string, attemptIds: readonly string[], voiceId: string, target: Attribution): void {
      const targets = voiceId === versionId ? attemptIds : [...attemptIds, voiceId]
      for (const word of reproductions.of(targets)) {
        if (attemptIds.includes(word.speakerId)) continue
        const { agent } = present(evidenceWords.writerOf(word.sourceId))
        evidenceWords.add({ ...word, targetId: versionId, source: "reproduction", position: 0, agent }, { target })
      }
    },

    /** Records that a finding reports an attempt that reproduces something. */
    reported(targetId: string, versionId: string, attemptId: string, position: number, by: Attribution): void {
      evidenceWords.add({
        targetId,
        source: "reproduction",
        sourceId: versionId,
        position,
        speakerId: attemptId,
        verdict: null,
        ...by,
      })
    },

    /**
     * Records that a finding repeats an effect of another one. If one of its attempts was registered to reproduce that
     * one, the finding speaks with the attempt's voice.
     */
    repeated(
      { repeatsId, verdict, comparison }: Recount,
      versionId: string,
      attempts: ReadonlyMap<string, string>,
      by: Attribution,
    ): void {
      const speaker = [...attempts].find(
        ([, id]) => id === repeatsId || reproductions.restingOn(id).includes(repeatsId),
      )?.[0]
      const [speakerId, voiceId] =
        speaker === undefined ? [versionId, reproductions.voiceOfFinding(versionId)] : [speaker, speaker]
      for (const targetId of reproductions.sharingVoice(repeatsId))
        evidenceWords.add(
          {
            targetId,
            source: "reproduction",
            sourceId: versionId,
            position: 0,
            speakerId,
            voiceId,
            verdict,
            comparison,
            ...by,
          },
          { speaker: by },
        )
    },
    /** Changes the verdict of a reproduction after its values changed. */
    recounted({ sourceId, repeatsId, isAttempt, verdict, comparison }: Recount): void {
      evidenceWords.changeVerdict(
        sourceId,
        isAttempt ? undefined : reproductions.sharingVoice(repeatsId),
        verdict,
        comparison,
      )
    },

    /**
     * Records the verdicts of a finding link toward hypotheses. @returns the verdict on each hypothesis before and
     * after, with its Room
     */
    linked(
      linkId: string,
      findingVersionId: string,
      verdicts: readonly { readonly versionId: string; readonly verdict: Verdict }[],
      by: Attribution,
    ): ChangedVerdict[] {
      const ids = JSON.stringify(verdicts.map(({ versionId }) => versionId))
      const before = new Map(standing.all(ids).map(({ versionId, verdict }) => [versionId, verdict]))
      const isMeasured = restsOnEffects.get(findingVersionId) !== undefined
      verdicts.forEach(({ versionId: targetId, verdict }, position) => {
        used.note({ targetId, how: "verdict", byKind: "finding_link", byId: linkId, at: by.at })
        evidenceWords.add({
          targetId,
          source: "finding_link",
          sourceId: linkId,
          position,
          speakerId: findingVersionId,
          voiceId: reproductions.voiceOfFinding(findingVersionId),
          isMeasured,
          verdict,
          ...by,
        })
      })
      return standing.all(ids).map((after) => ({ ...after, before: before.get(after.versionId) ?? after.verdict }))
    },

    /**
     * Records an attempt that is to reproduce a finding or another attempt, and with it every finding that rests on it.
     */
    reproducing(
      reproducedId: string,
      attemptId: string,
      repository: Parameters<typeof codeOf>[0],
      by: Attribution,
    ): void {
      used.note({ targetId: reproducedId, how: "reproduction", byKind: "attempt", byId: attemptId, at: by.at })
      const also = [...reproductions.restingOn(reproducedId), ...reproductions.sharingVoice(reproducedId)]
      for (const targetId of new Set([reproducedId, ...also]))
        evidenceWords.add(
          {
            targetId,
            source: "reproduction",
            sourceId: attemptId,
            position: 0,
            speakerId: attemptId,
            verdict: null,
            ...by,
          },
          { speaker: by, ran: [codeOf(repository)] },
        )
    },
    /** Records the verdict of that attempt. */
    reproduced: (attemptId: string, verdict: Verdict, comparison: string | undefined, at: string): void =>
      evidenceWords.setVerdict(attemptId, verdict, comparison, at),

    /** Records a research link as evidence. A supersession is not evidence. */
    asserted(targetId: string, linkId: string, kind: LinkKind, by: Attribution): void {
      if (kind !== "supersedes")
        evidenceWords.add({
          targetId,
          source: "research_link",
          sourceId: linkId,
          position: 0,
          speakerId: linkId,
          verdict: kind,
          ...by,
        })
    },

    /** Withdraws a link. @param uses the records that it used */
    withdrawn(linkId: string, uses: readonly { readonly targetId: string; readonly how: Use }[]): void {
      evidenceWords.withdraw(linkId)
      for (const { targetId, how } of uses) used.discount(targetId, how)
    },

    /** Updates the evidence of a record after a dispute, a correction or an answer. The record does not fall. */
    doubted: (versionId: string): void => evidenceWords.speakerMoved(versionId),
    /**
     * Updates the evidence of a record, and the records that rest on it, after it fell, stood again or was replaced.
     */
    moved(versionId: string): void {
      evidenceWords.speakerMoved(versionId)
      doubt.moved(versionId)
    },

    /** Records that an object other than a record uses records. */
    uses(byKind: UserKind, byId: string, how: Use, targetIds: readonly string[], at: string): void {
      for (const targetId of targetIds) used.note({ targetId, how, byKind, byId, at })
    },
    /** Updates the hypotheses that an experiment addresses. */
    addresses(experimentId: string, before: readonly string[], now: readonly string[], at: string): void {
      for (const targetId of before) if (!now.includes(targetId)) used.end(targetId, "addressed", experimentId)
      const added = now.filter((targetId) => !before.includes(targetId))
      this.uses("experiment", experimentId, "addressed", added, at)
    },
  }
}
