/**
 * The objects behind the receipts, from outside: each is there as it was sent, in its revision, and labels have no gap.
 */
import { pathTo, type ReadName } from "../../../src/contract/reads/index.ts"
import { list } from "./feeds.ts"
import { nameOf, type Receipt, type Sent } from "./journal.ts"
import { each, type Line } from "./line.ts"

type Tell = (problem: string) => void
const LANES = 8

/** The path of the object that a receipt names. A message is read in its timeline. */
const reads: Readonly<Record<string, readonly [read: ReadName, id: string]>> = {
  thread: ["thread_context", "threadId"],
  hypothesis: ["record", "versionId"],
  finding: ["record", "versionId"],
  cited_claim: ["record", "versionId"],
  record: ["record", "versionId"],
  experiment: ["experiment", "experimentId"],
  plan: ["plan", "planId"],
  attempt: ["attempt", "attemptId"],
  material: ["material", "materialId"],
  link: ["link", "linkId"],
  finding_link: ["link", "linkId"],
  checkpoint: ["checkpoint", "checkpointId"],
}

type Counts = Readonly<Record<string, number>>

async function countsOf(roomId: string, line: Line): Promise<Counts> {
  const answer = await line.get(pathTo("room", { roomId }))
  return (JSON.parse(answer?.text ?? "{}") as { counts: Counts }).counts
}

/** The part of an experiment or an attempt that revisions count. */
interface Course {
  readonly read: "experiment" | "attempt"
  readonly id: string
  readonly writes: Sent[]
}

export class Objects {
  readonly #baseline: ReadonlyMap<string, Counts>
  /** Labels given since, by Room and kind. */
  readonly #labels = new Map<string, Map<string, Set<string>>>()
  readonly #threads = new Map<string, number>()
  readonly #courses = new Map<string, Course>()

  private constructor(baseline: ReadonlyMap<string, Counts>) {
    this.#baseline = baseline
    for (const roomId of baseline.keys()) this.#labels.set(roomId, new Map())
  }

  static async open(rooms: readonly string[], line: Line): Promise<Objects> {
    return new Objects(
      new Map(await Promise.all(rooms.map(async (roomId) => [roomId, await countsOf(roomId, line)] as const))),
    )
  }

