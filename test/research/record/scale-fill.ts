/** The data that `scale.ts` measures: a large Room, and Rooms with long lists of records and links. */
import { claim, finding, hypothesis } from "../../support/bodies.ts"
import type { Filler } from "./filler.ts"

export const size = {
  threads: 200,
  experiments: 1_000,
  attempts: 10_000,
  hypotheses: 600,
  findings: 1_000,
  claims: 400,
  relations: 1_000,
  links: 300,
} as const

/** Returns a paragraph of realistic length. */
const words =
  "The mean over five seeds at step 1,000 is lower with the ramp than without it, by more than twice its standard " +
  "error. "
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

type Person = ReturnType<Filler["person"]>

/** Fills a Room as large as the project aims for. */
export async function fillRoom(filler: Filler, owner: Person): Promise<{ roomId: string; threadId: string }> {
  return filler.fill(() => {
    const { roomId, openingThreadId } = filler.does(owner, "create_room", {
      title: "A large Room",
      question: words,
    }).result
    const threads = [
      openingThreadId,
      ...times(size.threads - 1).map(
        (index) =>
          filler.does(owner, "create_thread", { roomId, title: `Thread ${index}: ${words.slice(0, 60)}` }).result
            .threadId,
      ),
    ]
    const at = (index: number) => ({ roomId, threadId: threads[index % threads.length] as string })
    const hypotheses = times(size.hypotheses).map(
      (index) => filler.does(owner, "publish_hypothesis", hypothesis(at(index), {}, words)).result.versionId,
    )
    const experiments = times(size.experiments).map((index) => {
      const about = [hypotheses[index % hypotheses.length] as string]
      const { experimentId } = filler.does(owner, "propose_experiment", {
        ...at(index),
        question: words,
        scope: words,
        hypotheses: about,
      }).result
      filler.does(owner, "take_experiment", { experimentId, expectedRevision: 1, expectedStatus: "open" })
      return experimentId
    })
    const attempts = times(size.attempts).map((index) =>
      filler.attempt(
        owner,
        experiments[index % experiments.length] as string,
        2,
        "claimed",
        index % 3 === 0 ? "failed" : "succeeded",
      ),
    )
    const findings = times(size.findings).map((index) => {
      const execution = {
        experimentId: experiments[index % experiments.length] as string,
        attemptIds: [attempts[index % experiments.length] as string],
        baselineAttemptIds: [],
      }
      return filler.does(
        owner,
        "publish_finding",
        finding(at(index), { provenance: index % 3 === 0 ? { papers: [] } : { execution, papers: [] } }, words),
      ).result.versionId
    })
    for (const index of times(size.claims)) filler.does(owner, "publish_cited_claim", claim(at(index), {}, words))
    for (const index of times(size.relations)) {
      const related = filler.does(owner, "link_experiment_finding", {
        experimentId: experiments[index % experiments.length] as string,
        findingVersionId: findings[index % findings.length] as string,
        towardHypothesis: [
          { versionId: hypotheses[index % hypotheses.length] as string, verdict: "supports", explanation: words },
        ],
        towardQuestion: { verdict: "answers", explanation: words },
      })
      if (index % 2 === 0)
        filler.does(owner, "post_message", {
          threadId: at(index).threadId,
          text: words,
          ...(related.entry && at(index).threadId === threads[index % threads.length]
            ? { replyToEntryId: related.entry.entryId }
            : {}),
        })
    }
    for (const index of times(size.links))
      filler.does(owner, "assert_dispute", {
        targetVersionId: findings[findings.length - 1 - index] as string,
        explanation: words,
      })
    for (const [index, threadId] of threads.entries()) {
      const expectedWatermark = filler.instance.tables.threads.summary(threadId)?.timelineWatermark ?? 0
      filler.does(owner, "post_research_checkpoint", {
        threadId,
        expectedWatermark,
        coversThrough: expectedWatermark,
        synthesis: words.repeat(3),
        openQuestions: index % 2 === 0 ? [words, words] : [],
        citations: [],
        ...(index === 0 ? { state: "concluded", conclusion: words } : { state: "open" }),
      })
    }
    return { roomId, threadId: openingThreadId }
  })
}

/** Fills a Room with `count` findings that all quote one paper and are all disputed, by inserting rows directly. */
export async function fillLists(
  filler: Filler,
  owner: Person,
  count: number,
  arxivId: string,
): Promise<{ roomId: string; linkIds: string[]; versionIds: string[]; ownerId: string }> {
  const { records, findings, links, standings } = filler.instance.tables
  const { world } = filler.instance
  const { userId } = owner
  return filler.fill(() => {
    const { roomId, openingThreadId: threadId } = filler.does(owner, "create_room", {
      title: `${count} records`,
    }).result
    const at = "2026-11-20T09:30:00.000Z"
    const historyPosition = filler.content(finding({ roomId, threadId }, {}, words))
    const common = {
      roomId,
      threadId,
      entryId: roomId,
      authorId: userId,
      at,
      historyPosition,
      contentDigest: `sha256:${"0".repeat(64)}`,
    }
    const made = { roomId, linkIds: [] as string[], versionIds: [] as string[], ownerId: userId }
    for (const index of times(count)) {
      const [versionId, linkId] = [world.id(), world.id()]
      const kind = index % 2 === 0 ? "finding" : "hypothesis"
      const concepts = { lowers: { label: "lowers", definition: words } }
      records.insert({
        ...common,
        versionId,
        kind,
        label: `${kind === "finding" ? "F" : "H"}${index + 1}`,
        wording: words,
        client: undefined,
        concepts,
        references: [],
        papers: [arxivId],
      })
      if (kind === "finding")
        findings.insert({
          versionId,
          voiceId: versionId,
          outcome: "positive",
          retrospective: false,
          papers: 1,
          execution: undefined,
          evidence: [],
          materials: [],
        })
      links.insert({
        ...common,
        linkId,
        kind: index % 3 === 0 ? "corrects" : "disputes",
        label: `L${index + 1}`,
        targetVersionId: versionId,
        targetAuthorId: userId,
        explanation: words,
        replacementVersionId: undefined,
      })
      standings.note(
        versionId,
        "disputed",
        {
          linkId,
          label: `L${index + 1}`,
          kind: "disputes",
          explanation: words,
          author: { userId, username: owner.username },
          at,
          replacementVersionId: null,
          correction: null,
        },
        { open: null, answers: new Map(), worriedAt: null, fallenAt: null },
      )
      made.versionIds.push(versionId)
      made.linkIds.push(linkId)
    }
    return made
  })
}
