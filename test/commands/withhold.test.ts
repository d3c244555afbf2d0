/** `withhold`: lists what can be withheld, and withholds it, for an operator without a browser. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"
import { startOwn } from "../support/service.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})
const SECRET = "hf_kT9sQ2mV7xLpB4nR8wZ1cD6y"
const data = join(place.folder, "data")
const house = await startOwn({ folder: data, keeps: true })
const ada = await house.setUp("ada")
const { roomId, openingThreadId: threadId } = (await ada.write("create_room", { title: "Warm-up" })).result
await ada.write("post_message", { threadId, text: `The token is ${SECRET}.` } as never)
await house.close()
const withhold = (...args: string[]) => run(program, ["withhold", roomId, ...args, "--data", "data"], place)
const found = () => readdirSync(data).filter((name) => readFileSync(join(data, name)).includes(SECRET))
const all = ["--fields", "/text", "--reason", "secret", "--explanation", "Revoked since."]

test("first it lists what can be withheld, and where copies may remain", async (t) => {
  mkdirSync(join(place.folder, "kept"))
  await run(program, ["backup", "kept/before.db", "--data", "data"], place)
  const { code, out, err } = await withhold("--sequence", "2")
  t.equal(code, 0, err)
  t.match(out, /^Entry 2 of the Room's activity, message\./)
  t.match(out, new RegExp(`^/text  The token is ${SECRET}\\.$`, "m"))
  t.match(out, /cannot be undone[^]*Backups made before now still hold it: in [^ ]*kept\./)
  t.not(found().length, 0, "nothing is withheld yet")
})

test("a wrong call, or data that is being served, is refused", async (t) => {
  t.match(await withhold(), { code: 2, err: /one of --sequence, --entry and --record/ })
  t.match(await withhold("--sequence", "9"), { code: 2, err: /no such write/ })
  t.match(await withhold("--sequence", "2", "--fields", "/text"), { code: 2, err: /must be given together/ })
  t.match(await withhold("--sequence", "2", ...all.with(1, "/nowhere")), {
    code: 2,
    err: /does not name a part of that write/,
  })
  const service = await serve(program, ["--data", "data"], place)
  t.match(await withhold("--sequence", "2", ...all), { code: 1 })
  service.signal("SIGTERM")
  await service.ended()
})

test("then it is gone from every file, and the log says who did it", async (t) => {
  const { code, out, err } = await withhold("--sequence", "2", ...all)
  t.equal(code, 0, err)
  t.match(out, /^Withheld of entry 2: \/text\.\nBackups made before now/)
  t.strictSame(found(), [])
  t.match(await withhold("--sequence", "2"), { code: 0, out: /^\/text {2}\(withheld\)$/m })
  t.match(await run(program, ["audit", "--data", "data"], place), { out: /withheld something/ })
  t.match(await run(program, ["check", "--data", "data"], place), { code: 0, out: /all whole/ })
})
