/**
 * The writer thread. While a service runs, only this thread admits writes, so that reads wait neither for the disk nor
 * for a transaction. It runs the same ledger on a connection of its own.
 */
import { parentPort, workerData } from "node:worker_threads"
import { toStarter } from "../../channel/thread.ts"
import type { Operation } from "../../contract/definitions/operation.ts"
import { operationNamed } from "../../contract/operations/index.ts"
import { newestId } from "../../ledger/storage/data.ts"
import { openBeside } from "../../ledger/storage/opening.ts"
import { OpenedFiles } from "../../ledger/storage/opened-files.ts"
import { truncateWal } from "../../ledger/storage/disk-watch.ts"
import { realWorld } from "../../ledger/world.ts"
import { configuredCheck } from "../../repositories/configured.ts"
import { createInstance } from "../compose/instance.ts"
import { messageOf } from "../../contract/faults.ts"
import { AfterCommit } from "../../ledger/write/after-commit.ts"
import { releaseMemory } from "./memory.ts"
import {
  packAdmitted,
  unpackBatch,
  unpackWrite,
  type WriterCalls,
  type WriterEvents,
  type WriterSettings,
} from "./writer-calls.ts"

const { file, index, instanceId, repositories }: WriterSettings = workerData
const db = openBeside(file)
const files = new OpenedFiles(file, index)
const world = realWorld()
world.idsAfter(newestId(db))
const roomIds = new Set<string>()
/** Whether a running group is taking in newly arrived writes. */
let isGathering = false
const { ledger, tables } = createInstance({
  db,
  world,
  instanceId,
  indexesLater: true,
  repositories: configuredCheck({ ...repositories, now: () => world.now() }),
  hooks: {
    gather() {
      isGathering = true
      channel.takeIn((name, [operation]) => name === "write" && ledger.admission.isAtOnce(mustKnow(String(operation))))
      isGathering = false
    },
    afterGroup(writes, milliseconds, failed) {
      // The answers to the writes follow in the same turn.
      channel.tellAlong("grouped", writes, milliseconds, failed, [...roomIds])
      roomIds.clear()
      indexing.soon()
    },
    isLost: () => files.lost() !== null,
  },
})
const indexing = new AfterCommit(
  tables.search,
  (step) => ledger.queue.between(step),
  (error) => channel.tell("notIndexed", messageOf(error)),
)
ledger.watch.everywhere = (roomId) => roomIds.add(roomId)

/** Returns a number that changes when another connection commits. */
const othersCommits = () => db.prepare<{ data_version: number }>("PRAGMA data_version").get()?.data_version
let heldAt = othersCommits()

function mustKnow(name: string): Operation {
  const operation = operationNamed(name)
  if (operation === undefined) throw new Error(`${name} is not an operation`)
  return operation
}

const channel = toStarter<WriterEvents, WriterCalls>({
  write(...write) {
    const [name, rehearse] = write
    const operation = mustKnow(name)
    const admitted = ledger.admission.admitChecked(operation, unpackWrite(write), rehearse).then(packAdmitted)
    if (!isGathering && ledger.admission.isAtOnce(operation)) ledger.queue.flush()
    return admitted
  },
  async batch(...packed) {
    const { batch, kept } = unpackBatch(packed, mustKnow)
    return (await ledger.batches.admit(batch, kept)).map(packAdmitted)
  },
  probe: (touch) => ledger.probe(touch),
  cleanse: () => ledger.cleanse(),
  async index() {
    await indexing.now()
  },
  // No transaction is open between two messages.
  hold() {
    ledger.queue.hold()
    heldAt = othersCommits()
  },
  release: () => ledger.queue.release(),
  apply: (changes) => ledger.queue.apply(changes, () => othersCommits() === heldAt),
  emptyLog: () => truncateWal(db),
  end() {
    indexing.end()
    db.close()
    parentPort?.close()
  },
})
// Index the texts that a killed process left.
indexing.soon()
releaseMemory()
