/**
 * The writing thread. While a service runs, it alone admits writes: whoever reads waits neither for the disk nor for the
 * work of a transaction. It is the same ledger on a connection of its own; only what is said to it comes by message.
 */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import type { Operation } from "../contract/operation.ts"
import { operationNamed } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals.ts"
import { createInstance } from "./instance.ts"
import { restMemory } from "./memory.ts"
import type { Admitted } from "../ledger/admit.ts"
import { newestId } from "../ledger/data.ts"
import { openBeside } from "../ledger/database.ts"
import { OpenedFiles } from "../ledger/opened-files.ts"
import { realWorld } from "../ledger/world.ts"
import { configuredCheck } from "../repositories/configured.ts"
import {
  type Answer,
  accepted,
  type FromWriter,
  type Group,
  type Packed,
  type Request,
  type ToWriter,
  unpacked,
  type WriterSettings,
} from "./writer-messages.ts"

if (parentPort === null) throw new Error("The writing thread is started by the service.")
const port = parentPort
const { file, instanceId, repositories }: WriterSettings = workerData
const db = openBeside(file)
const files = new OpenedFiles(file)
const world = realWorld()
world.idsAfter(newestId(db))
let groups: Group[] = []
const { ledger } = createInstance({
  db,
  world,
  instanceId,
  repositories: configuredCheck({ ...repositories, now: () => world.now() }),
  hooks: {
    gather,
    afterGroup: (writes, milliseconds, failed) => groups.push([writes, milliseconds, failed]),
    isLost: () => files.lost() !== null,
  },
})
const landed = new Set<string>()
ledger.watch.everywhere = (roomId) => landed.add(roomId)

let answers: Answer[] = []
const say = (message: FromWriter) => port.postMessage(message)

/** Tells all that was answered together, in one message. */
function tell(): void {
  say([answers, [...landed], groups])
  answers = []
  groups = []
  landed.clear()
}

function answer(made: Answer): void {
  // Behind those of the same group.
  if (answers.length === 0) queueMicrotask(tell)
  answers.push(made)
}

function mustKnow(name: string): Operation {
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(`${name} is not an operation`)
  return operation
}

const isAtOnce = ([, name]: Packed): boolean => ledger.isAtOnce(mustKnow(name))

function admit(write: Packed): void {
  const { id, operation, checked, rehearse } = unpacked(write)
  answerWith(id, ledger.admitChecked(mustKnow(operation), checked, rehearse))
}

function answerWith(id: number, work: Promise<Admitted>): void {
  work.then(
    (admitted) => answer(accepted(id, admitted)),
    (error: unknown) =>
      answer(
        error instanceof Refusal
          ? { id, refusal: { code: error.code, sentence: error.message, details: error.details } }
          : { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      ),
  )
}

/** What each kind of message asks for; a kind that is missing does not compile. */
const handlers: { readonly [Kind in Request["kind"]]: (message: Extract<Request, { kind: Kind }>) => void } = {
  probe: ({ id, touch }) =>
    answerWith(
      id,
      ledger.probe(touch).then(() => ({ receipt: "" })),
    ),
  cleanse: ({ id }) =>
    answerWith(
      id,
      ledger.cleanse().then(() => ({ receipt: "" })),
    ),
  hold() {
    // A transaction is never open between two messages.
    ledger.hold()
    say("held")
  },
  release: () => ledger.release(),
  end() {
    db.close()
    port.close()
  },
}
const ask = <Kind extends Request["kind"]>(message: { readonly kind: Kind } & Extract<Request, { kind: Kind }>) =>
  handlers[message.kind](message)

const isWrite = (message: ToWriter): message is Packed => Array.isArray(message)
/** What came while a group was at work and could not join it: it waits for the group's end, and what comes behind it too. */
let later: ToWriter | null = null

/** Takes what has come while a group is at work. */
function gather(): void {
  while (later === null) {
    const found = receiveMessageOnPort(port)
    if (found === undefined) return
    const message = found.message as ToWriter
    if (isWrite(message) && isAtOnce(message)) {
      admit(message)
    } else {
      later = message
      setImmediate(resume)
    }
  }
}

function resume(): void {
  const message = later
  later = null
  if (message !== null) heard(message)
}

function heard(message: ToWriter): void {
  if (isWrite(message)) {
    admit(message)
    if (isAtOnce(message)) ledger.flush()
  } else {
    ask(message)
  }
}
port.on("message", heard)
restMemory()
