/**
 * One model of evidence: what a record rests on, what bears on it, and who uses it. Operations tell it what they wrote;
 * everything that warns, counts or draws asks it.
 */
import { speakingPurposes } from "../../contract/answers/evidence.ts"
import type { enumerations } from "../../contract/schema/enumerations.ts"
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
import { TALLY_OF, words } from "./words.ts"

type Verdict = (typeof enumerations.evidenceVerdict)[number]
type Bearing = (typeof enumerations.evidenceBearing)[number]
type Moved = ResultOf<"link_experiment_finding">["verdicts"][number] & { readonly roomId: string }

/** In which part of a record another one is named. */
export type Part = "premise" | "reference" | "evidence" | "plan" | "role"

/** How a record names another one. */
export interface Reference {
  readonly part: Part
  readonly versionId: string
  readonly purpose?: string
  readonly explanation: string
}

/** What a reproduction counts for by the effect that it repeats. */
export interface Recount {
  /** The finding or the attempt that says it. */
  readonly sourceId: string
  readonly isAttempt: boolean
  /** The finding whose effect it repeats. */
  readonly repeatsId: string
  readonly verdict: Verdict
  readonly comparison: string
}

/** Who says something, and when. */
export interface Said extends Writer {
  readonly at: string
  /** Whether it rests on effects. */
  readonly isMeasured?: boolean
}
export const saidBy = ({ userId, agent }: Pick<Actor, "userId" | "agent">, at: string): Said => ({
  authorId: userId,
  agent: agent ?? null,
  at,
})

export type Evidence = ReturnType<typeof evidence>

