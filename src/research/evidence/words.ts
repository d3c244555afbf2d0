/**
 * Stores the evidence about records and attempts (protocol, section 8). A word is one statement for or against its
 * target, made by a speaker, such as a finding. Words with the same voice count once: of each voice, the newest word
 * counts that was not withdrawn and whose speaker has not fallen. The links of a finding, by any author, and its
 * references share one voice, and so do findings that report the same attempts. A word says by whose agent, code and
 * inputs it is independent of its target.
 */
import { type EvidenceTally, DOUBTED, FALLEN, tallyColumns } from "../../contract/answers/evidence.ts"
import type { enumerations } from "../../contract/schema/enumerations.ts"
import { each, keysOf, present } from "../../contract/typed.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { WHOSE } from "./verdict.ts"
import { inserting, workedOut } from "../../ledger/storage/inserting.ts"
import { limits } from "../../contract/limits.ts"
import { AGENT_OR_NONE_AT } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import { addressOf } from "../../contract/definitions/work.ts"

// How independent a word is: compares it with its target by person, agent, code and inputs (protocol, section 13).
// Agent and code are compared when it is stored; the inputs when it is read, because attempts go on reporting seeds.

/** The author of an object. `agent` is empty for a person in the browser, and null if unknown. */
export interface Writer {
  readonly authorId: string
  readonly agent: string | null
}

/** Selects the attempts behind a finding, or an attempt itself. Takes the id twice. */
const RUNS = `SELECT t.attempt_id FROM finding_attempts t WHERE t.version_id = +? AND t.role = 'producing'
  UNION ALL SELECT a.attempt_id FROM attempts a WHERE a.attempt_id = +? LIMIT ${limits.groundsFollowed}`

/** Whether all speakers are other agents than a writer; null if unknown. Agents of different people are different. */
export function areOtherAgents(speaking: readonly Writer[], of: Writer): boolean | null {
  const own = speaking.filter(({ authorId }) => authorId === of.authorId)
  if (of.agent !== null && own.some(({ agent }) => agent === of.agent)) return false
  return own.some(({ agent }) => agent === null || of.agent === null) ? null : true
}

/** Identifies the code of an attempt by repository and commit. */
export const codeOf = ({ url, commit }: { readonly url: string; readonly commit: string }): string =>
  `${addressOf({ url })} ${commit}`
const repositoryOf = (code: string): string => code.slice(0, code.indexOf(" "))

/** How the code behind a word differs from that behind its target; null if unknown. */
export interface OtherCode {
  /** Another repository, or a changed or own implementation. */
  readonly code: boolean | null
  /** Other commits of one repository. */
  readonly commit: boolean | null
}

