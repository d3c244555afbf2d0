/** The history check can fail: every forged answer is detected, with its kind of fault. */
import type { Forger } from "./forge.ts"
import { forgeries, json, lived } from "./forging.ts"
import { parsed } from "./history.ts"

const history = await lived()

const replays = (forger: Forger) => forger.replays()
forgeries(history, "a replay with another time", "replay", replays, (_forger, write) => {
  write.answer = json<{ acceptedAt: string }>(
    write.answer,
    (receipt) => void (receipt.acceptedAt = "2026-01-01T00:00:00.000Z"),
  )
})
forgeries(
  history,
  "a replay that adds something",
  "replay",
  replays,
  (_forger, write) => void (write.answer = `${write.answer.slice(0, -1)},"more":1}`),
)
forgeries(history, "a replay that does not say whether the credential changed", "replay", replays, (_forger, write) => {
  write.answer = json<{ credentialChanged?: true }>(write.answer, (receipt) => {
    if (receipt.credentialChanged) delete receipt.credentialChanged
    else receipt.credentialChanged = true
  })
})

const refusals = (forger: Forger) => forger.refusals()
forgeries(history, "a refusal for another reason", "refusal", refusals, (_forger, write) => {
  write.answer = json<{ refusal: string }>(
    write.answer,
    (refusal) => void (refusal.refusal = refusal.refusal === "link_exists" ? "thread_gone" : "link_exists"),
  )
})
const withRevision = (forger: Forger) => forger.refusals("assignment_conflict")
forgeries(history, "a refusal that shows what never stood", "refusal", withRevision, (_forger, write) => {
  write.answer = json<{ current: { revision: number } }>(write.answer, ({ current }) => void (current.revision += 1000))
})
forgeries(
  history,
  "a rehearsal whose receipt is not the one that follows",
  "rehearsal",
  (forger) => forger.rehearsals(),
  (_forger, write) => {
    write.answer = json<{ activity: { sequence: number } }>(
      write.answer,
      ({ activity }) => void (activity.sequence += 1000),
    )
  },
)

const entries = (forger: Forger) =>
  Object.values(forger.truth.timelines).flatMap((timeline) => timeline.map((_entry, index) => ({ timeline, index })))
forgeries(
  history,
  "an entry that is missing in its Thread",
  "timeline",
  entries,
  (_forger, { timeline, index }) => void timeline.splice(index, 1),
)
forgeries(
  history,
  "two entries of a Thread that changed places",
  "timeline",
  (forger) => entries(forger).filter(({ index }) => index > 0),
  (_forger, { timeline, index }) => {
    timeline.splice(index - 1, 2, timeline[index] as never, timeline[index - 1] as never)
  },
)

/** The reads after all clients had finished. */
const last = (forger: Forger, name: string) => {
  const over = Math.max(...forger.originals().map(({ write }) => write.end))
  return forger.reads.filter((read) => read.name === name && read.start > over)
}
forgeries(
  history,
  "a stale read of an experiment",
  "read",
  (forger) => last(forger, "experiment").filter(({ answer }) => parsed<{ revision: number }>(answer).revision > 1),
  (_forger, read) => {
    read.answer = json<{ revision: number; status: string; assigneeId: null; affordances: { expected: object } }>(
      read.answer,
      (shown) => {
        Object.assign(shown, { revision: 1, status: "open", assigneeId: null })
        shown.affordances.expected = { expectedRevision: 1, expectedStatus: "open" }
      },
    )
  },
)
forgeries(
  history,
  "a context whose watermark is older than its content",
  "read",
  (forger) => last(forger, "room_context"),
  (_forger, read) => {
    read.answer = json<{ activityWatermark: number; room: { activityWatermark: number } }>(read.answer, (context) => {
      context.activityWatermark -= 1
      context.room.activityWatermark -= 1
    })
  },
)
const pages = (forger: Forger) =>
  forger.reads.filter(
    ({ name, status, answer }) =>
      name === "room_activity" && status === 200 && parsed<{ items: unknown[] }>(answer).items.length > 0,
  )
forgeries(history, "a page of the feed that leaves something out", "read", pages, (_forger, read) => {
  read.answer = json<{ items: unknown[] }>(read.answer, ({ items }) => void items.shift())
})
forgeries(history, "a wait that slept through what landed", "read", pages, (_forger, read) => {
  read.params = { ...read.params, wait: 1 }
  read.start = 1e9
  read.end = 1e9 + 1500
  read.answer = json<{ items: unknown[]; hasMore: boolean }>(read.answer, (page) =>
    Object.assign(page, { items: [], hasMore: false }),
  )
})

const asked = (forger: Forger) => last(forger, "receipt")
forgeries(history, "a receipt that is denied", "read", asked, (_forger, read) => {
  read.status = 404
  read.answer = '{"refusal":"unknown_receipt"}'
})
forgeries(history, "a receipt that is asked for and comes with another time", "read", asked, (_forger, read) => {
  read.answer = json<{ acceptedAt: string }>(
    read.answer,
    (receipt) => void (receipt.acceptedAt = "2026-01-01T00:00:00.000Z"),
  )
})
