/**
 * The model of evidence: what a record rests on, what speaks for or against it, and what uses it. Operations report
 * their writes to it; warnings, counts, graphs and the reads of evidence and uses read from it.
 */
import { limits } from "../../contract/limits.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { type Verdict, TALLY_OF, words, codeOf, type Writer } from "./words.ts"
import { speakingPurposes } from "../../contract/answers/evidence.ts"
import { isOneOf, present } from "../../contract/typed.ts"
import type { Bearing, LinkKind } from "../../contract/schema/enumerations.ts"
import type { ResultOf } from "../../contract/operations/index.ts"
import type { RecordKind } from "../../contract/objects/objects.ts"
import type { Actor } from "../../ledger/journal/actor.ts"
import { grounds, shaken, type Use, type UserKind, uses, BEARING } from "./verdict.ts"
import { evidencePages } from "./pages.ts"
import { hypothesesInBrief } from "./brief.ts"
import { noSuch } from "../../ledger/write/references.ts"
import { keysetPage, pageSize } from "../../ledger/lists/paging.ts"
import type { Readers } from "../../ledger/reads/reading.ts"
import type { Domain, Ground } from "../../ledger/domains/domain.ts"

// Reads the voices of findings, and the reproductions of the attempts that they rest on.

interface Reproduction {
  /** The attempt or finding that reports it. */
  readonly sourceId: string
  readonly speakerId: string
  readonly voiceId: string
  readonly authorId: string
  readonly verdict: Verdict | null
  readonly comparison: string | null
  readonly at: string
}

/** The identity of an effect: its contrast, and the attempts it was computed from. */
export interface SameEffect {
  readonly contrast: string
  readonly attempts: string
}

function reproductionsOf(db: Db) {
  /** Whether a finding names exactly these attempts in a role. Takes the list twice. */
  const NAMES = (role: string): string =>
    `(SELECT count(*)
      FROM finding_attempts o
      WHERE o.version_id = t.version_id AND o.role = '${role}') = json_array_length(+?)
       AND NOT EXISTS (SELECT 1
         FROM finding_attempts o
         WHERE o.version_id = t.version_id AND o.role = '${role}'
           AND o.attempt_id NOT IN (SELECT value FROM json_each(+?)))`
  const sameAttempts = db.prepare<{ voiceId: string }>(
    `SELECT f.voice_id AS voiceId FROM finding_attempts t JOIN findings f ON f.version_id = t.version_id
     WHERE t.attempt_id = json_extract(+?, '$[0]') AND t.role = 'producing' AND f.outcome = +?
       AND (+? = 0 OR NOT EXISTS (SELECT 1 FROM finding_effects e WHERE e.version_id = t.version_id))
       AND ${NAMES("producing")} AND ${NAMES("baseline")} LIMIT 1`,
  )
  const sameEffect = db.prepare<{ voiceId: string }>(
    `SELECT f.voice_id AS voiceId
      FROM json_each(+?) j
      CROSS JOIN finding_effects e ON e.contrast = j.value ->> '$.contrast' AND e.attempts = j.value ->> '$.attempts'
     JOIN findings f ON f.version_id = e.version_id ORDER BY f.version_id LIMIT 1`,
  )
  const sharing = db.prepare<{ versionId: string }>(
    `SELECT o.version_id AS versionId
      FROM findings f
      JOIN findings o ON o.voice_id = f.voice_id
      WHERE f.version_id = +?
      ORDER BY o.version_id
      LIMIT ${limits.groundsFollowed}`,
  )
  const voice = db.prepare<{ voiceId: string }>("SELECT voice_id AS voiceId FROM findings WHERE version_id = +?")
  const resting = db.prepare<{ versionId: string }>(
    `SELECT version_id AS versionId
      FROM finding_attempts
      WHERE attempt_id = +? AND role IN ('producing', 'baseline')
      ORDER BY version_id
      LIMIT ${limits.groundsFollowed}`,
  )
  const of = db.prepare<Reproduction>(
    `SELECT DISTINCT w.source_id AS sourceId, w.speaker_id AS speakerId, w.voice_id AS voiceId, w.author_id AS authorId,
        w.verdict, w.comparison, w.at FROM json_each(+?) i
     JOIN evidence_words w ON w.target_id = i.value AND w.source = 'reproduction'
        AND (w.source_id = w.speaker_id OR w.verdict IS NOT NULL)
     ORDER BY w.at, w.source_id LIMIT ${limits.groundsFollowed}`,
  )

  return {
    /**
     * Returns the voice of an earlier finding with the same result: it rests on the same effect of the same attempts.
     * If one of the two findings has no effects, the earlier one must have the same attempts, baseline attempts and
     * outcome.
     */
    voiceOf(
      attemptIds: readonly string[],
      baselineIds: readonly string[],
      outcome: string,
      effects: readonly SameEffect[],
    ) {
      if (attemptIds.length === 0) return undefined
      const [own, others] = [
        JSON.stringify(attemptIds),
        JSON.stringify(baselineIds.filter((id) => !attemptIds.includes(id))),
      ]
      const known = effects.flatMap(({ contrast, attempts }) => (attempts === "[]" ? [] : [{ contrast, attempts }]))
      const shared = known.length === 0 ? undefined : sameEffect.get(JSON.stringify(known))
      return (shared ?? sameAttempts.get(own, outcome, effects.length, own, own, others, others))?.voiceId
    },
    /** Returns the findings that share the voice of a finding, itself included; empty for other objects. */
    sharingVoice: (versionId: string): string[] => sharing.all(versionId).map((found) => found.versionId),
    voiceOfFinding: (versionId: string): string => voice.get(versionId)?.voiceId ?? versionId,
    /** Returns the findings that rest on an attempt. */
    restingOn: (attemptId: string): string[] => resting.all(attemptId).map(({ versionId }) => versionId),
    /** Returns the reproductions of some attempts or findings, oldest first. */
    of: (attemptIds: readonly string[]): Reproduction[] => of.all(JSON.stringify(attemptIds)),
  }
}

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

// Reads of the evidence about a record, and of its uses.

function evidenceReads({ evidence }: { evidence: Evidence }) {
  /** Returns a page of a list, newest first. */
  function page<Row extends { readonly sequence: number }>(
    versionId: string,
    query: { limit?: number; after?: number },
    find: (versionId: string, before: number | undefined, count: number) => Row[],
  ) {
    if (!evidence.knows(versionId)) throw noSuch("record")
    return keysetPage(find(versionId, query.after, pageSize(query) + 1), query, ({ sequence }) => sequence)
  }

  return {
    record_evidence: ({ params, query }) => page(params.versionId, query, evidence.bearingOn),
    record_uses: ({ params, query }) => page(params.versionId, query, evidence.usesOf),
  } satisfies Partial<Readers>
}

export const domain = {
  tables: [({ db }: Ground) => ({ evidence: evidence(db) })],
  reads: [evidenceReads],
  brief: [hypothesesInBrief],
} satisfies Domain