export function independence(db: Db) {
  const writer = db.prepare<Writer>(
    `SELECT r.author_id AS authorId, ${AGENT_OR_NONE_AT("r.history_position")} AS agent
      FROM records r
      WHERE r.version_id = +?
     UNION ALL SELECT a.registrant_id, ${AGENT_OR_NONE_AT("a.history_position")}
      FROM attempts a
      WHERE a.attempt_id = +?`,
  )
  const codes = db.prepare<{ url: string; commit: string }>(
    `SELECT DISTINCT pin ->> '$.url' AS url, pin ->> '$.commit' AS "commit" FROM
       (SELECT ${contentOf("r")} -> '$.repository' AS pin FROM attempts r WHERE r.attempt_id IN (${RUNS}))`,
  )
  const inputs = db.prepare<{ input: string }>(
    `SELECT DISTINCT material_id AS input FROM attempt_inputs WHERE attempt_id IN (${RUNS})`,
  )
  const seeds = db.prepare<{ seed: string }>(
    `SELECT DISTINCT 'seed ' || seed AS seed FROM (
       SELECT d.dimensions ->> '$.seed' AS seed FROM (SELECT DISTINCT l.dimensions_id
         FROM attempt_last_metrics l
         WHERE l.attempt_id IN (${RUNS})) JOIN dimension_sets d USING (dimensions_id)
       UNION ALL SELECT ${contentOf("r")} ->> '$.configuration.seed' FROM attempts r WHERE r.attempt_id IN (${RUNS}))
      WHERE seed IS NOT NULL`,
  )
  const implementation = db.prepare<{ implementation: string | null }>(
    "SELECT implementation FROM reproductions WHERE attempt_id = +?",
  )
  const codesOf = (id: string): string[] => codes.all(id, id).map(codeOf)

  return {
    /** Returns the author of a record or the registrant of an attempt; undefined for anything else. */
    writerOf: (id: string): Writer | undefined => writer.get(id, id),
    codesOf,
    /** Compares code with that behind a record or attempt. @param speakerId an attempt that may say what it ran */
    otherCode(ran: readonly string[], targetId: string, speakerId: string): OtherCode {
      const target = ran.length === 0 ? [] : codesOf(targetId)
      if (target.length === 0) return { code: null, commit: null }
      const repositories = new Set(target.map(repositoryOf))
      const isSameRepository = ran.some((code) => repositories.has(repositoryOf(code)))
      const said = implementation.get(speakerId)?.implementation
      return {
        code: !isSameRepository || said === "changed" || said === "own",
        commit: isSameRepository ? !ran.some((code) => target.includes(code)) : null,
      }
    },

    /** Returns a function that compares the inputs of two objects. It reads the inputs of each object once. */
    comparingInputs() {
      const cache = new Map<string, readonly (readonly string[])[]>()
      const inputsOf = (id: string) =>
        cache.getOrInsertComputed(id, () => [
          inputs.all(id, id).map(({ input }) => input),
          seeds.all(id, id, id, id).map(({ seed }) => seed),
        ])
      /** Whether they differ in materials or in seeds; null if unknown. */
      return (one: string, other: string): boolean | null => {
        const otherLists = inputsOf(other)
        const answers = inputsOf(one).map((list, index) => isOtherSet(list, otherLists[index] ?? []))
        return answers.includes(true) ? true : answers.includes(false) ? false : null
      }
    },
  }
}

/** Whether two sets differ; null if one of them is empty. */
const isOtherSet = (one: readonly string[], other: readonly string[]): boolean | null =>
  one.length === 0 || other.length === 0
    ? null
    : one.length !== other.length || one.some((each) => !other.includes(each))

// Which links were withdrawn, and what answered a dispute. A withdrawn link stays readable and no longer counts; an
// answered dispute is no longer a doubt.

/** Whether a link was not withdrawn. @param row the alias of the link */
export const STANDS = (row: string): string =>
  `NOT EXISTS (SELECT 1 FROM link_withdrawals g WHERE g.link_id = ${row}.link_id)`
/**
 * The author's answer to a dispute or an objection, as JSON: a later correction or supersession by the author, or a
 * reply.
 * @param row the alias of the dispute or objection @param target SQL for the id of the object it is about
 */
export const answerTo = (row: string, target: string): string => `coalesce(
    (SELECT json_object('by', iif(a.kind = 'corrects', 'correction', 'supersession'), 'at', a.at, 'linkId', a.link_id)
      FROM research_links a
      WHERE a.target_version_id = ${target} AND a.kind IN ('corrects', 'supersedes')
        AND a.author_id = ${row}.target_author_id
        AND a.history_position > ${row}.history_position AND ${STANDS("a")} LIMIT 1),
    (SELECT json_object('by', 'reply', 'at', q.at, 'entryId', q.entry_id)
      FROM dispute_replies q
      WHERE q.link_id = ${row}.link_id))`
/** The answer to the dispute `l`; null for other links. */
export const ANSWER = `CASE l.kind WHEN 'disputes' THEN ${answerTo("l", "l.target_version_id")} END`

/**
 * The position in the journal of what makes a link `l` a reason for doubt, or null. A dispute that was answered by a
 * link withdrawn since is a reason again from that withdrawal on.
 */
export const WORRIES_AT = `CASE WHEN NOT ${STANDS("l")} OR l.changes IS 'wording' THEN NULL
    WHEN l.kind <> 'disputes' THEN l.history_position
    WHEN ${ANSWER} IS NULL THEN max(l.history_position, coalesce((
      SELECT max(g.history_position) FROM research_links a JOIN link_withdrawals g ON g.link_id = a.link_id
      WHERE a.target_version_id = l.target_version_id AND a.kind IN ('corrects', 'supersedes')
        AND a.author_id = l.target_author_id AND a.history_position > l.history_position), 0)) END`

