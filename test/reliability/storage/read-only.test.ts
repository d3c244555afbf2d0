/**
 * Data that becomes read-only while it is served: open files stay open, so the service continues; a new start reports
 * the problem in one sentence and changes nothing, including the log of a killed service; with its permissions restored
 * everything is there.
 */
import { createHash } from "node:crypto"
import { chmodSync, chownSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { endAll } from "../../support/program.ts"
import { kill } from "../crash/crash.ts"
import { chanceOf, freshSeed } from "../support/chance.ts"
import { breakGround } from "../support/ground.ts"
import { startLoad, Writers } from "../support/load.ts"
import { Account } from "../support/outside.ts"

const ground = await breakGround()
tap.teardown(() => {
  endAll()
  ground.remove()
})
const seed = process.env.RESEARCH_ROOM_SEED ?? freshSeed()
// Root may write anywhere, so the program runs as another user.
const uid = process.getuid?.() === 0 ? 65_534 : undefined

/** Every file of a folder with the digest of its contents. */
const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex"),
    ]),
  )

test("a folder that becomes read-only under the service", { skip: process.platform === "win32" }, async (t) => {
  const data = ground.copy("data")
  const folder = join(ground.place.folder, data)
  const files = () => readdirSync(folder).map((name) => join(folder, name))
  const all = readdirSync(ground.place.folder, { recursive: true, encoding: "utf8" }).map((name) =>
    join(ground.place.folder, name),
  )
  if (uid !== undefined) for (const path of [ground.place.folder, ...all]) chownSync(path, uid, uid)
  const as = uid === undefined ? {} : { uid }
  const service = await ground.serve(data, as)
  const account = await Account.open(ground, service.baseUrl)
  const load = startLoad(new Writers(ground), ground.agents, {
    baseUrl: service.baseUrl,
    connections: 8,
    chance: chanceOf(seed),
  })
  await load.acknowledged(30)
  for (const file of files()) chmodSync(file, 0o444)
  chmodSync(folder, 0o555)
  await load.acknowledged(60)
  load.stop()
  await load.ended()
  await account.look(service.baseUrl, load.sent)
  await kill(service)

  const before = contents(folder)
  t.ok(Object.hasOwn(before, "research-room.db-wal"), "the killed service left its log")
  const refused = ground.begin(data, as)
  const { code, out, err } = await refused.ended()
  t.strictSame([code, out], [1, ""])
  t.match(err, /^research-room: \S.* cannot be (?:opened for writing|written).*\n$/, "one sentence, no stack trace")
  t.strictSame(contents(folder), before, "nothing was changed")

  chmodSync(folder, 0o755)
  for (const file of files()) chmodSync(file, 0o644)
  const again = await ground.serve(data, as)
  await account.lookAtAll(again.baseUrl)
  await kill(again)
  t.strictSame(account.problems, [], `seed ${seed}`)
})
