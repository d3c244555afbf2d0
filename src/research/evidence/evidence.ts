/**
 * One model of evidence: what a record rests on, what bears on it, and who uses it. Operations tell it what they wrote;
 * everything that warns, counts or draws asks it.
 */
import { speakingPurposes } from "../../contract/evidence.ts"
import type { enumerations } from "../../contract/enumerations.ts"
import type { RecordKind } from "../../contract/objects.ts"
import type { Db } from "../../ledger/database.ts"
import { grounds } from "./grounds.ts"
import { evidencePages } from "./pages.ts"
import { type Use, type UserKind, uses } from "./uses.ts"
import { words } from "./words.ts"

type Verdict = (typeof enumerations.evidenceVerdict)[number]

/** In which part of a record another one is named. */
export type Part = "premise" | "reference" | "evidence" | "plan" | "role"

/** How a record names another one. */
export interface Reference {
  readonly part: Part
  readonly versionId: string
  readonly purpose?: string
  readonly explanation: string
}

/** Who says something, and when. */
export interface Said {
  readonly authorId: string
  readonly at: string
}

export type Evidence = ReturnType<typeof evidence>

export function evidence(db: Db) {
  const bearing = words(db)
  const used = uses(db)
  const speaks = (purpose: string | undefined): purpose is (typeof speakingPurposes)[number] =>
    speakingPurposes.some((speaking) => speaking === purpose)

  return {
    ...grounds(db),
    ...evidencePages(db),
    usedBy: used.of,

    /** A record was published that names others, each part in the order it was written. */
    published(versionId: string, kind: RecordKind, references: readonly Reference[], { authorId, at }: Said): void {
      const positions = new Map<Part, number>()
      for (const { part, versionId: targetId, purpose } of references) {
        const position = positions.get(part) ?? 0
        positions.set(part, position + 1)
        // What the plan behind it rests on is used by the plan.
        if (part !== "plan") used.note({ targetId, how: part, byKind: kind, byId: versionId, at })
        if (part === "reference" && speaks(purpose))
          bearing.say({
            targetId,
            source: "reference",
            sourceId: versionId,
            position,
            speakerId: versionId,
            authorId,
            verdict: purpose,
            at,
          })
      }
    },

    /** A finding reports a reproduction of another one. */
    reported(targetId: string, versionId: string, attemptId: string, position: number, { authorId, at }: Said): void {
      bearing.say({ targetId, source: "reproduction", sourceId: versionId, position, speakerId: attemptId, authorId, verdict: null, at })
    },

    /** A finding link says what a finding means for hypotheses. */
    linked(
      linkId: string,
      findingVersionId: string,
      verdicts: readonly { readonly versionId: string; readonly verdict: Verdict }[],
      { authorId, at }: Said,
    ): void {
      verdicts.forEach(({ versionId: targetId, verdict }, position) => {
        used.note({ targetId, how: "verdict", byKind: "finding_link", byId: linkId, at })
        bearing.say({
          targetId,
          source: "finding_link",
          sourceId: linkId,
          position,
          speakerId: findingVersionId,
          authorId,
          verdict,
          at,
        })
      })
    },

    /** An attempt sets out to reproduce a finding or another attempt. */
    reproducing(targetId: string, attemptId: string, { authorId, at }: Said): void {
      used.note({ targetId, how: "reproduction", byKind: "attempt", byId: attemptId, at })
      bearing.say({
        targetId,
        source: "reproduction",
        sourceId: attemptId,
        position: 0,
        speakerId: attemptId,
        authorId,
        verdict: null,
        at,
      })
    },
    /** It has told what came of it. */
    reproduced(targetId: string, attemptId: string, verdict: Verdict, { authorId, at }: Said): void {
      bearing.tell(targetId, attemptId, authorId, verdict, at)
    },

    /** A research link was asserted, and the status of its target follows from it. A supersession is no evidence. */
    asserted(targetId: string, linkId: string, kind: (typeof enumerations.linkKind)[number], { authorId, at }: Said): void {
      if (kind !== "supersedes")
        bearing.say({ targetId, source: "research_link", sourceId: linkId, position: 0, speakerId: linkId, authorId, verdict: kind, at })
      bearing.speakerMoved(targetId)
    },

    /** A link was taken back. @param targetId the record whose status may have moved by it */
    withdrawn(linkId: string, targetId: string | undefined): void {
      bearing.withdraw(linkId)
      if (targetId !== undefined) bearing.speakerMoved(targetId)
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