/** The columns of a withdrawal beside a link `l`; use with `WITHDRAWAL_OF_LINK`. */
export const WITHDRAWAL = "g.at AS withdrawnAt, g.explanation AS withdrawnBecause"
export const WITHDRAWAL_OF_LINK = "LEFT JOIN link_withdrawals g ON g.link_id = l.link_id"

export interface WithdrawalRow {
  readonly withdrawnAt: string | null
  readonly withdrawnBecause: string | null
}
/** Returns the withdrawal of a link; null if it was not withdrawn. */
export const withdrawal = ({ withdrawnAt, withdrawnBecause }: WithdrawalRow) =>
  withdrawnAt === null ? null : { at: withdrawnAt, explanation: withdrawnBecause ?? "" }

type Source = (typeof enumerations.evidenceSource)[number]
export type Verdict = (typeof enumerations.evidenceVerdict)[number]

/** A new word. */
interface Word {
  /** The record or attempt it is about. */
  readonly targetId: string
  readonly source: Source
  /**
   * The row that it comes from: a finding link, a referring record, an attempt or the finding that reports it, a
   * research link.
   */
  readonly sourceId: string
  /** Its index among the words of that row. */
  readonly position: number
  readonly speakerId: string
  /** The voice, if it is not that of the speaker. */
  readonly voiceId?: string
  readonly authorId: string
  /** The agent of the author; empty for a person in the browser, null if unknown. */
  readonly agent: string | null
  /** Whether the speaker is a finding that rests on effects. */
  readonly isMeasured?: boolean
  readonly verdict: Verdict | null
  /** For a reproduction that repeats an effect: a sentence that compares the two effects. */
  readonly comparison?: string | null
  readonly at: string
}
/** Facts that cannot be read yet, because the current write creates them. */
interface Pending {
  readonly target?: Writer
  readonly speaker?: Writer
  /** The code of the attempts behind the speaker. */
  readonly ran?: readonly string[]
}

interface WordRow {
  readonly targetId: string
  readonly sequence: number
  readonly source: Source
  readonly verdict: Verdict | null
  readonly independent: number
  readonly measured: number
  readonly otherAgent: number | null
  readonly otherCode: number | null
  readonly agent: string
  readonly withdrawn: number
  readonly counted: number
  readonly doubted: number
  readonly personId: string
  /** The standing of the speaker. */
  readonly isFallen: number
  readonly isDoubted: number
}
interface Group {
  readonly targetId: string
  readonly voiceId: string
}

type Counted = Exclude<keyof EvidenceTally, "independent" | "otherAgents" | "otherCode" | "doubted">
/** Returns the member of the tally that a verdict counts toward; null if it does not count. */
function countedAs(source: Source, verdict: Verdict | null): Counted | null {
  if (source === "research_link") return null
  if (verdict === "reproduces" || verdict === "partly_reproduces") return "reproductions"
  if (verdict === "does_not_reproduce") return "failedReproductions"
  return verdict === "supports" || verdict === "contradicts" || verdict === "inconclusive" ? verdict : null
}

const bit = (answer: boolean | null): 0 | 1 | null => (answer === null ? null : answer ? 1 : 0)

const columns = tallyColumns
const members = keysOf(columns)
/** The columns of the table of tallies, some of which no answer shows. */
const storedColumns = {
  ...columns,
  measuredSupports: "measured_supports",
  measuredContradicts: "measured_contradicts",
} as const

/** SQL for a tally as JSON; use with `TALLY_OF`. */
export const TALLY = `json_object(
  ${members.map((member) => `'${member}', coalesce(y.${columns[member]}, 0)`).join(", ")})`
/** The same as separate columns, which lists read faster; `tallyIn` collects them from a row. */
export const TALLY_COLUMNS = members.map((member) => `y.${columns[member]} AS ${member}`).join(", ")
export type TallyRow = { readonly [M in keyof EvidenceTally]: number | null }
export const tallyIn = (row: TallyRow): EvidenceTally => each(members, (member) => row[member] ?? 0)
export const TALLY_OF = (id: string): string => `LEFT JOIN evidence_tallies y ON y.target_id = ${id}`

