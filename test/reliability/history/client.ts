/** A client of a run: it writes and reads at random, on two connections of its own, and records all it sent and saw. */
import { operationNamed } from "../../../src/contract/operations/index.ts"
import { reads } from "../../../src/contract/reads/index.ts"
import { addressOf } from "../../support/routes.ts"
import { type Intent, Maker } from "./actions.ts"
import type { Board } from "./board.ts"
import type { Chance } from "../support/chance.ts"
import { Connection, type Sent } from "./connection.ts"
import { isOk } from "./deliveries.ts"
import { deliveryIdOf, deliveryOf, type Members, parsed, type Read, type Receipt, type Write } from "./history.ts"
import type { Company, Credential, Person, Room } from "./company.ts"

/** A Room of the run, with what is known of it and what was recorded. */
export interface Stage {
  readonly room: Room
  readonly board: Board
  readonly writes: Write[]
  readonly reads: Read[]
}
export interface ClientParts {
  readonly index: number
  readonly company: Company
  readonly person: Person
  readonly chance: Chance
}

/** The path of a read. */
export function addressOfRead(name: string, params: Members): string {
  const path = reads.find((read) => read.name === name)?.path ?? ""
  const query = Object.entries(params).filter(([member]) => !path.includes(`{${member}}`))
  const search =
    query.length === 0 ? "" : `?${new URLSearchParams(query.map(([member, value]) => [member, String(value)]))}`
  return `${addressOf(path, params as Record<string, string>)}${search}`
}

export class Client {
  readonly #parts: ClientParts
  readonly #connection: Connection
  readonly #spare: Connection
  /** Earlier writes, to be sent again. */
  readonly #past: { stage: Stage; intent: Intent; credential: Credential }[] = []

  constructor(parts: ClientParts) {
    this.#parts = parts
    this.#connection = new Connection(parts.company.baseUrl)
    this.#spare = new Connection(parts.company.baseUrl)
  }

  get userId(): string {
    return this.#parts.person.userId
  }

  maker({ room, board }: Stage): Maker {
    const { company, person, chance } = this.#parts
    return new Maker({ roomId: room.roomId, board, chance, person: person.userId, repositories: company.repositories })
  }

