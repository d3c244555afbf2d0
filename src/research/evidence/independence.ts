/**
 * Compares evidence with its target by person, agent, code and inputs (protocol, section 13). Agent and code are
 * compared when a word is stored; the inputs when it is read, because attempts go on reporting seeds.
 */
import { limits } from "../../contract/limits.ts"
import { AGENT_OR_NONE_AT } from "../../ledger/journal/actor.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { addressOf } from "../../contract/definitions/work.ts"

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