export function words(db: Db) {
  const insert = inserting(db, "evidence_words", {
    workedOut: {
      sequence: workedOut`1 + (SELECT coalesce(max(sequence), 0) FROM evidence_words WHERE target_id = ${"targetId"})`,
    },
  })
  const { writerOf, codesOf, otherCode: otherCodeOf } = independence(db)
  const setVerdict = db.prepare<Group>(
    `UPDATE evidence_words SET verdict = +?, comparison = +?, at = +? WHERE source_id = +? AND source = 'reproduction'
     RETURNING target_id AS targetId, voice_id AS voiceId`,
  )
  const ownCode = db.prepare(
    `UPDATE evidence_words SET other_code = 1 WHERE speaker_id = +? AND source = 'reproduction' AND verdict IS NULL
       AND EXISTS (SELECT 1 FROM reproductions q WHERE q.attempt_id = +? AND q.implementation IN ('changed', 'own'))`,
  )
  const groupsFrom = db.prepare<Group>(
    `SELECT DISTINCT target_id AS targetId, voice_id AS voiceId
      FROM evidence_words
      WHERE source_id = +? AND source = 'reproduction'`,
  )
  const changeVerdict = db.prepare(
    `UPDATE evidence_words
      SET verdict = +?, comparison = +?
      WHERE source_id = +? AND target_id = +? AND source = 'reproduction' AND verdict IS NOT NULL`,
  )
  const withdraw = db.prepare<Group>(
    `UPDATE evidence_words
      SET withdrawn = 1
      WHERE source_id = +? AND withdrawn = 0
      RETURNING target_id AS targetId, voice_id AS voiceId`,
  )
  const groupsOf = db.prepare<Group>(
    "SELECT DISTINCT target_id AS targetId, voice_id AS voiceId FROM evidence_words WHERE speaker_id = +?",
  )
  const ofGroup = db.prepare<WordRow>(
    `SELECT w.target_id AS targetId, w.sequence, w.source, w.verdict, w.independent, w.measured,
        w.other_agent AS otherAgent, w.other_code AS otherCode,
       coalesce(w.speaker_agent, '') AS agent, w.withdrawn, w.counted, w.doubted,
       coalesce(r.author_id, w.author_id) AS personId, coalesce(${FALLEN("s.status")}, 0) AS isFallen,
        coalesce(${DOUBTED("s")}, 0) AS isDoubted
     FROM evidence_words w
      LEFT JOIN records r ON r.version_id = w.speaker_id
      LEFT JOIN standings s ON s.version_id = w.speaker_id
     WHERE w.voice_id = +? AND w.target_id = +? ORDER BY w.sequence DESC`,
  )
  const mark = db.prepare("UPDATE evidence_words SET counted = +?, doubted = +? WHERE target_id = +? AND sequence = +?")
  const countPerson = db.prepare<{ words: number }>(
    `INSERT INTO evidence_people (target_id, person_id, words)
      VALUES (+?, +?, +?)
      ON CONFLICT DO UPDATE SET words = words + excluded.words
      RETURNING words`,
  )
  const countAgent = db.prepare<{ words: number }>(
    `INSERT INTO evidence_agents (target_id, person_id, agent, words)
      VALUES (+?, +?, +?, +?)
      ON CONFLICT DO UPDATE SET words = words + excluded.words
      RETURNING words`,
  )
  const addToTally = inserting(db, "evidence_tallies", {
    onConflict: `DO UPDATE SET ${Object.values(storedColumns)
      .map((column) => `${column} = ${column} + excluded.${column}`)
      .join(", ")}`,
  })

  const updateVerdictFrom = db.prepare(WHOSE)

  /**
   * Returns the change in the number of speakers when one of them gains or loses a word. @param words the words it has
   * now
   */
  const changeOfSpeakers = ({ words }: { readonly words: number }, by: number): number =>
    by === 1 ? Number(words === 1) : -Number(words === 0)

  /** Sets whether a word counts and is doubted, and updates the tally. @returns whether it began or ceased to count */
  function count(word: WordRow, counts: 0 | 1, doubted: 0 | 1): boolean {
    if (word.counted === counts && word.doubted === doubted) return false
    mark.run(counts, doubted, word.targetId, word.sequence)
    const by = counts - word.counted
    const as = countedAs(word.source, word.verdict)
    const share = {
      ...each(members, (member) => (member === as ? by : 0)),
      independent:
        by === 0 || word.independent === 0
          ? 0
          : changeOfSpeakers(countPerson.one(word.targetId, word.personId, by), by),
      otherAgents:
        by === 0 || word.otherAgent !== 1
          ? 0
          : changeOfSpeakers(countAgent.one(word.targetId, word.personId, word.agent, by), by),
      otherCode: word.otherCode === 1 ? by : 0,
      doubted: doubted - word.doubted,
      measuredSupports: word.measured === 1 && as === "supports" ? by : 0,
      measuredContradicts: word.measured === 1 && as === "contradicts" ? by : 0,
    }
    addToTally({ targetId: word.targetId, ...share })
    return by !== 0
  }

  /** Makes the right word of a voice count toward a target, and no other. */
  function settle({ targetId, voiceId }: Group): void {
    const group = ofGroup.all(voiceId, targetId)
    const counting = group.find(
      ({ source, verdict, withdrawn, isFallen }) =>
        withdrawn === 0 && isFallen === 0 && countedAs(source, verdict) !== null,
    )
    const changes = group.map((word) =>
      word === counting ? count(word, 1, word.isDoubted === 1 ? 1 : 0) : count(word, 0, 0),
    )
    if (changes.includes(true)) updateVerdictFrom.run(targetId)
  }

  return {
    writerOf,
    codesOf,

    /** Adds a word. @param pending facts that this write creates */
    add({ agent, ...word }: Word, pending: Pending = {}): void {
      const { targetId, source, speakerId, voiceId = speakerId, authorId, verdict } = word
      const writer = { authorId, agent }
      const {
        target = present(writerOf(targetId)),
        speaker = writerOf(speakerId) ?? writer,
        ran = codesOf(speakerId),
      } = pending
      const independent = authorId === target.authorId || speaker.authorId === target.authorId ? 0 : 1
      const otherAgent = areOtherAgents([writer, speaker], target)
      const { code, commit } = otherCodeOf(ran, targetId, speakerId)
      const measured = word.isMeasured === true ? 1 : 0
      insert({
        ...word,
        agent: agent || null,
        measured,
        voiceId,
        independent,
        otherAgent: bit(otherAgent),
        otherCode: bit(code),
        otherCommit: bit(commit),
        speakerAgent: speaker.agent,
      })
      if (countedAs(source, verdict) !== null) settle({ targetId, voiceId })
    },

    /** Sets the verdict that the registrant of a reproduction reported. */
    setVerdict(attemptId: string, verdict: Verdict, comparison: string | undefined, at: string): void {
      // Its words do not count before, so no tally has their old independence.
      ownCode.run(attemptId, attemptId)
      for (const group of setVerdict.all(verdict, comparison ?? null, at, attemptId)) settle(group)
    },

    /** Changes the verdict of a reproduction. @param targetIds the records concerned; undefined for all */
    changeVerdict(
      sourceId: string,
      targetIds: readonly string[] | undefined,
      verdict: Verdict,
      comparison: string,
    ): void {
      for (const group of groupsFrom.all(sourceId)) {
        if (targetIds?.includes(group.targetId) === false) continue
        // Each word must leave the tally with its old verdict first.
        for (const word of ofGroup.all(group.voiceId, group.targetId)) count(word, 0, 0)
        changeVerdict.run(verdict, comparison, sourceId, group.targetId)
        settle(group)
      }
    },

    withdraw(linkId: string): void {
      for (const group of withdraw.all(linkId)) settle(group)
    },

    /** Recounts the words of a record after its own status changed. */
    speakerMoved(versionId: string): void {
      for (const group of groupsOf.all(versionId)) settle(group)
    },
  }
}
