/**
 * The short form of the attack: the same requests each time, against the built executable as a process of its own, with
 * a bystander in another process. The long form, with new requests each time, is prove.ts beside this file.
 */
import tap, { test } from "tap"
import { endAll } from "../../support/program.ts"
import { targets } from "../fuzz/targets.ts"
import { MOST_WAITED, siege } from "./siege.ts"
import { MOST_ANSWERED } from "./watch.ts"

tap.teardown(endAll)

test("hostile requests do not stop the service, and slow ones do not hold up others", async (t) => {
  const said: string[] = []
  const report = await siege({
    seed: process.env.RESEARCH_ROOM_SEED ?? "20261122",
    most: 100,
    texts: 16,
    each: 1,
    patience: { connections: 80, seconds: 0.3 },
    ordinary: 1_000,
    hostile: 1_000,
    rest: 6,
    longest: 2,
    flood: 2,
    progress: (line) => void said.push(line),
  })
  for (const violation of report.violations) t.fail(violation)
  t.ok(
    report.longest <= MOST_WAITED || report.violations.length > 0,
    `a bystander waited ${report.longest.toFixed(0)} ms at most`,
  )
  t.ok(report.largest.bytes <= MOST_ANSWERED, `the largest answer has ${report.largest.bytes} bytes`)
  t.ok(report.requests > 2_000, `${report.requests} requests`)
  t.ok(report.reached > targets.length * 0.4, `${report.reached} of ${targets.length} routes answered`)
  for (const status of [200, 401, 403, 404, 422])
    t.ok((report.statuses.get(status) ?? 0) > 0, `some were answered ${status}`)
  for (const { name, seen } of report.rows)
    t.ok(seen.reads.count > 0 && seen.newcomers.count > 0, `a bystander watched during ${name}`)
  t.comment(said.join("\n"))
})
