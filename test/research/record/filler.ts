/**
 * Fills a data file with many objects by running the operations in this process, in one transaction and without a
 * socket.
 */
import type { WriteInput } from "research-room/client"
import { pathNames } from "../../../src/contract/definitions/operation.ts"
import { operationNamed, type OperationName, type ResultOf } from "../../../src/contract/operations/index.ts"
import { createInstance, type Instance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import type { Db } from "../../../src/ledger/storage/database.ts"
import { launch } from "./work.ts"

interface Person {
  readonly userId: string
  readonly username: string
  /** The agent acting for the person; omitted for the browser. */
  readonly agent?: string
}

/** The parts of a receipt that are used here. */
export interface Written<N extends OperationName> {
  readonly targetId: string
  readonly result: ResultOf<N>
  readonly entry: { readonly entryId: string; readonly sequence: number } | null
  readonly activity: { readonly sequence: number } | null
}

export class Filler {
  readonly instance: Instance
  readonly db: Db

  /** @param file the data file, which another process or instance may serve at the same time */
  constructor(file: string) {
    const { db, world, instanceId } = openData(file)
    this.db = db
    this.instance = createInstance({ db, world, instanceId })
  }

  person(username: string): Person {
    const { userId } = this.instance.tables.people.named(username) as Person
    return { userId, username }
  }

  /** Appends content to the journal, for rows inserted without an operation. @returns its position */
  content(content: object): number {
    const { journal } = this.instance.ledger
    const position = journal.next()
    const nobody = { userId: null, username: null, sender: null, params: {}, client: undefined, given: {} }
    journal.append(
      { ...nobody, position, operation: "filled", at: "2026-11-20T09:30:00.000Z", content: JSON.stringify(content) },
      "",
    )
    return position
  }

  /** Runs an operation as a person in the browser would. Call it only inside `fill`. Repositories are not checked. */
  does<N extends OperationName>({ userId, username, agent = "" }: Person, name: N, input: WriteInput<N>): Written<N> {
    const operation = operationNamed(name)
    if (operation === undefined) throw new Error(`${name} is not an operation`)
    const body: Record<string, unknown> = { schemaVersion: 3, [operation.delivery]: this.instance.world.id(), ...input }
    const params: Record<string, string> = {}
    for (const id of pathNames(operation.path)) {
      params[id] = body[id] as string
      if (!Object.hasOwn(operation.body.entries, id)) delete body[id]
    }
    return JSON.parse(
      this.instance.ledger.admitWithin({ operation, actor: { userId, username, agent, grant: null }, params, body }),
    ) as Written<N>
  }

  /** Registers an attempt at an experiment, and reports its ending if one is given. */
  attempt(
    who: Person,
    experimentId: string,
    revision: number,
    status: "claimed" | "in_progress",
    ending?: "succeeded" | "failed",
  ): string {
    const attemptId = this.instance.world.id()
    this.does(who, "register_attempt", {
      attemptId,
      experimentId,
      expectedRevision: revision,
      expectedStatus: status,
      ...launch,
    })
    if (ending === undefined) return attemptId
    const at = { attemptId, reportedAt: "2026-11-20T09:30:00.000Z" }
    this.does(who, "report_attempt_event", {
      ...at,
      event: "started",
      expectedRevision: 1,
      expectedStatus: "registered",
    })
    const failure = ending === "failed" ? { failure: { stage: "running", explanation: "It ended." } } : {}
    this.does(who, "report_attempt_event", {
      ...at,
      event: ending,
      expectedRevision: 2,
      expectedStatus: "started",
      ...failure,
    })
    return attemptId
  }

  /** Runs `work` in one transaction. */
  fill<T>(work: () => T): Promise<T> {
    return this.instance.ledger.transact(work)
  }

  close(): void {
    this.db.close()
  }
}
