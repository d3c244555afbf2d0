/**
 * Whatever was written, in Rooms that name each other's objects, the answer as of every entry is the answer that was
 * given at that entry.
 */
import fc from "fast-check"
import t from "tap"
import { pathTo, type ReadName } from "../../../src/contract/reads/index.ts"
import { seedWhenJudged } from "../../support/chance.ts"
import { appOf, openInside } from "../../support/lab.ts"
import { Wandering } from "./wandering.ts"

const lab = await openInside(t, { people: ["ada", "grace", "mary", "anna"] })
const app = appOf(lab.instance, "http://127.0.0.1")

async function ask(path: string): Promise<{ readonly status: number; readonly answer: Record<string, unknown> }> {
  const response = await app.request(path, { headers: { host: "127.0.0.1" } })
  const { generatedAt: _now, links: _links, ...answer } = (await response.json()) as Record<string, unknown>
  return { status: response.status, answer }
}

/**
 * An answer without one affordance: registering an attempt that reproduces another. It appears once any Room has
 * something to reproduce, and unrelated Rooms are not replayed.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => !isReproducing(each)).map(comparable)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, comparable(inner)]))
}
const isReproducing = (value: unknown): boolean => {
  const { operation, values } = (value ?? {}) as { operation?: unknown; values?: { intent?: string[] } }
  return operation === "register_attempt" && values?.intent?.join() === "reproduction"
}

/** Every read of a Room that can be asked as of an entry. */
function questions({ places }: Wandering, roomId: string): string[] {
  const place = places.find(({ room }) => room.roomId === roomId)
  if (place === undefined) return []
  const { board, checkpoints } = place
  const of = (names: readonly ReadName[], ids: Record<string, string>) => names.map((name) => pathTo(name, ids))
  return [
    ...of(["room", "room_context", "room_failures", "room_next", "room_publications", "room_links"], { roomId }),
    pathTo("room_brief", { roomId }, { budget: "60000" }),
    ...(["hypotheses", "experiments", "attempts", "attempt_table"] as const).map((name) =>
      pathTo(name, {}, { roomId }),
    ),
    ...board.records.flatMap((versionId) =>
      of(["record", "record_evidence", "record_case", "record_uses"], { versionId }),
    ),
    ...board.experiments
      .all()
      .flatMap(({ id: experimentId }) =>
        of(["experiment", "experiment_history", "experiment_findings"], { experimentId }),
      ),
    ...board.attempts.all().flatMap(({ id: attemptId }) => of(["attempt", "attempt_metrics"], { attemptId })),
    ...board.attempts.all().map(({ id }) => pathTo("attempt_curves", {}, { attemptIds: id, metric: "loss" })),
    ...board.plans.flatMap(({ planId }) => of(["plan"], { planId })),
    ...board.threads.flatMap((threadId) => of(["thread_research_context"], { threadId })),
    ...checkpoints.flatMap((checkpointId) => of(["checkpoint", "checkpoint_case"], { checkpointId })),
  ]
}

const seed = Number(process.env.SEED ?? seedWhenJudged ?? Date.now() % 2 ** 31)

// shows: Added: with at, reads answer as of an earlier entry of the Room's activity.
t.test("random histories, every entry", { timeout: 240_000 }, async (t) => {
  let moments = 0
  let answers = 0
  await fc.assert(
    fc.asyncProperty(fc.string({ minLength: 1, maxLength: 8, unit: "grapheme-ascii" }), async (word) => {
      const rooms = [await lab.room(), await lab.room(), await lab.room()]
      const wandering = new Wandering(lab, rooms, word)
      const seen = new Map<string, { readonly path: string; readonly answer: unknown }[]>()
      for (let step = 0; step < 100; step++) {
        const receipt = await wandering.step()
        if (receipt?.activity == null || receipt.roomId === null) continue
        const given = []
        for (const path of questions(wandering, receipt.roomId)) given.push({ path, answer: (await ask(path)).answer })
        seen.set(`${receipt.roomId} ${receipt.activity.sequence}`, given)
      }
      for (const [moment, given] of seen) {
        const [roomId, sequence] = moment.split(" ") as [string, string]
        moments += 1
        for (const { path, answer } of given) {
          const then = await ask(`${path}${path.includes("?") ? "&" : "?"}at=${sequence}`)
          const { asOf, ...rest } = then.answer
          t.equal(
            (asOf as { sequence?: number } | undefined)?.sequence,
            Number(sequence),
            `${path} of ${roomId} names its entry`,
          )
          t.strictSame(comparable(rest), comparable(answer), `${path} as of ${sequence}`)
          answers += 1
        }
      }
    }),
    { seed, numRuns: Number(process.env.RUNS ?? 3), endOnFailure: true },
  )
  t.comment(`seed ${seed}: ${answers} answers of ${moments} moments`)
  t.ok(moments > 40, "many moments were compared")
})
