/** Contexts of Rooms with long lists: the newest five hundred of each, with a link to the rest. */
import t from "tap"
import { because, finding, hypothesis } from "../../support/bodies.ts"
import { Filler } from "./filler.ts"
import { openLab } from "../../support/lab.ts"

const lab = await openLab(t)
const { reader, house } = lab
const contextOf = (roomId: string) => reader.read("room_context", { roomId })

t.test("each list is cut to the newest five hundred, with a link to the rest; Threads are never cut", async (t) => {
  const room = await lab.room()
  const { roomId, threadId } = room
  const filler = new Filler(lab.file)
  const ada = filler.person("ada")
  const made = {
    experiments: [] as string[],
    hypotheses: [] as string[],
    findingLinks: [] as string[],
    publications: [] as string[],
  }
  function add(count: number): void {
    for (let index = 0; index < count; index += 1) {
      const { experimentId } = filler.does(ada, "propose_experiment", {
        roomId,
        threadId,
        question: "Does it?",
        scope: "Here.",
        hypotheses: [],
      }).result
      const predicted = filler.does(ada, "publish_hypothesis", hypothesis(room)).result.versionId
      made.experiments.push(experimentId)
      made.hypotheses.push(predicted)
      made.publications.push(filler.does(ada, "publish_finding", finding(room)).result.versionId)
    }
  }
  const related = await filler.fill(() => {
    const found = filler.does(ada, "publish_finding", finding(room)).result.versionId
    made.publications.push(found)
    for (let index = 0; index < 501; index += 1) filler.does(ada, "create_thread", { roomId, title: `Thread ${index}` })
    add(250)
    return found
  })
  const readAll = async () => ({
    room: await contextOf(roomId),
    thread: await reader.read("thread_research_context", { threadId }),
  })
  const idsOf = ({
    experiments,
    hypotheses,
    findingLinks,
    publications,
  }: Awaited<ReturnType<typeof contextOf>> | Awaited<ReturnType<typeof readAll>>["thread"]) => ({
    experiments: experiments.map(({ experimentId }) => experimentId),
    hypotheses: hypotheses.map(({ versionId }) => versionId),
    findingLinks: findingLinks.map(({ linkId }) => linkId),
    publications: publications.map(({ versionId }) => versionId),
  })
  const newest = () => Object.fromEntries(Object.entries(made).map(([name, ids]) => [name, ids.slice(-500)]))

  await filler.fill(() => {
    add(250)
    for (const experimentId of made.experiments)
      made.findingLinks.push(
        filler.does(ada, "link_experiment_finding", {
          experimentId,
          findingVersionId: related,
          towardHypothesis: [],
          towardQuestion: { verdict: "answers", explanation: because },
        }).targetId,
      )
  })
  const full = await readAll()
  t.strictSame([idsOf(full.room), idsOf(full.thread)], [newest(), newest()], "five hundred, oldest first")
  t.strictSame(Object.keys(full.room.truncated), ["publications"], "501 publications: the finding came first")
  t.equal(full.room.threads.length, 502)

  const questions = await filler.fill(() => {
    add(1)
    const [first, ...threads] = full.room.threads.slice(0, 26)
    for (const { threadId: asking } of threads) {
      const expectedWatermark = filler.instance.tables.threads.summary(asking)?.timelineWatermark ?? 0
      const openQuestions = Array.from({ length: 20 }, (_, index) => `${index} of ${asking}?`)
      filler.does(ada, "post_research_checkpoint", {
        threadId: asking,
        expectedWatermark,
        coversThrough: 0,
        state: "open",
        synthesis: "So.",
        openQuestions,
        citations: [],
      })
    }
    const last = {
      threadId: first?.threadId ?? "",
      expectedWatermark: filler.instance.tables.threads.summary(threadId)?.timelineWatermark ?? 0,
      coversThrough: 0,
      state: "open",
      synthesis: "So.",
      openQuestions: ["The last?"],
      citations: [],
    } as const
    filler.does(ada, "post_research_checkpoint", last)
    made.findingLinks.push(
      filler.does(ada, "link_experiment_finding", {
        experimentId: made.experiments[0] as string,
        findingVersionId: related,
        towardHypothesis: [],
        towardQuestion: { verdict: "does_not_answer", explanation: because },
      }).targetId,
    )
    return [
      ...threads.flatMap(({ threadId: asking }) => Array.from({ length: 20 }, (_, index) => `${index} of ${asking}?`)),
      "The last?",
    ]
  })
  const below = (await filler.instance.readers.room_context({
    params: { roomId },
    query: {},
    actor: null,
    basePath: "/a/b",
  })) as {
    truncated: Record<string, string>
  }
  filler.close()
  const cut = await readAll()
  t.strictSame(
    below.truncated,
    Object.fromEntries(Object.entries(cut.room.truncated).map(([name, link]) => [name, `/a/b${link}`])),
    "links work below a base path",
  )
  t.strictSame([idsOf(cut.room), idsOf(cut.thread)], [newest(), newest()], "the newest are kept")
  t.strictSame(cut.room.truncated, {
    experiments: `/api/research/experiments?roomId=${roomId}`,
    hypotheses: `/api/research/hypotheses?roomId=${roomId}`,
    findingLinks: `/api/research/rooms/${roomId}/activity?kinds=link_experiment_finding`,
    publications: `/api/research/rooms/${roomId}/publications?kinds=finding%2Ccited_claim`,
    openQuestions: `/api/research/rooms/${roomId}/threads`,
  })
  const { openQuestions: _few, ...many } = cut.room.truncated
  t.strictSame(cut.thread.truncated, {
    ...many,
    findingLinks: `/api/research/threads/${threadId}/timeline?kinds=link_experiment_finding`,
    publications: `/api/research/threads/${threadId}/records`,
  })
  t.strictSame(
    cut.room.openQuestions.map(({ question }) => question),
    questions.slice(-500),
    "open questions too, by when they were asked",
  )
  t.strictSame(
    cut.thread.openQuestions.map(({ question }) => question),
    ["The last?"],
  )
  t.strictSame([cut.room.counts.experiment, cut.room.counts.hypothesis], [501, 501], "the counts include everything")

  const idIn: Readonly<Record<string, (item: never) => string>> = {
    experiments: ({ experimentId }: { experimentId: string }) => experimentId,
    hypotheses: ({ versionId }: { versionId: string }) => versionId,
    publications: ({ versionId, card }: { versionId?: string; card?: { versionId: string } }) =>
      versionId ?? card?.versionId ?? "",
    findingLinks: ({ target, card }: { target?: { id: string }; card?: { linkId: string } }) =>
      target?.id ?? card?.linkId ?? "",
  }
  for (const [name, link] of [...Object.entries(many), ...Object.entries(cut.thread.truncated)]) {
    const found: string[] = []
    const isHypothesis = (item: { card?: { kind?: string } }) => item.card?.kind === "hypothesis"
    for (let next: string | null = link; next !== null; ) {
      const page = (await (await fetch(new URL(next, house.baseUrl))).json()) as {
        items: never[]
        hasMore: boolean
        links: { next: string | null }
      }
      found.push(
        ...page.items
          .filter((item) => !isHypothesis(item))
          .map((item) => (idIn[name] as (item: never) => string)(item)),
      )
      next = page.hasMore ? page.links.next : null
    }
    t.strictSame(new Set(found), new Set(made[name as keyof typeof made]), `${link} lists all of them`)
    t.equal(found.length, made[name as keyof typeof made].length)
  }
})
