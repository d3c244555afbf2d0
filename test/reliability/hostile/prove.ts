/**
 * The long form, run by `npm run prove -- --only hostile`: new requests each time. `--seed` sends the same again; with
 * `PROVE_MATCHING` in the environment only volleys with a matching name run.
 */
import { asked, megabytes, progress, prove, tell } from "../support/proving.ts"
import { siege } from "./siege.ts"

const { seed, numbers } = asked(
  {
    /** Shots of one volley; planted texts; bodies of each operation; held connections; hostile requests in all. */
    shots: 1_500,
    texts: 40,
    each: 6,
    connections: 1_000,
    hostile: 100_000,
  },
  { seconds: 12, ordinary: 1_000, rest: 30, longest: 30, flood: 1_200 },
)

await prove("hostile", seed, async () => {
  const { shots: most, texts, each, connections, seconds, ordinary, hostile, rest, longest: until, flood } = numbers
  const matching = process.env.PROVE_MATCHING
  const report = await siege({
    seed,
    most,
    texts,
    each,
    patience: { connections, seconds },
    ordinary,
    hostile,
    rest,
    longest: until,
    flood,
    matching,
    progress,
  })
  const { rows, memory, largest, longest } = report
  const width = Math.max(...rows.map(({ name }) => name.length))
  tell(`${"".padEnd(width)}  requests      s  read ms  (clock)  newcomer  write ms      MB`)
  for (const { name, requests, seconds: took, seen, memory: after } of rows) {
    const { reads, newcomers, writes } = seen
    const figures = [
      String(requests).padStart(8),
      took.toFixed(1).padStart(5),
      ...[reads.longest, reads.byTheClock, newcomers.longest, writes.longest].map((wait) =>
        wait.toFixed(0).padStart(7),
      ),
      megabytes(after).padStart(8),
    ]
    tell(`${name.padEnd(width)}  ${figures.join("  ")}`)
  }
  const statuses = [...report.statuses]
    .sort()
    .map(([status, count]) => `${status}: ${count}`)
    .join(", ")
  tell(`answers ${statuses}`)
  const kept =
    memory === null
      ? ""
      : `, memory ${megabytes(memory.ordinary)} after ordinary use, ${megabytes(memory.peak)} at its peak, ` +
        `${megabytes(memory.hostile)} after the attack, ${megabytes(memory.rested)} after a rest`
  return {
    problems: report.violations,
    seen:
      `${report.requests} requests, a bystander waited ${longest.toFixed(0)} ms at the longest, the largest ` +
      `answer has ${largest.bytes} bytes (${largest.attack})${kept}`,
  }
})
