/** A Room in one small read: its contents, their order, and that it never exceeds its budget. */
import t from "tap"
import { because, finding, hypothesis, nobody, reference } from "../../support/bodies.ts"
import { holds } from "../record/holds.ts"
import { limits } from "../../../src/contract/limits.ts"
import { everyItem, openLab, refusedAs } from "../../support/lab.ts"
import { Work } from "../record/work.ts"
import { Filler } from "../record/filler.ts"

const lab = await openLab(t)
const { reader, house } = lab
const room = await lab.room("Does warm-up matter?")
const { roomId, threadId } = room

const quiet = (await room.ada.write("publish_hypothesis", hypothesis(room))).result
const tested = (await room.ada.write("publish_hypothesis", hypothesis(room))).result
const contested = (await room.ada.write("publish_hypothesis", hypothesis(room))).result
const untested = (await room.ada.write("publish_hypothesis", hypothesis(room))).result
const toward = (versionId: string, purpose: "supports" | "contradicts") => ({
  references: [reference(versionId, purpose)],
})
await room.grace.write("publish_finding", finding(room, toward(tested.versionId, "supports")))
await room.grace.write("publish_finding", finding(room, toward(contested.versionId, "supports")))
const against = (
  await room.mary.write(
    "publish_finding",
    finding(room, { ...toward(contested.versionId, "contradicts"), outcome: "negative" }, "It did not."),
  )
).result
const open = await room.ada.write("propose_experiment", {
  roomId,
  threadId,
  question: "Is it the ramp?",
  scope: "Here.",
  hypotheses: [],
})
const work = await Work.begin(lab, room)
const failed = await work.attempt("failed")
const diverged = await work.attempt("started")
await work.tell(diverged, "progress", { metrics: [{ name: "loss", value: "NaN", step: 400, split: "train" }] })
const dispute = await room.mary.write("assert_dispute", {
  targetVersionId: quiet.versionId,
  explanation: "The unit is missing.",
})
const { timelineWatermark } = (await reader.read("thread_context", { threadId })).thread
await room.ada.write("post_research_checkpoint", {
  threadId,
  expectedWatermark: timelineWatermark,
  coversThrough: timelineWatermark,
  state: "concluded",
  synthesis: "Both arms ran.",
  conclusion: "It matters for small batches.",
  openQuestions: ["Does it matter without clipping?"],
  citations: [tested.versionId],
})

const brief = (query = {}) => reader.read("room_brief", { roomId, ...query })
const sent = async (path: string) => {
  const response = await fetch(`${house.baseUrl}${path}`)
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    bytes: (await response.arrayBuffer()).byteLength,
  }
}

t.test(
  "the brief lists what is known, what failed and why, what is disputed, what is in progress and what is open",
  async (t) => {
    holds(t, await brief(), {
      room: { roomId, title: "Does warm-up matter?", state: "active", concluded: true },
      stands: [
        {
          threadId,
          state: "concluded",
          says: "It matters for small batches.",
          by: "ada",
          stale: false,
          staleReasons: [],
        },
      ],
      hypotheses: [
        { label: contested.label, evidence: { supports: 1, contradicts: 1, independent: 2 } },
        { label: quiet.label, status: "disputed" },
        { label: tested.label, evidence: { supports: 1 } },
        { label: untested.label, status: "current" },
      ],
      failures: [
        { kind: "attempt_diverged", id: diverged, label: "A2", why: "loss (train) became NaN at step 400" },
        { kind: "attempt_failed", id: failed, label: "A1", why: "running: It did not go well." },
      ],
      findings: [
        {
          outcome: "negative",
          versionId: against.versionId,
          label: against.label,
          says: "It did not.",
          inDoubt: false,
        },
        { outcome: "positive" },
        { outcome: "positive" },
      ],
      disputes: [
        {
          id: quiet.versionId,
          label: quiet.label,
          why: "The unit is missing.",
          by: "mary",
          linkId: dispute.result.linkId,
        },
      ],
      work: [
        { experimentId: work.experimentId, status: "claimed", assignee: "ada", silentSince: null },
        { experimentId: open.result.experimentId, question: "Is it the ramp?", status: "open", assignee: null },
      ],
      openQuestions: [{ question: "Does it matter without clipping?", threadId }],
      omitted: {},
    })
  },
)

