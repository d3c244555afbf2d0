/**
 * The measurement table of a Room with ten thousand attempts, worked out once for each state: the first one after a
 * start, the same again, another question, and the first one after one more attempt was reported.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { largeRoom, launchOf, metricsOf } from "../research/measurements/large-room.ts"
import { Filler } from "../research/record/filler.ts"
import { copyData, dataFile, readDemo, remove, repositoriesOf } from "./data/demo.ts"
import { processorOf, startServe } from "./process.ts"
import { progress } from "./progress.ts"
import type { Bench } from "./settings.ts"

/** One more is reported in each round, of the 10,000 that a table covers. */
const [ATTEMPTS, MORE] = [9_990, 5]
/** Milliseconds for the table of a new state. */
const WANTED = 200

const ASKED = ["first after a start", "the same again", "by arm alone", "after one more attempt"] as const

export async function firstAnswers({ scratch, demo, rounds, report }: Bench): Promise<void> {
  const { credentials, rooms, people, repositories } = readDemo(demo)
  const filled = copyData(demo, join(scratch, "first-answers"))
  const { roomId, openingThreadId: threadId } = rooms.empty
  const { url, commit } = repositories.public
  const filler = new Filler(dataFile(filled))
  const owner = filler.person(people.owner.username)
  const shown = progress("first-answers", ATTEMPTS)
  const experimentId = await filler.fill(() => {
    const room = largeRoom(filler, owner, { roomId, threadId, repository: { url, commit } })
    for (let index = 0; index < ATTEMPTS; index += 1) {
      room.report(index)
      shown.step(`attempt ${index}`)
    }
    return room.experimentIds[0]
  })
  shown.end()
  await filler.instance.indexed()
  filler.close()

  const found = Object.fromEntries(ASKED.map((name) => [name, { clock: [] as number[], processor: [] as number[] }]))
  for (let round = 0; round < rounds + 1; round += 1) {
    const folder = copyData(filled, join(scratch, "first-answers-round"))
    const { port, pid, end } = await startServe(folder, repositoriesOf(demo))
    const base = `http://127.0.0.1:${port}`
    const ask = async (name: (typeof ASKED)[number], by: string) => {
      const [began, used] = [performance.now(), processorOf(pid)]
      const question = `metric=error&by=${by}&over=seed&against=arm:baseline`
      const response = await fetch(`${base}/api/research/rooms/${roomId}/measurements?${question}`)
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`The table is answered ${response.status}.`)
      found[name]?.clock.push(performance.now() - began)
      found[name]?.processor.push((processorOf(pid) - used) / 1_000)
    }
    const write = (operation: string, body: object) => ({
      operation,
      body: { schemaVersion: 3, requestId: randomUUID(), ...body },
    })
    async function reportOne(index: number): Promise<void> {
      const attemptId = randomUUID()
      const told = { attemptId, reportedAt: "2026-11-20T09:30:00.000Z" }
      const writes = [
        write("register_attempt", {
          ...{ attemptId, experimentId, intent: "exploratory", expectedRevision: 2, expectedStatus: "claimed" },
          ...{ inputs: [], repository: { url, commit }, ...launchOf(index) },
        }),
        write("report_attempt_event", {
          ...told,
          ...{ event: "started", expectedRevision: 1, expectedStatus: "registered" },
        }),
        write("report_attempt_event", {
          ...told,
          ...{ event: "succeeded", expectedRevision: 2, expectedStatus: "started", metrics: metricsOf(index) },
        }),
      ]
      const response = await fetch(`${base}/api/agent/research/batch`, {
        method: "POST",
        headers: { authorization: `Bearer ${credentials.owner_all.token}`, "content-type": "application/json" },
        body: JSON.stringify({ writes }),
      })
      if (!response.ok) throw new Error(await response.text())
    }
    // The service has done what follows a start.
    await pause(3_000)
    await ask("first after a start", "arm,labels")
    await ask("the same again", "arm,labels")
    await ask("by arm alone", "arm")
    for (let more = 0; more < MORE; more += 1) {
      await reportOne(ATTEMPTS + more)
      await ask("after one more attempt", "arm,labels")
    }
    await end()
    remove(folder)
  }
  remove(filled)
  report.table({
    title: `The table of ${ATTEMPTS.toLocaleString("en")} attempts; times in ms`,
    notes: [`Each of ${rounds + 1} starts waits 3 s. The processor time is that of all threads of the service.`],
    columns: [
      { name: "median", digits: 0 },
      { name: "longest", digits: 0 },
      { name: "processor", digits: 0 },
    ],
    rows: ASKED.map((name) => {
      const { clock = [], processor = [] } = found[name] ?? {}
      return { name, cells: [clock, [Math.max(...clock)], processor] }
    }),
  })
  for (const name of ["first after a start", "after one more attempt"] as const)
    report.aimOf(`table of ${ATTEMPTS} attempts, ${name}, ms`, found[name]?.clock ?? [], { atMost: WANTED })
}