  async take(fresh: readonly Sent[], sent: readonly Sent[], line: Line, tell: Tell): Promise<void> {
    const inRooms = fresh.filter(({ operation }) => operation.family === "research")
    for (const write of inRooms) this.#note(write)
    await each(inRooms, LANES, (write) => this.#isThere(write, line, tell))
    await each(
      sent.filter(({ operation, outcome }) => operation.name === "register_attempt" && outcome !== "acknowledged"),
      LANES,
      async (write) => {
        const answer = await line.get(pathTo("attempt", { attemptId: write.body.attemptId as string }))
        if (answer?.status !== 404)
          tell(`Half there: ${nameOf(write)} is not stored, and its attempt is answered ${answer?.status}.`)
      },
    )
    const moved = new Set(inRooms.flatMap(({ receipt }) => courseOf(receipt as Receipt)?.id ?? []))
    await each([...moved], LANES, (id) => this.#course(id, line, tell))
    await this.#counted(line, tell)
  }

  /** Checks every object, every history and every number once more. */
  async all(stored: readonly Sent[], line: Line, tell: Tell): Promise<void> {
    const inRooms = stored.filter(({ operation }) => operation.family === "research")
    await each(inRooms, LANES, (write) => this.#isThere(write, line, tell))
    await each([...this.#courses.keys()], LANES, (id) => this.#course(id, line, tell))
    await this.#counted(line, tell)
    for (const roomId of this.#baseline.keys()) {
      const threads = await list<{ sequence: number }>(line, (query) => pathTo("room_threads", { roomId }, query))
      if (threads.some(({ sequence }, index) => sequence !== index + 1))
        tell(`The Threads of Room ${roomId} are not numbered without a gap.`)
    }
  }

  #note(write: Sent): void {
    const receipt = write.receipt as Receipt
    const roomId = receipt.roomId as string
    const { kind, label } = receipt.target
    if (kind === "thread") this.#threads.set(roomId, (this.#threads.get(roomId) ?? 0) + 1)
    if (label !== null) {
      const labels = this.#labels.get(roomId) as Map<string, Set<string>>
      // A card of an existing record has the record's own label.
      const of =
        kind === "record" ? ({ H: "hypothesis", F: "finding", C: "cited_claim" }[label[0] as string] as string) : kind
      labels.set(of, (labels.get(of) ?? new Set()).add(label))
    }
    const course = courseOf(receipt)
    if (course === undefined) return
    const known = this.#courses.get(course.id) ?? { ...course, writes: [] }
    known.writes.push(write)
    this.#courses.set(course.id, known)
  }

  async #isThere(write: Sent, line: Line, tell: Tell): Promise<void> {
    const { kind, id, label } = (write.receipt as Receipt).target
    const known = reads[kind]
    if (known === undefined) return
    const [read, name] = known
    const answer = await line.get(pathTo(read, { [name]: id }))
    if (answer?.status !== 200) {
      tell(`Half there: ${nameOf(write)} has a receipt, and its ${kind} is answered ${answer?.status}.`)
      return
    }
    const object = JSON.parse(answer.text) as {
      label?: string
      contentDigest?: string
      content?: { requestId?: string }
    }
    if (label !== null && object.label !== undefined && object.label !== label)
      tell(`The ${kind} of ${nameOf(write)} is ${object.label}, not ${label}.`)
    // The write that made it: its content is what was sent.
    const made = object.content?.requestId === write.deliveryId
    if (made && object.contentDigest !== write.contentDigest)
      tell(`The ${kind} of ${nameOf(write)} does not hold what was sent.`)
    if (!made && isMaking(write)) tell(`The ${kind} of ${nameOf(write)} is not the one that it made.`)
  }

  /**
   * The revisions of one experiment, or the events of one attempt: one for each of its stored writes, in their order.
   */
  async #course(id: string, line: Line, tell: Tell): Promise<void> {
    const { read, writes } = this.#courses.get(id) as Course
    const due = writes.map(({ receipt }) => receipt?.result.revision as number).sort((a, b) => a - b)
    const known = read === "experiment" ? await revisionsOf(id, line) : await eventsOf(id, line)
    const first = due[0] as number
    // An experiment of the demo's has earlier revisions of its own.
    if (JSON.stringify(known.slice(first - 1)) !== JSON.stringify(due))
      tell(
        `The ${read} ${id} has the revisions ${known}, and the stored writes made ${due}: ` +
          `${writes.map(nameOf).join(", ")}`,
      )
  }

  /** Labels and Threads: as many as there were, and one for each that was made. */
  async #counted(line: Line, tell: Tell): Promise<void> {
    for (const [roomId, before] of this.#baseline) {
      const now = await countsOf(roomId, line)
      if (now.threads !== (before.threads as number) + (this.#threads.get(roomId) ?? 0))
        tell(
          `Room ${roomId} had ${before.threads} Threads, ${this.#threads.get(roomId)} were ` +
            `made, and it has ${now.threads}.`,
        )
      for (const [kind, labels] of this.#labels.get(roomId) as Map<string, Set<string>>) {
        const [last, first] = [now[kind] as number, before[kind] as number]
        const numbers = [...labels].map((label) => Number(label.slice(1))).filter((number) => number > first)
        const missing = Array.from({ length: last - first }, (_, index) => first + index + 1).filter(
          (number) => !numbers.includes(number),
        )
        if (missing.length > 0 || numbers.length !== last - first)
          tell(
            `In Room ${roomId} the labels of ${kind} go from ${first} to ${last}; ` +
              `${numbers.length} were given, ${missing} to nothing.`,
          )
      }
    }
  }
}

/** Whether this write makes the object, which keeps its content. */
const isMaking = ({ operation: { name } }: Sent): boolean => /^publish_|^accept_plan$|^register_/.test(name)

/** The experiment or attempt whose revision is in a receipt. */
function courseOf({ result }: Receipt): Course | undefined {
  if (typeof result.revision !== "number") return undefined
  if (typeof result.attemptId === "string") return { read: "attempt", id: result.attemptId, writes: [] }
  return typeof result.experimentId === "string"
    ? { read: "experiment", id: result.experimentId, writes: [] }
    : undefined
}

async function revisionsOf(experimentId: string, line: Line): Promise<number[]> {
  const items = await list<{ revision: number }>(
    line,
    (query) => pathTo("experiment_history", { experimentId }, query),
    0,
  )
  return items.map(({ revision }) => revision)
}

async function eventsOf(attemptId: string, line: Line): Promise<number[]> {
  const answer = await line.get(pathTo("attempt", { attemptId }))
  return (JSON.parse(answer?.text ?? "{}") as { events: { revision: number }[] }).events.map(({ revision }) => revision)
}