// shows: skill: next
t.test("next steps, each with the operation that does it and the start of a body", async (t) => {
  const { items } = await reader.read("room_next", { roomId })
  holds(
    t,
    items.map(({ what, object, operation }) => `${what} ${object.label ?? object.kind}: ${operation}`),
    [
      `answer_dispute ${quiet.label}: assert_correction`,
      "review_conclusion checkpoint: submit_review",
      "report_outcome A2: report_attempt_event",
      "answer_question thread: propose_experiment",
      `test_hypothesis ${untested.label}: propose_experiment`,
      "take_experiment E1: take_experiment",
    ],
  )
  const [, , report, , , take] = items
  t.equal(report?.permission, "manage_own_experiments")
  await room.ada.write("report_attempt_event", {
    ...report?.body,
    event: "failed",
    reportedAt: "2026-11-20T09:30:00.000Z",
    failure: { stage: "run", explanation: because },
  } as never)
  await room.mary.write("take_experiment", take?.body as never)
  const left = (await reader.read("room_next", { roomId })).items.map(({ what }) => what)
  t.notOk(left.includes("report_outcome") || left.includes("take_experiment"), "once done, they are no longer offered")

  await room.mary.write("withdraw_link", { linkId: dispute.result.linkId, explanation: because })
  await room.grace.write("publish_finding", finding(room))
  const then = (await reader.read("room_next", { roomId })).items.map(({ what }) => what)
  t.notOk(then.includes("answer_dispute"))
  t.ok(then.includes("renew_conclusion"), "something was published since it was concluded")
  holds(t, await brief(), { disputes: [], stands: [{ stale: true, staleReasons: [{ code: "published_since" }] }] })
})

