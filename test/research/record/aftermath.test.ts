/** What every read of the built executable says about a finding after each link to it. */
import { type Test, test } from "tap"
import { type Json, list, text } from "./agent.ts"
import { because, finding, hypothesis, reference } from "../../support/bodies.ts"
import { holds } from "./holds.ts"
import { agent, room, roomId, threadId, write } from "./two-agents.ts"

agent.learn(await agent.get("/api/manifest"))

/** What every read says about a finding, and about a record that rests on it. */
async function says(
  t: Test,
  found: string,
  above: string,
  status: string,
  kinds: readonly string[],
  what: string,
): Promise<void> {
  const standing = { status, notices: kinds.map((kind) => ({ kind })) }
  const with_ = (items: Json | undefined, id = "versionId") => list(items).filter((item) => text(item[id]) === found)
  const [record, context, publications, cards, resting] = [
    await agent.read("record", { versionId: found }),
    await agent.read("room_context", { roomId }),
    await agent.read("room_publications", { roomId, limit: 20 }),
    await agent.all("thread_timeline", { threadId, kinds: "publication,link_experiment_finding" }),
    await agent.read("record", { versionId: above }),
  ]
  holds(t, record, standing, `${what}: the record`)
  holds(t, with_(publications.items), [standing], `${what}: the list`)
  holds(t, with_(context.hypotheses).concat(with_(context.publications)), [standing], `${what}: the context`)
  holds(
    t,
    list(context.findingLinks)
      .map((link) => link.finding as Json)
      .filter((item) => text(item.versionId) === found),
    [standing],
    `${what}: its relation to an experiment`,
  )
  holds(
    t,
    cards.map(({ card }) => card as Json).filter((card) => text(card.versionId) === found),
    [standing, standing],
    `${what}: its cards`,
  )
  holds(t, resting.references, [{ versionId: found, ...standing }], `${what}: a reference to it`)
  const falls = ["retracted", "superseded", "corrected", "disputed"].includes(status)
  holds(
    t,
    resting.warnings,
    falls ? [{ code: `rests_on_${status}`, versionId: found, direct: true }] : [],
    `${what}: what rests on it is ${falls ? "" : "not "}warned`,
  )
  const links = await agent.all("room_links", { roomId, targetVersionId: found })
  holds(
    t,
    links,
    kinds.map((kind) => ({ kind, status, target: { versionId: found, status } })),
    `${what}: the links`,
  )
}

// shows: Status, notices and warnings are shown on the reads that show the record; nothing ranks corrections.
test("a retraction, a supersession and two corrections of one finding, in this order and in reverse", async (t) => {
  const { experimentId } = (
    await write("propose_experiment", { ...room, question: "Does it?", scope: "Here.", hypotheses: [] })
  ).result
  const replacement = (await write("publish_finding", finding(room))).result.versionId
  const assertions = [
    ["retracts", (targetVersionId: string) => write("assert_retraction", { targetVersionId, explanation: because })],
    [
      "supersedes",
      (targetVersionId: string) =>
        write("assert_supersession", { targetVersionId, replacementVersionId: replacement, explanation: because }),
    ],
    [
      "corrects",
      (targetVersionId: string) =>
        write("assert_correction", { targetVersionId, explanation: because, correction: "Read 7 for 8." }),
    ],
    [
      "corrects",
      (targetVersionId: string) =>
        write("assert_correction", {
          targetVersionId,
          explanation: "For another reason.",
          correction: "Read nats for bits.",
        }),
    ],
  ] as const
  for (const [order, statuses] of [
    [assertions, ["retracted", "retracted", "retracted", "retracted"]],
    [assertions.toReversed(), ["corrected", "corrected", "superseded", "retracted"]],
  ] as const) {
    const found = (await write("publish_finding", finding(room))).result.versionId
    const above = (
      await write("publish_hypothesis", hypothesis(room, { references: [reference(found, "derived_from")] }))
    ).result.versionId
    await write("link_experiment_finding", {
      experimentId,
      findingVersionId: found,
      towardHypothesis: [],
      towardQuestion: { verdict: "answers", explanation: because },
    })
    await says(t, found, above, "current", [], "nothing said")
    for (const [index, [kind, assert]] of order.entries()) {
      await assert(found)
      await says(
        t,
        found,
        above,
        statuses[index] ?? "",
        order.slice(0, index + 1).map(([each]) => each),
        `${index + 1}, ${kind}`,
      )
    }
    const { notices } = await agent.read("record", { versionId: found })
    const corrections = ["Read 7 for 8.", "Read nats for bits."]
    t.strictSame(
      list(notices)
        .map(({ correction }) => correction)
        .filter((correction) => correction !== null),
      order === assertions ? corrections : corrections.toReversed(),
      "both corrections stand, in their order, and nothing ranks them",
    )
  }
})
