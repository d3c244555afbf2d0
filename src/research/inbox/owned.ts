/** Finds the objects that an agent made, and the experiments assigned to it. */
import { objectList } from "../../contract/objects/objects.ts"
import type { Db } from "../../ledger/storage/database.ts"
import { AGENT_AT } from "../../ledger/journal/author.ts"
import { HOLDING_AGENT } from "../experiments/summary.ts"

/**
 * An agent: a person, and the name of the credential that writes for them; null for the person with all of their
 * agents.
 */
export interface Agent {
  readonly userId: string
  readonly username: string
  readonly name: string | null
}

/** An object that an agent made. */
export interface Owned {
  readonly id: string
  readonly kind: string
  readonly label: string | null
}

const NAMED = "IN (SELECT value FROM json_each(+?))"
/** One kind of each table, because one statement finds all kinds of a table. */
const tableKinds = [
  ...new Map(objectList.flatMap((spec) => (spec.madeAt === null ? [] : [[spec.table, spec] as const]))).values(),
]
const ofExperiments = objectList.flatMap(({ table, key, of }) =>
  of.experiment === undefined ? [] : [{ table, key, column: of.experiment }],
)
/** Entries from before agents had names match any agent of their person. */
const OF_AGENT = (agent: string) => `coalesce(${agent}, +?, '') = coalesce(+?, ${agent}, '')`
const WRITTEN_BY = `w.person_id = +? AND ${OF_AGENT("w.agent")}`

export function owned(db: Db) {
  const find = db.prepare<Owned>(
    `SELECT o.id, o.kind, o.label FROM (${tableKinds
      .map(
        ({ table, key, kind, kindIn, label, madeAt }) =>
          `SELECT x.${key} AS id, ${kindIn === null ? `'${kind}'` : `x.${kindIn}`} AS kind,
              ${label === null ? "NULL" : "x.label"} AS label, ${madeAt} AS position
            FROM ${table} x
            WHERE x.${key} ${NAMED}`,
      )
      .join(
        " UNION ALL ",
      )}) o JOIN journal j ON j.position = o.position JOIN writers w ON w.writer = j.writer WHERE ${WRITTEN_BY}`,
  )
  const belonging = db.prepare<{ id: string; experimentId: string }>(
    ofExperiments
      .map(
        ({ table, key, column }) =>
          `SELECT ${key} AS id, ${column} AS experimentId FROM ${table} WHERE ${key} ${NAMED}`,
      )
      .join(" UNION ALL "),
  )
  const assigned = db.prepare<{ id: string; label: string }>(
    `SELECT e.experiment_id AS id, e.label
      FROM experiments e
      WHERE e.experiment_id ${NAMED} AND e.assignee_id = +? AND ${OF_AGENT(HOLDING_AGENT)}`,
  )
  const lost = db.prepare<{ label: string }>(
    `SELECT e.label FROM experiment_revisions b JOIN experiments e ON e.experiment_id = b.experiment_id
     WHERE b.experiment_id = +? AND b.revision = +? AND b.assignee_id = +? AND ${OF_AGENT(
       AGENT_AT(
         `(SELECT v.history_position
           FROM experiment_revisions v
           WHERE v.experiment_id = b.experiment_id AND v.operation = 'take_experiment' AND v.revision <= b.revision
           ORDER BY v.revision DESC
           LIMIT 1)`,
       ),
     )}`,
  )
  return {
    /** The label of an experiment that an agent held at a revision; undefined if it did not. */
    heldAt: (experimentId: string, revision: number, { userId, name }: Agent): string | undefined =>
      lost.get(experimentId, revision, userId, name, name)?.label,

    /** Returns the objects with some ids that an agent made. */
    among(ids: Iterable<string>, { userId, name }: Agent): ReadonlyMap<string, Owned> {
      const idList = JSON.stringify([...ids])
      return new Map(find.all(...tableKinds.map(() => idList), userId, name, name).map((each) => [each.id, each]))
    },

    /** The experiments that some ids belong to. */
    experimentsOf(ids: Iterable<string>): ReadonlyMap<string, string> {
      const idList = JSON.stringify([...ids])
      return new Map(
        belonging.all(...ofExperiments.map(() => idList)).map(({ id, experimentId }) => [id, experimentId]),
      )
    },

    /** Returns the labels of the experiments among some ids that an agent holds, or held when they ended. */
    assigned: (ids: Iterable<string>, { userId, name }: Agent): ReadonlyMap<string, string> =>
      new Map(assigned.all(JSON.stringify([...ids]), userId, name, name).map(({ id, label }) => [id, label])),
  }
}
