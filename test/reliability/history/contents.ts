/** The contents of a run's bodies: made from what is on the board, now and then invalid. */
import type { DemoRepositories } from "../../../src/demo/repositories.ts"
import { action, hypothesis } from "../../support/bodies.ts"
import type { Board, Known } from "./board.ts"
import type { Chance } from "../support/chance.ts"
import type { Members } from "./history.ts"

export interface Situation {
  readonly roomId: string
  readonly board: Board
  readonly chance: Chance
  readonly person: string
  readonly repositories: DemoRepositories
}

export const expectedOf = ({ revision, status }: Known) => ({ expectedRevision: revision, expectedStatus: status })

/** The bodies of operations without the common members. Undefined if there is no object for it yet. */
export class Contents {
  readonly #now: Situation

  constructor(situation: Situation) {
    this.#now = situation
  }

  proposal(): Members {
    const { roomId, board, chance } = this.#now
    const threadId = chance.of(board.threads)
    return {
      roomId,
      threadId,
      question: `Is it lower by ${chance.below(1e6)}?`,
      scope: "The small model.",
      hypotheses: [],
    }
  }

  repository(): Members {
    const { chance, repositories } = this.#now
    const { url, commit } = chance.happens(0.06) ? repositories.private : repositories.public
    return { url, commit }
  }

  plan(): Members {
    return {
      repository: this.repository(),
      hypotheses: [],
      premises: [],
      protocol: { summary: "Two arms.", steps: [], arms: [] },
      intent: "exploratory",
      requiredMaterials: [],
    }
  }

  execution(known: Known): Members {
    const { chance, repositories } = this.#now
    const { url, commit } = repositories.public
    const ran = { argv: ["python", "train.py"], configuration: {}, inputs: [] }
    return {
      attemptId: chance.id(),
      experimentId: known.id,
      intent: "exploratory",
      ...expectedOf(known),
      repository: { url, commit },
      ...ran,
    }
  }

  /** The common members of an attempt's events. */
  reported(known: Known, event: string): Members {
    return { attemptId: known.id, ...expectedOf(known), event, reportedAt: "2026-11-20T09:00:00.000Z" }
  }

  registration(known: Known): Members {
    const { chance, board } = this.#now
    const plan = chance.of(board.plans.filter(({ experimentId }) => experimentId === known.id || chance.happens(0.05)))
    const attempt = chance.of(
      board.attempts.all().filter(({ id }) => board.experimentOf.get(id) === known.id || chance.happens(0.1)),
    )
    const choice = chance.weighted({
      exploratory: 5,
      planned: plan ? 4 : 0,
      rerun: attempt ? 3 : 0,
      reproduction: attempt ? 4 : 0,
    })
    const grounds = {
      exploratory: {},
      planned: { planId: plan?.planId },
      rerun: { rerunOf: attempt?.id },
      reproduction: { reproduces: { attemptId: attempt?.id } },
    }[choice]
    // Now and then an id that is already used.
    const attemptId = attempt !== undefined && chance.happens(0.06) ? attempt.id : chance.id()
    const more = { intent: choice, ...grounds, ...(choice === "reproduction" ? {} : expectedOf(known)) }
    const ran = { repository: this.repository(), argv: ["python", "train.py"], configuration: {}, inputs: [] }
    return { attemptId, experimentId: known.id, ...more, ...ran }
  }

  event(): Members | undefined {
    const { chance, board, person } = this.#now
    const going = board.attempts.all().filter(({ status }) => status === "registered" || status === "started")
    const own = going.filter(({ id }) => board.makers.get(id) === person)
    const chosen = chance.of(chance.happens(0.85) ? own.slice(-3) : going) ?? chance.of(board.attempts.all())
    if (chosen === undefined) return undefined
    const known = board.attempts.recall(chosen.id, chance)
    const event =
      known.status === "registered"
        ? chance.weighted({ started: 8, preflight_failed: 1, cancelled: 1, succeeded: 1 })
        : chance.weighted({ progress: 6, succeeded: 2, failed: 1, cancelled: 1, started: 1 })
    return {
      ...this.reported(known, event),
      ...((event === "failed" || event === "preflight_failed") && {
        failure: { stage: "run", explanation: "It stopped." },
      }),
      ...(event === "progress" && { metrics: [{ name: "loss", value: chance.below(1000), step: chance.below(1000) }] }),
      ...(chance.happens(0.3) && {
        outputs: [{ outputLabel: `out-${chance.below(4)}`, digest: `sha256:${"ab".repeat(32)}` }],
      }),
    }
  }

  reply(threadId: string): Members {
    const { chance, board } = this.#now
    const entry = chance.of(board.entries.filter((each) => each.threadId === threadId).slice(-8))
    return entry !== undefined && chance.happens(0.4) ? { replyToEntryId: entry.entryId } : {}
  }

  thread(): Members {
    const { roomId, chance, board } = this.#now
    const followed = chance.of(board.entries.slice(-12))
    return {
      roomId,
      title: `Thread ${chance.below(1e6)}`,
      ...(chance.happens(0.5) && { message: "To begin with." }),
      ...(followed !== undefined && chance.happens(0.7) && { replyToEntryId: followed.entryId }),
    }
  }

  finding(threadId: string): Members {
    const { roomId } = this.#now
    const { premises: _premises, ...base } = action(hypothesis({ roomId, threadId }))
    const more = {
      outcome: "inconclusive",
      retrospective: true,
      evidence: [],
      provenance: { papers: [] },
      materials: [],
    }
    return { ...base, kind: "finding", ...more }
  }

  link(known: Known): Members | undefined {
    const { chance, board } = this.#now
    const findingVersionId = chance.of(board.findings)
    if (findingVersionId === undefined) return undefined
    const attempt = chance.of(board.attempts.all().filter(({ id }) => board.experimentOf.get(id) === known.id))
    const more = attempt === undefined ? {} : { attemptId: attempt.id }
    const towardQuestion = { verdict: "answers", explanation: "For this model." }
    return {
      experimentId: known.id,
      findingVersionId,
      ...more,
      towardHypothesis: [],
      towardQuestion,
    }
  }

  assertion(wanted: string, targetVersionId: string | undefined): Members | undefined {
    const { chance, board } = this.#now
    if (targetVersionId === undefined) return undefined
    const replacementVersionId = chance.of(board.records)
    return {
      targetVersionId,
      explanation: `Because of ${chance.below(3)}.`,
      ...(wanted === "assert_correction" && { correction: "Read nats." }),
      ...(wanted === "assert_supersession" && { replacementVersionId }),
    }
  }

  checkpoint(threadId: string): Members {
    const { chance, board } = this.#now
    const watermark = board.watermarks.get(threadId) ?? 0
    const concluded = chance.happens(0.3)
    return {
      threadId,
      expectedWatermark: watermark,
      coversThrough: watermark + (chance.happens(0.03) ? 1 : 0),
      state: concluded ? "concluded" : "open",
      synthesis: "What it has come to.",
      openQuestions: [],
      ...(concluded && { conclusion: "It is so." }),
      // The cited records of a conclusion would make it stale when they fall, which this model does not follow.
      citations: !concluded && chance.happens(0.4) ? board.records.slice(0, 1) : [],
    }
  }
}
