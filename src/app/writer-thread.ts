/**
 * The writing thread. While a service runs, it alone admits writes: whoever reads waits neither for the disk nor for the
 * work of a transaction. It is the same ledger on a connection of its own; only what is said to it comes by message.
 */
import { parentPort, workerData } from "node:worker_threads"
import { operationNamed } from "../contract/operations/index.ts"
import { Refusal } from "../contract/refusals.ts"
import { createInstance } from "./instance.ts"
import { restMemory } from "./memory.ts"
import type { Admitted } from "../ledger/admit.ts"
import { openBeside } from "../ledger/database.ts"
import { OpenedFiles } from "../ledger/opened-files.ts"
import { realWorld } from "../ledger/world.ts"
import { configuredCheck } from "../repositories/configured.ts"
import { type Answer, type FromWriter, type Group, type Packed, type ToWriter, unpacked, type WriterSettings } from "./writer-messages.ts"

if (parentPort === null) throw new Error("The writing thread is started by the service.")
const port = parentPort
const { file, instanceId, notBefore, repositories }: WriterSettings = workerData
const db = openBeside(file)
const files = new OpenedFiles(file)
const world = realWorld(notBefore)
let groups: Group[] = []
const { ledger } = createInstance({
  db,
  world,
  instanceId,
  repositories: configuredCheck({ ...repositories, now: () => world.now() }),
  hooks: {
    afterGroup: (writes, milliseconds, failed) => groups.push({ writes, milliseconds, failed }),
    isLost: () => files.lost() !== null,
  },
})
const landed = new Set<string>()
ledger.watch.everywhere = (roomId) => landed.add(roomId)

let answers: Answer[] = []
const say = (message: FromWriter) => port.postMessage(message)

/** Tells all that was answered in this turn, in one message. */
function tell(): void {
  say({ kind: "answers", answers, landed: [...landed], groups })
  answers = []
  groups = []
  landed.clear()
}

function answer(made: Answer): void {
  if (answers.length === 0) setImmediate(tell)
  answers.push(made)
}

function admit(write: Packed): void {
  const { id, operation: name, checked, rehearse } = unpacked(write)
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(`${name} is not an operation`)
  answerWith(id, ledger.admitChecked(operation, checked, rehearse))
}

function answerWith(id: number, work: Promise<Admitted>): void {
  work.then(
    (admitted) => answer({ id, ...admitted }),
    (error: unknown) =>
      answer(
        error instanceof Refusal
          ? { id, refusal: { code: error.code, sentence: error.message, details: error.details } }
          : { id, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      ),
  )
}

/** What each kind of message asks for; a kind that is missing does not compile. */
const handlers: { readonly [Kind in ToWriter["kind"]]: (message: Extract<ToWriter, { kind: Kind }>) => void } = {
  writes: ({ writes }) => writes.forEach(admit),
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
    say({ kind: "held" })
  },
  release: () => ledger.release(),
  end() {
    db.close()
    port.close()
  },
}
const heard = <Kind extends ToWriter["kind"]>(message: { readonly kind: Kind } & Extract<ToWriter, { kind: Kind }>) =>
  handlers[message.kind](message)
port.on("message", heard)
restMemory()