  /** Performs one random action. */
  async act(stage: Stage): Promise<void> {
    const { chance, index } = this.#parts
    const way = chance.weighted({
      read: 38,
      write: 44,
      rehearse: 5,
      twice: 5,
      hangUp: 5,
      again: 4,
      archive: index === 0 ? 1 : 0,
    })
    if (way === "read") return this.read(stage, ...this.#choice(stage))
    if (way === "archive") return this.#archive(stage)
    if (way === "again") return this.#again()
    const intent = this.maker(stage).any()
    const credential = this.credential(stage)
    if (way === "rehearse") await this.write(stage, intent, credential, { rehearsal: true })
    else if (way === "twice") await this.twice(stage, intent)
    else if (way === "hangUp") await this.#hangUp(stage, intent, credential)
    else await this.write(stage, intent, credential)
  }

  /** A credential with every permission. */
  full({ room }: Stage): Credential {
    return (room.credentials.get(this.#parts.person.userId) ?? [])[this.#parts.index % 2] as Credential
  }

  /** Usually one with every permission. */
  credential(stage: Stage): Credential {
    const { chance, person } = this.#parts
    const talker = stage.room.credentials.get(person.userId)?.[2]
    return talker !== undefined && chance.happens(0.03) ? talker : this.full(stage)
  }

  /** Sends a write and records the outcome. */
  async write(
    stage: Stage,
    { operation, params, body }: Intent,
    credential: Credential,
    {
      rehearsal = false,
      on = this.#connection,
      hangUp,
    }: { rehearsal?: boolean; on?: Connection; hangUp?: Sent["hangUp"] } = {},
  ): Promise<Write> {
    const { index: client, person } = this.#parts
    if (!rehearsal) this.#past.push({ stage, intent: { operation, params, body }, credential })
    const path = `${addressOf(operationNamed(operation)?.path ?? "", params)}${rehearsal ? "?rehearse=1" : ""}`
    const seen = await on.send({ method: "POST", path, token: credential.token, body, ...(hangUp && { hangUp }) })
    const { id, permissions } = credential
    const write: Write = {
      client,
      person: person.userId,
      credential: { id, permissions },
      operation,
      params,
      body,
      rehearsal,
      ...seen,
    }
    stage.writes.push(write)
    this.#learn(stage, write)
    return write
  }

  #learn({ board }: Stage, write: Write): void {
    if (write.status === 0) return
    const answer = parsed<Receipt & { current?: Members | null }>(write.answer)
    if (!isOk(write)) board.saw(answer.current ?? null)
    else if (answer.rehearsed !== true && answer.replayed !== true) board.learn(answer, write.body, write.person)
  }

  /** The same delivery on both connections at once; now and then with other content, or with the other credential. */
  async twice(stage: Stage, intent: Intent): Promise<void> {
    const { chance, person } = this.#parts
    const [one, other] = (stage.room.credentials.get(person.userId) ?? []) as [Credential, Credential]
    const second = chance.happens(0.2)
      ? { ...intent, body: { ...intent.body, ...altered(intent.body, chance) } }
      : intent
    await Promise.all([
      this.write(stage, intent, one),
      this.write(stage, second, chance.happens(0.3) ? other : one, { on: this.#spare }),
    ])
  }

  /** Disconnects before the answer, and usually asks again later. */
  async #hangUp(stage: Stage, intent: Intent, credential: Credential): Promise<void> {
    const { chance } = this.#parts
    const lost = await this.write(stage, intent, credential, { hangUp: chance.happens(0.5) ? "sent" : "answering" })
    if (chance.happens(0.4)) await this.askReceipt(stage, lost)
    if (chance.happens(0.7)) await this.write(stage, intent, credential)
  }

  /** Asks for the outcome of a delivery without sending it again. */
  async askReceipt(stage: Stage, write: Write): Promise<void> {
    const { index: client, person } = this.#parts
    const all = stage.room.credentials.get(write.person) ?? []
    const { token } = all.find(({ id }) => id === write.credential?.id) as Credential
    const key = write.body.clientMessageId === undefined ? "requestId" : "clientMessageId"
    const params = { operation: write.operation, [key]: deliveryIdOf(write) }
    const seen = await this.#connection.send({ method: "GET", path: addressOfRead("receipt", params), token })
    if (seen.status === 0) return
    stage.reads.push({ client, person: person.userId, name: "receipt", params, delivery: deliveryOf(write), ...seen })
  }

  /** An old delivery, unchanged or with other content. */
  async #again(): Promise<void> {
    const { chance } = this.#parts
    const before = chance.of(this.#past)
    if (before === undefined) return
    const { stage, intent, credential } = before
    const body = chance.happens(0.3)
      ? { ...intent.body, ...altered(intent.body, chance) }
      : { ...intent.body, client: { name: "again" } }
    await this.write(stage, { ...intent, body }, chance.happens(0.7) ? credential : this.credential(stage))
  }

  /** The owner archives the Room in the middle of it all, and reopens it. */
  async #archive(stage: Stage): Promise<void> {
    await this.#atTheBrowser(stage, "archive_room", "archive")
    await this.read(stage, "room_context", { roomId: stage.room.roomId })
    await this.#atTheBrowser(stage, "restore_room", "restore")
  }

  async #atTheBrowser({ room: { roomId }, writes }: Stage, operation: string, action: string): Promise<void> {
    const { index: client, person, chance } = this.#parts
    const body = { schemaVersion: 3, requestId: chance.id(), reason: "For a while." }
    const start = performance.now()
    const response = await person.browser.request("POST", `/api/rooms/${roomId}/${action}`, body)
    const answer = await response.text()
    const end = performance.now()
    const common = {
      client,
      person: person.userId,
      credential: null,
      operation,
      params: { roomId },
      body,
      rehearsal: false,
    }
    writes.push({ ...common, start, end, status: response.status, answer })
  }

  /** A read of any kind. */
  #choice({ room: { roomId }, board }: Stage): [string, Members] {
    const { chance } = this.#parts
    const experimentId = chance.of(board.experiments.all())?.id
    const attemptId = chance.of(board.attempts.all())?.id
    const threadId = chance.of(board.threads) ?? ""
    const limit = 1 + chance.below(50)
    const after = (end: number) => Math.max(0, end - chance.below(40))
    const name = chance.weighted({
      room_context: 8,
      experiment: 8,
      experiment_history: 3,
      attempt: 4,
      thread_timeline: 7,
      room_activity: 4,
      room_status: 3,
    })
    if (name.startsWith("experiment") && experimentId !== undefined)
      return [name, { experimentId, ...(name === "experiment_history" && { after: chance.below(4), limit }) }]
    if (name === "attempt" && attemptId !== undefined) return [name, { attemptId }]
    if (name === "thread_timeline")
      return [name, { threadId, after: after(board.watermarks.get(threadId) ?? 0), limit }]
    if (name === "room_activity") return [name, { roomId, after: chance.below(3), limit }]
    return [name === "room_status" ? name : "room_context", { roomId }]
  }

  /** Reads, and records what it saw. A read without an answer says nothing and is left out. */
  async read(stage: Stage, name: string, params: Members, signal?: AbortSignal): Promise<void> {
    const { index: client, person } = this.#parts
    const token = name === "room_status" ? { token: this.full(stage).token } : {}
    const seen = await this.#connection.send({
      method: "GET",
      path: addressOfRead(name, params),
      ...token,
      ...(signal && { signal }),
    })
    if (seen.status === 0) return
    stage.reads.push({ client, person: person.userId, name, params, ...seen })
    if (seen.status === 200 && (name === "experiment" || name === "attempt"))
      stage.board.saw(parsed<Members>(seen.answer))
  }

  close(): void {
    this.#connection.close()
    this.#spare.close()
  }
}

/** Other content under the same id, valid for the operation. */
function altered(body: Members, chance: Chance): Members {
  const member = ["text", "title", "question", "handoff", "explanation", "synthesis", "scope", "reportedAt"].find(
    (name) => typeof body[name] === "string",
  )
  if (member === "reportedAt") return { reportedAt: "2026-11-20T09:00:01.000Z" }
  if (member !== undefined) return { [member]: `Otherwise, ${chance.below(1e6)}.` }
  return body.expectedRevision === undefined ? {} : { expectedRevision: Number(body.expectedRevision) + 1 }
}
