/** The commands for which the disk fails, and what must be there after each. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { storedSchema } from "../../../src/ledger/storage/opening.ts"
import { latestSchema } from "../../../src/ledger/storage/schema.ts"
import { type newPlace, run } from "../../support/program.ts"
import { startOwn } from "../../support/service.ts"
import { unpack } from "../../upgrade/sample.ts"
import { exportedDemo } from "../import/kills.ts"
import { dataOn, holding, type Stage } from "./stages.ts"

interface Ground {
  readonly program: string
  readonly place: ReturnType<typeof newPlace>
  readonly disk: string
}

/** An import into a folder without data, or into one where a user adopts the Room. */
export async function imports(ground: Ground): Promise<{ afresh: Stage; adopting: Stage }> {
  const { program, place, disk } = ground
  const data = dataOn(disk)
  const { file } = await exportedDemo(program, place, "empty")
  await run(program, ["user", "add", "zoe", "--password", "the long password", "--data", "seed"], place)
  const afresh: Stage = {
    ...ground,
    command: ["import", file, "--data", data],
    async judge({ code }) {
      if (!existsSync(join(data, "research-room.db"))) return code === 0 ? ["there is no data"] : []
      const rooms = JSON.parse((await run(program, ["room", "list", "--json", "--data", data], place)).out) as object[]
      const { out } = await run(program, ["audit", "--data", data], place)
      const noted = /imported/.test(out) ? 1 : 0
      const due = code === 0 ? 1 : 0
      return rooms.length === due && noted === due
        ? []
        : [`there are ${rooms.length} Rooms and ${noted} lines of it in the audit log`]
    },
    isDone: ({ code, err }) => code === 1 && /this instance's own\. It was adopted/.test(err),
  }
  const command = [...afresh.command, "--adopt", "--owner", "zoe"]
  return { afresh, adopting: { ...afresh, seed: join(place.folder, "seed"), command } }
}

const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"

/** Withholds a message with a secret among others. */
export async function withholding(ground: Ground): Promise<Stage> {
  const { program, place, disk } = ground
  const seed = join(place.folder, "withheld")
  const house = await startOwn({ folder: seed, keeps: true })
  const ada = await house.setUp("ada")
  const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Warm-up" })).result
  for (let n = 0; n < 30; n += 1)
    await ada.write("post_message", { threadId, text: `Long ${n}. ${"word ".repeat(n * 100)}` } as never)
  await ada.write("post_message", { threadId, text: `The token is ${SECRET}. ${"word ".repeat(2_000)}` } as never)
  await house.close()
  const plan = ["withhold", roomId, "--sequence", "32", "--data", dataOn(disk)]
  return {
    ...ground,
    seed,
    command: [...plan, "--fields", "/text", "--reason", "secret", "--explanation", "Revoked since."],
    async judge({ code, err }) {
      const [isWithheld, left] = [(await run(program, plan, place)).out.includes("(withheld)"), holding(disk, SECRET)]
      const isToldHalf = /The words are withheld .*may still hold/.test(err)
      if (code === 0 && !(isWithheld && left.length === 0)) return [`it is said to be withheld, and is in ${left}`]
      return code !== 0 && isWithheld !== isToldHalf
        ? [`it is ${isWithheld ? "" : "not "}withheld, which is not what is said`]
        : []
    },
    isDone: ({ code, err }) =>
      code === 2 && /All of that is withheld already/.test(err) && holding(disk, SECRET).length === 0,
  }
}

/** A backup, a restored one in an empty folder and in place of other data, and an upgrade of earlier data. */
export async function copies(ground: Ground): Promise<Record<"backup" | "restored" | "replaced" | "upgraded", Stage>> {
  const { program, place, disk } = ground
  const file = join(dataOn(disk), "research-room.db")
  const [original, seed, earlier, empty] = ["original", "other", "earlier", "nothing"].map((name) =>
    join(place.folder, name),
  ) as [string, string, string, string]
  mkdirSync(empty)
  unpack(latestSchema - 1, earlier)
  const copy = join(place.folder, "original.copy")
  for (const args of [
    ["user", "add", "zoe", "--password", "the long password", "--data", seed],
    ["user", "add", "ada", "--password", "the long password", "--data", original],
    ["backup", copy, "--data", original],
  ]) {
    const { code, err } = await run(program, args, place)
    if (code !== 0) throw new Error(err)
  }
  const bytes = readFileSync(copy)
  const isUntouched = () => (readFileSync(copy).equals(bytes) ? [] : ["the backup was changed"])
  /** All or nothing in a folder that had no data. */
  const judge = ({ code }: { code: number | null }) =>
    existsSync(file) === (code === 0) ? isUntouched() : [`there is ${code === 0 ? "no" : "a"} file`]
  const restored: Stage = {
    ...ground,
    command: ["restore", copy, "--data", dataOn(disk)],
    judge: async (ended) => judge(ended),
    isDone: ({ code, err }) => code === 1 && /holds data already; nothing was changed/.test(err),
  }
  return {
    // The file is named like that of served data, so that `check` can open it.
    backup: {
      ...restored,
      seed: empty,
      command: ["backup", file, "--data", original],
      isDone: ({ code, err }) => code === 1 && /exists already; nothing was written/.test(err),
    },
    restored,
    replaced: {
      ...restored,
      seed,
      command: [...restored.command, "--force"],
      leaves: /^data\/research-room\.db\.before-[^/]*Z$/,
      async judge({ code }) {
        const { out } = await run(program, ["user", "list", "--data", dataOn(disk)], place)
        return /\bzoe\b/.test(out) === (code === 0) ? ["the data in the folder is not what is said"] : isUntouched()
      },
      isDone: () => false,
    },
    upgraded: {
      ...ground,
      seed: earlier,
      command: ["room", "list", "--data", dataOn(disk)],
      async judge({ code }) {
        const schema = storedSchema(file)
        return (schema === latestSchema) === (code === 0) ? [] : [`it has schema ${schema}`]
      },
      isDone: () => false,
    },
  }
}