t.test("the brief as Markdown, and the brief of a Thread", async (t) => {
  const markdown = await (await fetch(`${house.baseUrl}/api/research/rooms/${roomId}/brief?format=markdown`)).text()
  t.match(markdown, /^# Does warm-up matter\?\n/)
  for (const line of ["It matters for small batches.", "loss (train) became NaN at step 400", "## Open questions"])
    t.ok(markdown.includes(line), line)
  const byHeader = await fetch(`${house.baseUrl}/api/research/rooms/${roomId}/brief`, {
    headers: { accept: "text/markdown" },
  })
  t.match(byHeader.headers.get("content-type"), /^text\/markdown/)
  t.equal(await byHeader.text(), markdown)
  const thread = await reader.read("thread_brief", { threadId, budget: 16_000 })
  holds(t, thread, { thread: { threadId, roomId }, stands: [{ threadId }] })
  t.equal(thread.hypotheses.length, 4)
})

t.test("a conclusion comes whole before anything else in the smallest brief of its Thread", async (t) => {
  const scene = await lab.room("A Room in which much was said")
  const place = { threadId: scene.threadId }
  for (let n = 0; n < 6; n += 1) {
    await scene.ada.write("publish_hypothesis", hypothesis(scene))
    await scene.grace.write("publish_finding", finding(scene, {}, `Finding ${n}. ${"It did in all runs. ".repeat(6)}`))
    await scene.ada.write("post_message", { ...place, text: `Message ${n}: which of both arms was it?` })
  }
  const conclusion = `${"Warm-up matters for small batches alone, by the same amount. ".repeat(7).slice(0, 390)}.`
  const { timelineWatermark } = (await reader.read("thread_context", place)).thread
  await scene.ada.write("post_research_checkpoint", {
    ...place,
    expectedWatermark: timelineWatermark,
    coversThrough: timelineWatermark,
    state: "concluded",
    synthesis: "Both arms ran.",
    conclusion,
    openQuestions: ["Does it matter without clipping?"],
    citations: [],
  })
  // What comes after it makes it stale.
  for (let n = 0; n < 5; n += 1)
    await scene.grace.write("publish_finding", finding(scene, {}, `Later finding ${n}. ${"It did. ".repeat(20)}`))
  for (const budget of [2_500, 4_000, 8_000]) {
    const small = await reader.read("thread_brief", { ...place, budget })
    t.equal(small.stands[0]?.says, conclusion, `${budget} bytes`)
  }
  const { stands, findings, omitted } = await reader.read("thread_brief", { ...place, budget: 2_500 })
  t.ok(stands[0]?.stale && (findings.length > 0 || omitted.findings), "other things follow in what is left")
})

t.test("a brief names the newest messages, and open work beside held", async (t) => {
  const scene = await lab.room("A Room with work and talk")
  const propose = (question: string) =>
    scene.ada.write("propose_experiment", {
      roomId: scene.roomId,
      threadId: scene.threadId,
      question,
      scope: "Here.",
      hypotheses: [],
    })
  await propose("Is it the ramp?")
  await Work.begin(lab, scene)
  const other = await scene.ada.write("create_thread", { roomId: scene.roomId, title: "Another Thread" })
  const threads = [scene.threadId, other.result.threadId]
  for (let n = 0; n < 8; n += 1)
    await scene.mary.write("post_message", { threadId: threads[n % 2] as string, text: `Message ${n}.` })
  const { work, messages } = await reader.read("room_brief", { roomId: scene.roomId })
  t.strictSame(new Set(work.map(({ status }) => status === "open")), new Set([true, false]), "open and held")
  t.strictSame(
    messages.map(({ says, by, threadId }) => [says, by, threads.indexOf(threadId)]),
    [7, 6, 5, 4, 3].map((n) => [`Message ${n}.`, "mary", n % 2]),
  )
  const own = await reader.read("thread_brief", { threadId: scene.threadId })
  t.strictSame(own.messages.map(({ says }) => says).slice(0, 2), ["Message 6.", "Message 4."])
  const answer = await fetch(`${house.baseUrl}/api/research/rooms/${scene.roomId}/brief?format=markdown`)
  t.match(await answer.text(), /## Recent messages\n- mary.{1,200}: Message 7\./)
})

t.test("Markdown has every next step that JSON has, if its budget allows", async (t) => {
  const at = await lab.room("What is there to do?")
  for (const what of ["A ramp", "A pause", "A restart", "A larger batch", "A smaller one"])
    await at.ada.write("publish_hypothesis", hypothesis(at, {}, `${what} lowers the loss.`))
  for (const question of ["Does noise?", "Does a prior?", "Does a longer run?", "Does another seed?"])
    await at.ada.write("propose_experiment", {
      roomId: at.roomId,
      threadId: at.threadId,
      question,
      scope: "Here.",
      hypotheses: [],
    })
  const { next } = await reader.read("room_brief", { roomId: at.roomId, budget: 8_000 })
  const { items } = await reader.read("room_next", { roomId: at.roomId })
  t.equal(next.length, items.length)
  t.ok(next.length >= 9, `${next.length} steps`)
  const markdown = await (await fetch(`${house.baseUrl}/api/research/rooms/${at.roomId}/brief?format=markdown`)).text()
  const [, steps = ""] = markdown.split("## What to do next\n")
  for (const { what, object } of next)
    t.match(steps, new RegExp(`^- ${what.replaceAll("_", " ")} ${object.label}: `, "m"))
})

// shows: skill: brief
t.test("it never exceeds its budget, whatever the Room holds, and what is left out is counted", async (t) => {
  const filler = new Filler(lab.file)
  const owner = filler.person(house.people.owner.username)
  const large = await filler.fill(() => {
    const made = filler.does(owner, "create_room", { title: "𝔴".repeat(200), question: "𝔴".repeat(4_000) }).result
    const place = { roomId: made.roomId, threadId: made.openingThreadId }
    for (let index = 0; index < 400; index += 1) {
      const body = hypothesis(place)
      const { versionId } = filler.does(owner, "publish_hypothesis", {
        ...body,
        assertion: { ...body.assertion, wording: `${index} ${"𝔴 ".repeat(900)}` },
      }).result
      if (index % 3 === 0)
        filler.does(
          owner,
          "publish_finding",
          finding(place, { ...toward(versionId, "supports"), outcome: "negative" }, "word ".repeat(700)),
        )
      if (index % 7 === 0)
        filler.does(owner, "assert_dispute", { targetVersionId: versionId, explanation: '"quoted"\n'.repeat(200) })
    }
    return made.roomId
  })
  filler.close()
  for (const at of [roomId, large])
    for (const budget of [2_000, 2_001, 3_333, 8_000, 20_000, 64_000])
      for (const form of ["", "&format=markdown"]) {
        const { status, bytes } = await sent(`/api/research/rooms/${at}/brief?budget=${budget}${form}`)
        t.ok(status === 200 && bytes <= budget, `${budget}${form}: ${bytes} bytes`)
      }
  const whole = await reader.read("room_brief", { roomId: large, budget: 20_000 })
  t.equal(whole.hypotheses.length + (whole.omitted.hypotheses?.count ?? 0), 400)
  t.equal(whole.findings.length + (whole.omitted.findings?.count ?? 0), 134)
  const told = [whole.hypotheses, whole.findings, whole.disputes, whole.next].map(({ length }) => length)
  t.ok(
    told.every((many) => many > 0),
    `something from every list: ${told.join(", ")}`,
  )
  t.match(whole.omitted.hypotheses?.link, `/api/research/hypotheses?roomId=${large}`)
  for (const form of ["", "&format=markdown"])
    for (const budget of [4_000, 8_000, 20_000, 64_000]) {
      const { bytes } = await sent(`/api/research/rooms/${large}/brief?budget=${budget}${form}`)
      t.ok(bytes >= 0.8 * budget, `${budget}${form} is used: ${bytes}`)
    }
  const least = await reader.read("room_brief", { roomId: large, budget: 2_000 })
  t.ok(Object.keys(least.omitted).length > 3)
  t.ok(
    Object.values(least.omitted).every(({ link }) => link === undefined),
    "links would take the place of findings",
  )
  const most = await reader.read("room_brief", { roomId: large, budget: 4_001 })
  for (const [list, { link }] of Object.entries(most.omitted))
    t.match(link, /^\/api\/research\//, `a brief links to all ${list}`)
  const text = await (
    await fetch(`${house.baseUrl}/api/research/rooms/${large}/brief?budget=4001&format=markdown`)
  ).text()
  for (const { link } of Object.values(most.omitted)) t.ok(text.includes(`more: ${link}`), link ?? "a link")
})

t.test(
  "a Thread's brief includes and counts the Thread's findings, however many newer ones the Room has",
  async (t) => {
    const filler = new Filler(lab.file)
    const owner = filler.person(house.people.owner.username)
    const made = await filler.fill(() => {
      const { roomId: at, openingThreadId } = filler.does(owner, "create_room", { title: "Much failed here" }).result
      const { threadId: aside } = filler.does(owner, "create_thread", { roomId: at, title: "Aside" }).result
      const failing = (thread: string, wording: string) => {
        const body = finding({ roomId: at, threadId: thread }, { outcome: "negative" }, wording)
        const { versionId, label } = filler.does(owner, "publish_finding", body).result
        filler.does(owner, "assert_dispute", { targetVersionId: versionId, explanation: `I doubt ${wording}` })
        return { versionId, label }
      }
      const early = failing(aside, "early and aside")
      const first = filler.does(
        owner,
        "publish_hypothesis",
        hypothesis({ roomId: at, threadId: openingThreadId }),
      ).result
      for (let index = 0; index < limits.briefSight + 50; index += 1) failing(openingThreadId, `later ${index}`)
      filler.does(owner, "assert_dispute", {
        targetVersionId: first.versionId,
        explanation: "I doubt the first one now.",
      })
      return { roomId: at, openingThreadId, aside, early, first }
    })
    filler.close()
    const ofAside = await reader.read("thread_brief", { threadId: made.aside })
    holds(t, ofAside, {
      findings: [{ outcome: "negative", versionId: made.early.versionId, says: "early and aside" }],
      disputes: [{ id: made.early.versionId, why: "I doubt early and aside" }],
      omitted: {},
    })
    const ofOpening = await reader.read("thread_brief", { threadId: made.openingThreadId })
    for (const list of ["findings", "disputes"] as const)
      t.equal(
        ofOpening[list].length + (ofOpening.omitted[list]?.count ?? 0),
        limits.briefSight + (list === "findings" ? 50 : 51),
        list,
      )
    t.equal(ofOpening.disputes[0]?.id, made.first.versionId, "the newest dispute comes first, however old its target")
    t.equal((await reader.read("room_next", { roomId: made.roomId })).items[0]?.object.id, made.first.versionId)

    const { omitted } = await reader.read("room_brief", { roomId: made.roomId })
    t.equal(omitted.findings?.link, `/api/research/rooms/${made.roomId}/publications?kinds=finding`)
    const all = await everyItem(reader.items("room_publications", { roomId: made.roomId, kinds: ["finding"] }))
    t.equal(all.length, limits.briefSight + 51, "the link lists every one of them")
  },
)

t.test(
  "items beyond the limit are still counted, and the Room's own synthesis comes first however old it is",
  async (t) => {
    const filler = new Filler(lab.file)
    const owner = filler.person(house.people.owner.username)
    const threads = limits.briefSight + 20
    const ending = (thread: string, state: "open" | "concluded", openQuestions: string[]) => {
      const watermark = filler.instance.tables.threads.summary(thread)?.timelineWatermark ?? 0
      const said = state === "concluded" ? { conclusion: "So it is." } : {}
      const covered = { threadId: thread, expectedWatermark: watermark, coversThrough: watermark }
      filler.does(owner, "post_research_checkpoint", {
        ...covered,
        ...said,
        state,
        synthesis: "So far.",
        openQuestions,
        citations: [],
      })
    }
    const made = await filler.fill(() => {
      const { roomId: at, openingThreadId } = filler.does(owner, "create_room", { title: "Much is asked here" }).result
      ending(openingThreadId, "open", ["Why?", "How far?"])
      const asides = Array.from({ length: threads }, (_, index) => {
        const aside = filler.does(owner, "create_thread", { roomId: at, title: `Aside ${index}` }).result.threadId
        ending(aside, "concluded", ["Why?", "How far?"])
        const asked = { roomId: at, threadId: aside, question: "Is it so?", scope: "Here.", hypotheses: [] }
        return { aside, experimentId: filler.does(owner, "propose_experiment", asked).result.experimentId }
      })
      return { roomId: at, openingThreadId, asides }
    })
    const all = async () => {
      const whole = await reader.read("room_brief", { roomId: made.roomId })
      t.equal(whole.stands[0]?.threadId, made.openingThreadId)
      return (["stands", "work", "openQuestions"] as const).map(
        (list) => whole[list].length + (whole.omitted[list]?.count ?? 0),
      )
    }
    t.strictSame(await all(), [threads + 1, threads, 2 * (threads + 1)])

    await filler.fill(() => {
      const [{ aside, experimentId } = { aside: "", experimentId: "" }] = made.asides
      filler.does(owner, "cancel_experiment", {
        experimentId,
        expectedRevision: 1,
        expectedStatus: "open",
        reason: because,
      })
      ending(aside, "open", ["Why?"])
    })
    filler.close()
    t.strictSame(await all(), [threads + 1, threads - 1, 2 * (threads + 1) - 1])
  },
)

t.test("all kinds of failures are listed with their reason", async (t) => {
  const { items } = await reader.read("room_failures", { roomId })
  t.strictSame(
    items.map(({ kind, sequence }) => [kind, sequence]),
    items.map(({ kind }, index) => [kind, items.length - index]),
    "newest first",
  )
  for (const kind of ["attempt_failed", "attempt_diverged"])
    t.ok(
      items.some((each) => each.kind === kind),
      kind,
    )
})

t.test(
  "steps that are done, in progress or already proposed are not offered again; a failed reproduction is to be settled",
  async (t) => {
    const at = await lab.room()
    const place = { roomId: at.roomId, threadId: at.threadId }
    const offered = async (step: string) =>
      (await reader.read("room_next", { roomId: at.roomId })).items
        .filter(({ what }) => what === step)
        .map(({ object }) => object.id)
    const own = await Work.begin(lab, at)
    const ran = await own.attempt()
    const provenance = { execution: own.execution([ran]), papers: [] }
    const { versionId } = (await at.grace.write("publish_finding", finding(at, { provenance }))).result
    t.strictSame(await offered("reproduce_finding"), [versionId])
    const attemptId = crypto.randomUUID()
    const { url, commit } = house.repositories.public
    const run = {
      attemptId,
      experimentId: own.experimentId,
      repository: { url, commit },
      argv: ["run"],
      configuration: {},
      inputs: [],
    }
    await at.mary.write("register_attempt", { ...run, intent: "reproduction", reproduces: { attemptId: ran } })
    t.strictSame(await offered("reproduce_finding"), [], "a reproduction of its attempt is under way")
    const told = { attemptId, reportedAt: new Date().toISOString() }
    await at.mary.write("report_attempt_event", {
      ...told,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
    })
    const reproduction = { verdict: "does_not_reproduce" as const, explanation: because }
    const ended = { event: "succeeded" as const, expectedRevision: 2, expectedStatus: "started" as const, reproduction }
    await at.mary.write("report_attempt_event", { ...told, ...ended })
    t.strictSame([await offered("reproduce_finding"), await offered("settle_reproduction")], [[], [versionId]])
    holds(t, await reader.read("room_brief", { roomId: at.roomId }), {
      findings: [{ versionId, evidence: { failedReproductions: 1 } }],
      failures: [],
    })

    const predicted = (await at.ada.write("publish_hypothesis", hypothesis(at))).result.versionId
    t.strictSame(await offered("test_hypothesis"), [predicted])
    await at.ada.write("propose_experiment", {
      ...place,
      question: "Is it so?",
      scope: "Here.",
      hypotheses: [predicted],
    })
    t.strictSame(await offered("test_hypothesis"), [], "an experiment addresses it")
    const { timelineWatermark } = (await reader.read("thread_context", { threadId: at.threadId })).thread
    const covered = { threadId: at.threadId, expectedWatermark: timelineWatermark, coversThrough: timelineWatermark }
    const questions = ["Is it so?", "Is it so elsewhere?"]
    await at.ada.write("post_research_checkpoint", {
      ...covered,
      state: "open",
      synthesis: "So.",
      openQuestions: questions,
      citations: [],
    })
    const { items } = await reader.read("room_next", { roomId: at.roomId })
    t.strictSame(
      items.filter(({ what }) => what === "answer_question").map(({ why }) => why),
      ["Is it so elsewhere?"],
    )
  },
)

t.test("invalid input", async (t) => {
  t.equal(await refusedAs(brief({ budget: 1_999 })), "422 invalid_parameter /budget")
  t.equal(await refusedAs(brief({ budget: 64_001 })), "422 invalid_parameter /budget")
  t.equal(await refusedAs(reader.read("room_brief", { roomId: nobody })), "404 room_unavailable")
  t.equal(await refusedAs(reader.read("thread_brief", { threadId: nobody })), "404 room_unavailable")
  t.equal(await refusedAs(reader.read("room_next", { roomId: nobody })), "404 room_unavailable")
  t.equal(await refusedAs(reader.read("room_failures", { roomId: nobody })), "404 room_unavailable")
})
