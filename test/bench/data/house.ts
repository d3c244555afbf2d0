/**
 * A demo's data opened in this process, to be filled by the service's own code: without a socket, and in few
 * transactions.
 */
import { randomUUID } from "node:crypto"
import { enumerations } from "../../../src/contract/schema/enumerations.ts"
import { type Operation, pathNames } from "../../../src/contract/definitions/operation.ts"
import {
  type InputOf,
  operationNamed,
  type OperationName,
  type ResultOf,
} from "../../../src/contract/operations/index.ts"
import { createInstance, type Instance } from "../../../src/app/compose/instance.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import type { Db } from "../../../src/ledger/storage/database.ts"
import { addPerson } from "../../support/people.ts"
import { dataFile, type Demo, readDemo } from "./demo.ts"

export interface Person {
  readonly userId: string
  readonly username: string
}

/** Changes to an operation's own example: different members, and the ids in the path. */
export type Said<N extends OperationName> = {
  readonly [Member in keyof InputOf<N>]?: InputOf<N>[Member] | undefined
} & Readonly<Record<string, unknown>>

/** The members of a write's answer that are used here. */
export interface Written<N extends OperationName> {
  readonly result: ResultOf<N>
  readonly entry: { readonly entryId: string; readonly sequence: number } | null
}

export const mustKnow = (name: string): Operation => {
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(`${name} is not an operation`)
  return operation
}

/** An operation's own example with these changes, parsed as it would be from the wire. */
export function delivery<N extends OperationName>(name: N, said: Said<N>, id = randomUUID() as string) {
  const operation = mustKnow(name)
  const body: Record<string, unknown> = { ...(operation.example as object), [operation.delivery]: id, ...said }
  const params: Record<string, string> = {}
  for (const part of pathNames(operation.path)) {
    params[part] = body[part] as string
    if (!Object.hasOwn(operation.body.entries, part)) delete body[part]
  }
  for (const [member, value] of Object.entries(body)) if (value === undefined) delete body[member]
  return { operation, params, body }
}

export class House {
  readonly demo: Demo
  readonly db: Db
  readonly instance: Instance
  /** The defaults: the demo's Room to write in, and the member of `member_all`. */
  readonly member: Person
  readonly owner: Person
  readonly roomId: string
  readonly threadId: string

  /** @param folder a copy of the demo's data @param demoFolder the folder with the demo's description */
  constructor(folder: string, demoFolder: string) {
    this.demo = readDemo(demoFolder)
    const { db, world, instanceId } = openData(dataFile(folder))
    // Data lost with the power is made again.
    db.exec("PRAGMA synchronous = OFF")
    this.db = db
    this.instance = createInstance({ db, world, instanceId, repositories: { check: async () => ({ ok: true }) } })
    const { people, rooms } = this.demo
    this.member = people.member
    this.owner = people.owner
    this.roomId = rooms.empty.roomId
    this.threadId = rooms.empty.openingThreadId
  }

  /** The folder for things of the demo's Room. */
  get here() {
    return { roomId: this.roomId, threadId: this.threadId }
  }

  /** The demo's public repository and a commit in it. */
  get pin() {
    const { url, commit } = this.demo.repositories.public
    return { url, commit }
  }

  /** Acts as a person in the browser; only within `fill`. */
  does<N extends OperationName>(name: N, said: Said<N>, person = this.member): Written<N> {
    const { userId, username } = person
    const receipt = this.instance.ledger.admitWithin({
      ...delivery(name, said),
      actor: { userId, username, grant: null },
    })
    return JSON.parse(receipt) as Written<N>
  }

  /**
   * A new person with a personal key for everything, because one person may do most things only so often; only within
   * `fill`.
   */
  keyHolder(username: string): { person: Person; token: string } {
    const person = addPerson(this.instance, username)
    const permissions = [...enumerations.libraryPermission]
    const { result } = this.does(
      "issue_key",
      { label: "bench", reach: "all", permissions, collectionIds: undefined, expiresAt: undefined },
      person,
    )
    return { person, token: result.token ?? "" }
  }

  /** Runs `work` in one transaction. */
  fill<T>(work: () => T): Promise<T> {
    return this.instance.ledger.transact(work)
  }

  /** Copies the log into the file, because only the file is copied. */
  close(): void {
    this.db.close()
  }
}

/** An array of `count` results. */
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))

/** One of several, in turns. */
export const inTurn = <T>(values: readonly T[], index: number): T => values[index % values.length] as T
