/** What attempts said they cost, added up for an experiment, a plan or a Room, beside what plans allow. */
import type { Costs, CostTotals } from "../../contract/answers/costs.ts"
import { parse, type Stored } from "../../contract/json.ts"
import type { Db } from "../../ledger/storage/database.ts"

interface Row extends Omit<CostTotals, "money"> {
  readonly told: number
  readonly money: Stored<CostTotals["money"]>
}
/** What is added up: the attempts and plans of one of these. */
type Of = "experiment_id" | "room_id" | "plan_id"

/** SQLite adds with compensation: the totals do not depend on how many small ones come first. */
const sum = (table: "attempts" | "plans", column: "cost" | "budget", of: Of): string =>
  `WITH told AS (SELECT ${column} AS c FROM ${table} WHERE ${of} = +? AND ${column} IS NOT NULL)
   SELECT count(*) AS told, sum(c ->> '$.gpuHours') AS gpuHours, sum(c ->> '$.tokens') AS tokens, sum(c ->> '$.wallSeconds') AS wallSeconds,
     (SELECT json_group_array(json_object('currency', currency, 'amount', amount)) FROM (
       SELECT c ->> '$.money.currency' AS currency, sum(c ->> '$.money.amount') AS amount FROM told WHERE c -> '$.money' IS NOT NULL GROUP BY 1 ORDER BY 1)) AS money
   FROM told`

export type CostSums = ReturnType<typeof costSums>

export function costSums(db: Db) {
  function summing(of: Of): (id: string) => Costs {
    const spent = db.prepare<Row>(sum("attempts", "cost", of))
    const allowed = db.prepare<Row>(sum("plans", "budget", of))
    return (id) => {
      const [{ told: attempts, ...took }, { told: plans, ...budget }] = [spent.one(id), allowed.one(id)]
      return { attempts, spent: { ...took, money: parse(took.money) }, plans, budget: { ...budget, money: parse(budget.money) } }
    }
  }
  return { ofExperiment: summing("experiment_id"), ofRoom: summing("room_id"), ofPlan: summing("plan_id") }
}