export function evidence(db: Db) {
  const bearing = words(db)
  const used = uses(db)
  const rested = shaken(db)
  const carried = reproductionsOf(db)
  const standing = db.prepare<{ versionId: string; label: string; roomId: string; verdict: Bearing; independent: number }>(
    `SELECT r.version_id AS versionId, r.label, r.room_id AS roomId, ${BEARING} AS verdict, coalesce(y.independent, 0) AS independent
     FROM json_each(+?) j CROSS JOIN records r ON r.version_id = j.value LEFT JOIN standings s ON s.version_id = r.version_id ${TALLY_OF("r.version_id")} ORDER BY j.key`,
  )
  const restsOnEffects = db.prepare("SELECT 1 FROM finding_effects WHERE version_id = +? LIMIT 1")
  const speaks = (purpose: string | undefined): purpose is (typeof speakingPurposes)[number] =>
    speakingPurposes.some((speaking) => speaking === purpose)

  return {
    ...grounds(db),
    ...evidencePages(db),
    usedBy: used.of,

    /** The first finding that reports the same result of the same attempts: what reports them too speaks with its voice. */
    voiceOf: carried.voiceOf,

    /**
     * A record was published that names others, each part in the order it was written.
     * @param voiceId whose voice it speaks with, if another's
     * @param attemptIds the attempts behind it
     */
    published(
      versionId: string,
      kind: RecordKind,
      references: readonly Reference[],
      said: Said,
      voiceId = versionId,
      attemptIds: readonly string[] = [],
    ): void {
      const { at } = said
      const ran = [...new Set(attemptIds.flatMap(bearing.codesOf))]
      const positions = new Map<Part, number>()
      for (const { part, versionId: targetId, purpose } of references) {
        const position = positions.get(part) ?? 0
        positions.set(part, position + 1)
        // What the plan behind it rests on is used by the plan.
        if (part !== "plan") used.note({ targetId, how: part, byKind: kind, byId: versionId, at })
        if (part === "reference" && speaks(purpose))
          bearing.say(
            { targetId, source: "reference", sourceId: versionId, position, speakerId: versionId, voiceId, verdict: purpose, ...said },
            { speaker: said, ran },
          )
      }
      // What names nothing rests on nothing.
      if (references.length > 0) rested.published(versionId)
    },

    /** A finding rests on attempts: what was found of these by repeating them bears on it too, and of a finding that reports the same. */
    restsOnAttempts(versionId: string, attemptIds: readonly string[], voiceId: string, target: Said): void {
      const targets = voiceId === versionId ? attemptIds : [...attemptIds, voiceId]
      for (const word of carried.of(targets)) {
        if (attemptIds.includes(word.speakerId)) continue
        const { agent } = present(bearing.writerOf(word.sourceId))
        bearing.say({ ...word, targetId: versionId, source: "reproduction", position: 0, agent }, { target })
      }
    },

    /** A finding reports a reproduction of another one. */
    reported(targetId: string, versionId: string, attemptId: string, position: number, said: Said): void {
      bearing.say({ targetId, source: "reproduction", sourceId: versionId, position, speakerId: attemptId, verdict: null, ...said })
    },

    /**
     * A finding repeats effects of another one, by the numbers. Where one of its attempts set out to reproduce that, it speaks with
     * the attempt's voice.
     */
    repeated({ repeatsId, verdict, comparison }: Recount, versionId: string, attempts: ReadonlyMap<string, string>, said: Said): void {
      const speaker = [...attempts].find(([, id]) => id === repeatsId || carried.restingOn(id).includes(repeatsId))?.[0]
      const [speakerId, voiceId] = speaker === undefined ? [versionId, carried.voiceOfFinding(versionId)] : [speaker, speaker]
      for (const targetId of carried.sharingVoice(repeatsId))
        bearing.say(
          { targetId, source: "reproduction", sourceId: versionId, position: 0, speakerId, voiceId, verdict, comparison, ...said },
          { speaker: said },
        )
    },
    /** A reproduction counts for something else, because what it was measured by moved. */
    recounted({ sourceId, repeatsId, isAttempt, verdict, comparison }: Recount): void {
      bearing.retell(sourceId, isAttempt ? undefined : carried.sharingVoice(repeatsId), verdict, comparison)
    },

    /** A finding link says what a finding means for hypotheses. @returns the verdict of each before and after, and the Room it is of */
    linked(
      linkId: string,
      findingVersionId: string,
      verdicts: readonly { readonly versionId: string; readonly verdict: Verdict }[],
      said: Said,
    ): Moved[] {
      const ids = JSON.stringify(verdicts.map(({ versionId }) => versionId))
      const before = new Map(standing.all(ids).map(({ versionId, verdict }) => [versionId, verdict]))
      const isMeasured = restsOnEffects.get(findingVersionId) !== undefined
      verdicts.forEach(({ versionId: targetId, verdict }, position) => {
        used.note({ targetId, how: "verdict", byKind: "finding_link", byId: linkId, at: said.at })
        bearing.say({
          targetId,
          source: "finding_link",
          sourceId: linkId,
          position,
          speakerId: findingVersionId,
          voiceId: carried.voiceOfFinding(findingVersionId),
          isMeasured,
          verdict,
          ...said,
        })
      })
      return standing.all(ids).map((after) => ({ ...after, before: before.get(after.versionId) ?? after.verdict }))
    },

    /** An attempt sets out to reproduce a finding or another attempt, and with that every finding that rests on it. */
    reproducing(reproducedId: string, attemptId: string, repository: Parameters<typeof codeOf>[0], said: Said): void {
      used.note({ targetId: reproducedId, how: "reproduction", byKind: "attempt", byId: attemptId, at: said.at })
      const also = [...carried.restingOn(reproducedId), ...carried.sharingVoice(reproducedId)]
      for (const targetId of new Set([reproducedId, ...also]))
        bearing.say(
          { targetId, source: "reproduction", sourceId: attemptId, position: 0, speakerId: attemptId, verdict: null, ...said },
          { speaker: said, ran: [codeOf(repository)] },
        )
    },
    /** It has told what came of it. */
    reproduced: (attemptId: string, verdict: Verdict, comparison: string | undefined, at: string): void =>
      bearing.tell(attemptId, verdict, comparison, at),

    /** A research link was asserted. A supersession is no evidence. */
    asserted(targetId: string, linkId: string, kind: (typeof enumerations.linkKind)[number], said: Said): void {
      if (kind !== "supersedes")
        bearing.say({ targetId, source: "research_link", sourceId: linkId, position: 0, speakerId: linkId, verdict: kind, ...said })
    },

    /** A link was taken back. @param uses of which records it was one, and how */
    withdrawn(linkId: string, uses: readonly { readonly targetId: string; readonly how: Use }[]): void {
      bearing.withdraw(linkId)
      for (const { targetId, how } of uses) used.discount(targetId, how)
    },

    /** A record is disputed or corrected, or that was answered: it stands as it did. */
    doubted: (versionId: string): void => bearing.speakerMoved(versionId),
    /** A record fell or stands again, or something else replaces it. */
    moved(versionId: string): void {
      bearing.speakerMoved(versionId)
      rested.moved(versionId)
    },

    /** Something else than a record uses records. */
    uses(byKind: UserKind, byId: string, how: Use, targetIds: readonly string[], at: string): void {
      for (const targetId of targetIds) used.note({ targetId, how, byKind, byId, at })
    },
    /** An experiment that addressed records was amended to address others. */
    addresses(experimentId: string, before: readonly string[], now: readonly string[], at: string): void {
      for (const targetId of before) if (!now.includes(targetId)) used.end(targetId, "addressed", experimentId)
      this.uses(
        "experiment",
        experimentId,
        "addressed",
        now.filter((targetId) => !before.includes(targetId)),
        at,
      )
    },
  }
}
