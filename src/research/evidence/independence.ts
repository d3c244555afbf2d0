/**
 * How what speaks differs from what it speaks of (protocol, section 13): in its person, agent, code and inputs. Agent and code are kept with
 * each word as it lands; the inputs are compared when they are read, because seeds are told as runs go on.
 */
import type { Independence } from "../../contract/answers/evidence.ts"
import { limits } from "../../contract/limits.ts"
import { AGENT_OR_NONE_AT } from "../../ledger/journal/author.ts"
import { contentOf } from "../../ledger/journal/journal.ts"
import type { Db } from "../../ledger/storage/database.ts"

/** Who wrote something. `agent` is empty for a person in the browser, and null where nothing was said of it. */
export interface Writer {
  readonly authorId: string
  readonly agent: string | null
}

/** The attempts behind a finding, or an attempt itself. Takes its id twice. */
const RUNS = `SELECT t.attempt_id FROM finding_attempts t WHERE t.version_id = +? AND t.role = 'producing'
  UNION ALL SELECT a.attempt_id FROM attempts a WHERE a.attempt_id = +? LIMIT ${limits.groundsFollowed}`

/** Whether two lists have nothing in common; null where one of them is empty. */
const differ = (one: readonly string[], other: readonly string[]): boolean | null =>
  one.length === 0 || other.length === 0 ? null : !one.some((each) => other.includes(each))

/** Whether somebody writes as another agent than a writer; any agent of another person is one. */
function isOtherAgent(one: Writer, other: Writer): boolean | null {
  if (one.authorId !== other.authorId) return true
  return one.agent === null || other.agent === null ? null : one.agent !== other.agent
}

/** Whether each of some who speak is another agent than a writer. */
export function areOtherAgents(speaking: readonly Writer[], of: Writer): boolean | null {
  const answers = speaking.map((writer) => isOtherAgent(writer, of))
  return answers.includes(false) ? false : answers.includes(null) ? null : true
}

/** An attempt's repository and commit, by which its code is told from others. */
export const codeOf = ({ url, commit }: { readonly url: string; readonly commit: string }): string => `${url} ${commit}`

export function independence(db: Db) {
  const writer = db.prepare<Writer>(
    `SELECT r.author_id AS authorId, ${AGENT_OR_NONE_AT("r.history_position")} AS agent FROM records r WHERE r.version_id = +?
     UNION ALL SELECT a.registrant_id, ${AGENT_OR_NONE_AT("a.history_position")} FROM attempts a WHERE a.attempt_id = +?`,
  )
  const codes = db.prepare<{ url: string; commit: string }>(
    `SELECT DISTINCT pin ->> '$.url' AS url, pin ->> '$.commit' AS "commit" FROM
       (SELECT ${contentOf("r")} -> '$.repository' AS pin FROM attempts r WHERE r.attempt_id IN (${RUNS}))`,
  )
  const inputs = db.prepare<{ input: string }>(`SELECT DISTINCT material_id AS input FROM attempt_inputs WHERE attempt_id IN (${RUNS})`)
  const seeds = db.prepare<{ seed: string }>(
    `SELECT DISTINCT 'seed ' || seed AS seed FROM (
       SELECT d.dimensions ->> '$.seed' AS seed FROM (SELECT DISTINCT l.dimensions_id FROM attempt_last_metrics l WHERE l.attempt_id IN (${RUNS})) JOIN dimension_sets d USING (dimensions_id)
       UNION ALL SELECT ${contentOf("r")} ->> '$.configuration.seed' FROM attempts r WHERE r.attempt_id IN (${RUNS})) WHERE seed IS NOT NULL`,
  )
  const codesOf = (id: string): string[] => codes.all(id, id).map(codeOf)

  return {
    /** Who wrote a record or registered an attempt; undefined for anything else. */
    writerOf: (id: string): Writer | undefined => writer.get(id, id),
    codesOf,
    /** Whether code differs from that behind a record or attempt; null where it can't be told. */
    isOtherCode: (ran: readonly string[], targetId: string): boolean | null => (ran.length === 0 ? null : differ(ran, codesOf(targetId))),

    /** Compares the inputs of what speaks with those of what it speaks of, each looked up once. */
    comparingInputs() {
      const found = new Map<string, readonly (readonly string[])[]>()
      const of = (id: string) => {
        const known = found.get(id) ?? [inputs.all(id, id).map(({ input }) => input), seeds.all(id, id, id, id).map(({ seed }) => seed)]
        found.set(id, known)
        return known
      }
      /** Whether they differ in digests or in seeds. */
      return (one: string, other: string): boolean | null => {
        const [mine, theirs] = [of(one), of(other)]
        const answers = mine.map((list, index) => isOtherSet(list, theirs[index] ?? []))
        return answers.includes(true) ? true : answers.includes(false) ? false : null
      }
    },
  }
}

/** Whether two sets differ; null where one of them is not known. */
const isOtherSet = (one: readonly string[], other: readonly string[]): boolean | null =>
  one.length === 0 || other.length === 0 ? null : one.length !== other.length || one.some((each) => !other.includes(each))

/** The degrees of a word that are kept with it. */
export interface Kept {
  readonly independent: number
  readonly otherAgent: number | null
  readonly otherCode: number | null
}
/** All degrees of a word. @param inputs whether its inputs differ */
export const degrees = ({ independent, otherAgent, otherCode }: Kept, inputs: () => boolean | null): Independence => ({
  person: independent === 1,
  agent: otherAgent === null ? null : otherAgent === 1,
  code: otherCode === null ? null : otherCode === 1,
  // Only what has runs behind it has code and inputs.
  inputs: otherCode === null ? null : inputs(),
})
