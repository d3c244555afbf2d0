/**
 * The bare query of a read, in a process of its own that holds the data of one size: the service's own reader answers
 * once while its statements are recorded; those are then run again and again, without using their rows.
 */
import type { Read } from "../../../src/contract/definitions/read.ts"
import { checkParameters } from "../../../src/edge/requests/reads.ts"
import { reads } from "../../../src/contract/reads/index.ts"
import { createInstance, type Instance } from "../../../src/app/compose/instance.ts"
import type { Actor } from "../../../src/ledger/journal/actor.ts"
import { openData } from "../../../src/ledger/storage/opening.ts"
import { isoTime } from "../../../src/ledger/world.ts"
import { dataFile, readDemo } from "../data/demo.ts"
import { median } from "../numbers.ts"
import { answering } from "../process.ts"
import { prepared, Recorder } from "../recording.ts"
import type { Case } from "./cases.ts"
import { type Large, makeLarge } from "./fill/large.ts"

export type Ask =
  | { readonly fill: { readonly demo: string; readonly folder: string; readonly size: number } }
  | { readonly open: { readonly demo: string; readonly folder: string } }
  | { readonly query: { readonly name: string; readonly asked: Case; readonly times: number } }

export interface Answer {
  readonly large?: Large
  /** Milliseconds of one run. */
  readonly took?: number
  readonly statements?: number
}

interface Opened {
  readonly recorder: Recorder
  readonly instance: Instance
  readonly owner: Actor
  readonly key: string
}
let opened: Opened | undefined

function open(demoFolder: string, folder: string): void {
  const { db, world, instanceId } = openData(dataFile(folder))
  const recorder = new Recorder(db)
  const { people, keys } = readDemo(demoFolder)
  const { userId, username } = people.owner
  opened = {
    recorder,
    instance: createInstance({ db: recorder, world, instanceId }),
    owner: { userId, username, grant: null },
    key: keys.all.token,
  }
}

type Reader = (asked: object) => unknown

/** Lets the service answer once, and then repeats its database statements. */
async function query({ name, asked, times }: Extract<Ask, { query: unknown }>["query"]): Promise<Answer> {
  if (opened === undefined) throw new Error("no data was opened")
  const { recorder, instance, owner, key } = opened
  const { world, tables, readers } = instance
  const definition = reads.find((read) => read.name === name) as Read
  const checked = checkParameters(definition, new URLSearchParams(asked.query))
  const reader = (readers as unknown as Record<string, Reader>)[name]
  if (reader === undefined) throw new Error(`${name} has no reader`)
  const answer = () => {
    const actor = definition.surface === "key" ? tables.library.keys.authenticate(key, isoTime(world.now())) : owner
    return reader({ params: asked.params, query: checked, actor })
  }
  // What a reader caches has already been read by then.
  answer()
  const steps = await recorder.during(answer)
  const [run] = prepared(recorder, recorder.sql, [steps])
  if (run === undefined) throw new Error(`${name} asked nothing of the database`)
  const took = Array.from({ length: times }, () => {
    const before = performance.now()
    run()
    return performance.now() - before
  })
  return { took: median(took), statements: steps.length }
}

answering(async (ask: Ask): Promise<Answer> => {
  if ("query" in ask) return query(ask.query)
  if ("open" in ask) {
    open(ask.open.demo, ask.open.folder)
    return {}
  }
  return { large: await makeLarge(ask.fill.demo, ask.fill.folder, ask.fill.size) }
})
