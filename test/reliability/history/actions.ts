/** A client's next actions: bodies made from what is on the board, often about the same few objects. */
import { action, hypothesis, message } from "../../support/bodies.ts"
import type { Known } from "./board.ts"
import { Contents, expectedOf, type Situation } from "./contents.ts"
import type { Members } from "./history.ts"

export interface Intent {
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
  readonly body: Members
}

/** Few at once, so that many clients want the same one. */
const EXPERIMENTS = 3
const proposers: ReadonlySet<string> = new Set(["amend_experiment", "cancel_experiment"])
const terminal: ReadonlySet<string> = new Set(["completed", "cancelled"])

/** How often each is chosen. */
const weights = {
  take_experiment: 16,
  release_experiment: 6,
  report_experiment_status: 5,
  amend_experiment: 6,
  cancel_experiment: 1,
  accept_plan: 5,
  register_attempt: 7,
  report_attempt_event: 10,
  post_message: 8,
  create_thread: 3,
  publish_hypothesis: 3,
  publish_finding: 2,
  link_experiment_finding: 3,
  assert_correction: 2,
  assert_supersession: 3,
  assert_dispute: 2,
  assert_retraction: 1,
  post_research_checkpoint: 6,
  reuse_record: 2,
  propose_experiment: 1,
}
export type Wanted = keyof typeof weights

/** Makes the bodies. A maker returns undefined if there is no object for it. */
export class Maker {
  readonly #now: Situation
  readonly #contents: Contents

  constructor(situation: Situation) {
    this.#now = situation
    this.#contents = new Contents(situation)
  }

  /** Any action, or one that is possible from the start. */
  any(): Intent {
    const { chance, board } = this.#now
    const open = board.experiments.all().filter(({ status }) => !terminal.has(status))
    const wanted = open.length < EXPERIMENTS ? "propose_experiment" : chance.weighted(weights)
    return (
      this.make(wanted) ?? this.make("post_message") ?? this.#intent("propose_experiment", this.#contents.proposal())
    )
  }

  /** @param known the object, if everyone should act on the same */
  make(wanted: Wanted, known = this.#experiment(wanted)): Intent | undefined {
    const { chance, board, roomId } = this.#now
    const threadId = chance.of(board.threads) ?? ""
    const versionId = chance.of(board.records)
    const about = known && { experimentId: known.id, ...expectedOf(known) }
    switch (wanted) {
      case "propose_experiment":
        return this.#intent(wanted, this.#contents.proposal())
      case "take_experiment":
        return about && this.#intent(wanted, about)
      case "release_experiment":
        return about && this.#intent(wanted, { ...about, handoff: `Left at ${chance.below(100)}.` })
      case "report_experiment_status":
        return (
          about &&
          this.#intent(wanted, {
            ...about,
            status: chance.weighted({ in_progress: 6, completed: 1, cancelled: 1 }),
            summary: "So far.",
          })
        )
      case "amend_experiment":
        return (
          about &&
          this.#intent(wanted, {
            ...about,
            question: `Is it lower after ${chance.below(1000)} steps?`,
            explanation: "Sharper.",
          })
        )
      case "cancel_experiment":
        return about && this.#intent(wanted, { ...about, reason: "Answered elsewhere." })
      case "accept_plan":
        return about && this.#intent(wanted, { ...about, ...this.#contents.plan() })
      case "register_attempt":
        return known && this.#intent(wanted, this.#contents.registration(known))
      case "report_attempt_event":
        return this.#possible(wanted, this.#contents.event())
      case "post_message":
        return {
          operation: wanted,
          params: { threadId },
          body: {
            ...message(`No. ${chance.below(1e6)}`),
            clientMessageId: chance.id(),
            ...this.#contents.reply(threadId),
          },
        }
      case "create_thread":
        return this.#intent(wanted, this.#contents.thread())
      case "publish_hypothesis":
        return this.#intent(wanted, action(hypothesis({ roomId, threadId })))
      case "publish_finding":
        return this.#intent(wanted, this.#contents.finding(threadId))
      case "link_experiment_finding":
        return known && this.#possible(wanted, this.#contents.link(known))
      case "post_research_checkpoint":
        return this.checkpoint(threadId)
      case "reuse_record":
        return versionId === undefined ? undefined : this.#intent(wanted, { versionId }, { threadId })
      default:
        return this.#possible(wanted, this.#contents.assertion(wanted, versionId))
    }
  }

  checkpoint(threadId: string): Intent {
    return this.#intent("post_research_checkpoint", this.#contents.checkpoint(threadId))
  }

  /** Registers a run without a plan. */
  execution(known: Known): Intent {
    return this.#intent("register_attempt", this.#contents.execution(known))
  }

  event(attempt: Known | undefined, event: string): Intent | undefined {
    return attempt && this.#intent("report_attempt_event", this.#contents.reported(attempt, event))
  }

  #possible(operation: string, body: Members | undefined): Intent | undefined {
    return body && this.#intent(operation, body)
  }

  #intent(operation: string, body: Members, params: Readonly<Record<string, string>> = {}): Intent {
    return { operation, params, body: { schemaVersion: 3, ...body, requestId: this.#now.chance.id() } }
  }

  #experiment(wanted: Wanted): Known | undefined {
    const { board, chance, person } = this.#now
    const all = board.experiments.all()
    const open = all.filter(({ status }) => !terminal.has(status))
    const isOwn = ({ id, assignee }: Known) => (proposers.has(wanted) ? board.makers.get(id) : assignee) === person
    const own = open.filter(isOwn)
    const chosen = chance.happens(0.04)
      ? chance.of(all)
      : chance.happens(0.6)
        ? (chance.of(own) ?? chance.of(open))
        : chance.of(open)
    return chosen && board.experiments.recall(chosen.id, chance)
  }
}
