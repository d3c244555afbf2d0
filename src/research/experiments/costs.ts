/** Sums the reported costs of attempts and the budgets of plans, for an experiment, a plan or a Room. */
import type { Costs, CostTotals } from "../../contract/answers/costs.ts"
import { parse, type Stored } from "../../contract/json.ts"
import type { Db } from "../../ledger/storage/database.ts"

interface Row extends Omit<CostTotals, "money"> {
  readonly count: number
  readonly money: Stored<CostTotals["money"]>
}
/** The column by which attempts and plans are selected. */
type Of = "experiment_id" | "room_id" | "plan_id"

/** SQLite's sum() compensates rounding errors, so the order of rows does not matter. */
const sum = (table: "attempts" | "plans", column: "cost" | "budget", of: Of): string =>
  `WITH costs AS (SELECT ${column} AS c FROM ${table} WHERE ${of} = +? AND ${column} IS NOT NULL)
   SELECT count(*) AS count, sum(c ->> '$.gpuHours') AS gpuHours, sum(c ->> '$.tokens') AS tokens,
      sum(c ->> '$.wallSeconds') AS wallSeconds,
     (SELECT json_group_array(json_object('currency', currency, 'amount', amount)) FROM (
       SELECT c ->> '$.money.currency' AS currency, sum(c ->> '$.money.amount') AS amount
       FROM costs
       WHERE c -> '$.money' IS NOT NULL
       GROUP BY 1
       ORDER BY 1)) AS money
   FROM costs`

export type CostSums = ReturnType<typeof costSums>

export function costSums(db: Db) {
  function summing(of: Of): (id: string) => Costs {
    const spent = db.prepare<Row>(sum("attempts", "cost", of))
    const allowed = db.prepare<Row>(sum("plans", "budget", of))
    return (id) => {
      const { count: attempts, ...cost } = spent.one(id)
      const { count: plans, ...budget } = allowed.one(id)
      return {
        attempts,
        spent: { ...cost, money: parse(cost.money) },
        plans,
        budget: { ...budget, money: parse(budget.money) },
      }
    }
  }
  return { ofExperiment: summing("experiment_id"), ofRoom: summing("room_id"), ofPlan: summing("plan_id") }
}
