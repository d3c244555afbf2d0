/**
 * What bears on a record or an attempt (protocol, section 8), kept as it lands: each word for or against it, which of them
 * count, and the tally of those. Of each author and each object that speaks, the newest word counts that was not withdrawn,
 * as long as what speaks has not fallen.
 */
import type { EvidenceTally } from "../../contract/evidence.ts"
import { hasFallen } from "../../contract/evidence.ts"
import type { enumerations } from "../../contract/enumerations.ts"
import type { Db } from "../../ledger/database.ts"

type Source = (typeof enumerations.evidenceSource)[number]
type Verdict = (typeof enumerations.evidenceVerdict)[number]

/** A word as it is said. */
export interface Word {
  /** The record or attempt it is about. */
  readonly targetId: string
  readonly source: Source
  /** The row that says it: a finding link, the referring record, the attempt or the finding that reports it, a research link. */
  readonly sourceId: string
  /** Where in that row, when it says several. */
  readonly position: number
  /** The object that speaks: what an author says by it twice counts once. */
  readonly speakerId: string
  readonly authorId: string
  readonly verdict: Verdict | null
  readonly at: string
}

interface Spoken {
  readonly targetId: string
  readonly sequence: number
  readonly source: Source
  readonly verdict: Verdict | null
  readonly independent: number
  readonly withdrawn: number
  readonly counted: number
}
interface Group {
  readonly targetId: string
  readonly speakerId: string
  readonly authorId: string
}

/** The member of a tally that a verdict counts in; null for what is not counted. */
function countedAs(source: Source, verdict: Verdict | null): Exclude<keyof EvidenceTally, "independent"> | null {
  if (verdict === null || source === "research_link") return null
  if (source === "reproduction") return "reproductions"
  return verdict === "supports" || verdict === "contradicts" || verdict === "inconclusive" ? verdict : null
}

/** The columns of a tally beside a record `r`, as JSON text; use with `TALLY_OF`. */
export const TALLY = `json_object('supports', coalesce(y.supports, 0), 'contradicts', coalesce(y.contradicts, 0), 'inconclusive', coalesce(y.inconclusive, 0),
  'reproductions', coalesce(y.reproductions, 0), 'independent', coalesce(y.independent, 0))`
/** The same as columns of their own, which a list is read fastest from; `tallyIn` takes them out of a row. */
export const TALLY_COLUMNS = "y.supports, y.contradicts, y.inconclusive, y.reproductions, y.independent"
export type TallyRow = { readonly [M in keyof EvidenceTally]: number | null }
export const tallyIn = ({ supports, contradicts, inconclusive, reproductions, independent }: TallyRow): EvidenceTally => ({
  supports: supports ?? 0,
  contradicts: contradicts ?? 0,
  inconclusive: inconclusive ?? 0,
  reproductions: reproductions ?? 0,
  independent: independent ?? 0,
})
export const TALLY_OF = (id: string): string => `LEFT JOIN evidence_tallies y ON y.target_id = ${id}`

export function words(db: Db) {
  const insert = db.prepare(
    `INSERT INTO evidence_words (target_id, sequence, source, source_id, position, speaker_id, author_id, independent, verdict, at)
     VALUES (?, 1 + (SELECT coalesce(max(sequence), 0) FROM evidence_words WHERE target_id = ?), ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const targetAuthor = db.prepare<{ authorId: string }>(
    `SELECT author_id AS authorId FROM records WHERE version_id = ?
     UNION ALL SELECT registrant_id FROM attempts WHERE attempt_id = ?`,
  )
  const tell = db.prepare("UPDATE evidence_words SET verdict = ?, at = ? WHERE target_id = ? AND source_id = ? AND source = 'reproduction'")
  const withdraw = db.prepare<Group>(
    `UPDATE evidence_words SET withdrawn = 1 WHERE source_id = ? AND withdrawn = 0
     RETURNING target_id AS targetId, speaker_id AS speakerId, author_id AS authorId`,
  )
  const groupsOf = db.prepare<Group>(
    "SELECT DISTINCT target_id AS targetId, speaker_id AS speakerId, author_id AS authorId FROM evidence_words WHERE speaker_id = ?",
  )
  const ofGroup = db.prepare<Spoken>(
    `SELECT target_id AS targetId, sequence, source, verdict, independent, withdrawn, counted FROM evidence_words
     WHERE speaker_id = ? AND target_id = ? AND author_id = ? ORDER BY sequence DESC`,
  )
  const mark = db.prepare("UPDATE evidence_words SET counted = ? WHERE target_id = ? AND sequence = ?")
  const add = db.prepare(
    `INSERT INTO evidence_tallies (target_id, supports, contradicts, inconclusive, reproductions, independent) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET supports = supports + excluded.supports, contradicts = contradicts + excluded.contradicts,
       inconclusive = inconclusive + excluded.inconclusive, reproductions = reproductions + excluded.reproductions,
       independent = independent + excluded.independent`,
  )
  const status = db.prepare<{ status: (typeof enumerations.recordStatus)[number] }>("SELECT status FROM standings WHERE version_id = ?")

  /** Sets whether a word counts, and carries the difference into the tally. */
  function count(word: Spoken, counts: boolean): void {
    if ((word.counted === 1) === counts) return
    mark.run(counts ? 1 : 0, word.targetId, word.sequence)
    const by = counts ? 1 : -1
    const as = countedAs(word.source, word.verdict)
    const share = (member: keyof EvidenceTally) => (member === as ? by : 0)
    add.run(
      word.targetId,
      share("supports"),
      share("contradicts"),
      share("inconclusive"),
      share("reproductions"),
      word.independent === 1 ? by : 0,
    )
  }

  /** Lets the right word of an author and a speaker count toward a target, and no other. */
  function settle({ targetId, speakerId, authorId }: Group): void {
    const fallen = hasFallen(status.get(speakerId)?.status ?? "current")
    const said = ofGroup.all(speakerId, targetId, authorId)
    const counting = fallen
      ? undefined
      : said.find(({ source, verdict, withdrawn }) => withdrawn === 0 && countedAs(source, verdict) !== null)
    for (const word of said) if (word !== counting) count(word, false)
    if (counting !== undefined) count(counting, true)
  }

  return {
    say(word: Word): void {
      const { targetId, source, sourceId, position, speakerId, authorId, verdict, at } = word
      const independent = authorId === targetAuthor.get(targetId, targetId)?.authorId ? 0 : 1
      insert.run(targetId, targetId, source, sourceId, position, speakerId, authorId, independent, verdict, at)
      if (countedAs(source, verdict) !== null) settle(word)
    },

    /** Gives the word of a reproduction its verdict, once its registrant has told it. */
    tell(targetId: string, attemptId: string, authorId: string, verdict: Verdict, at: string): void {
      tell.run(verdict, at, targetId, attemptId)
      settle({ targetId, speakerId: attemptId, authorId })
    },

    /** Takes back everything that a link said. */
    withdraw(linkId: string): void {
      for (const group of withdraw.all(linkId)) settle(group)
    },

    /** Counts anew what a record says of others, after its own status moved. */
    speakerMoved(versionId: string): void {
      for (const group of groupsOf.all(versionId)) settle(group)
    },
  }
}
