/** Files that root makes in another user's folder belong to that user; a user who may not read the data is told so. */
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run, serve } from "../support/program.ts"

const program = executable()
const SERVICE = 64_321
const ANOTHER = 64_322
tap.teardown(endAll)

if (process.getuid?.() !== 0)
  tap.comment("not root on this machine: what root does in another user's folder was not tried")
else {
  test(
    "people, backups and restored data that root makes belong to the user of " + "the folder, who then serves them",
    async (t) => {
      const place = newPlace()
      t.teardown(() => place.remove())
      const [data, backups] = [join(place.folder, "data"), join(place.folder, "backups")]
      for (const folder of [data, backups]) mkdirSync(folder, { mode: 0o700 })
      for (const folder of [place.folder, join(place.folder, "home"), data, backups])
        chownSync(folder, SERVICE, SERVICE)
      const mustWork = async (...args: string[]) => {
        const { code, err } = await run(program, [...args, "--data", data], place)
        t.strictSame([code, err], [0, ""], args.join(" "))
      }
      const allTheirs = (what: string) => {
        for (const folder of [data, backups])
          for (const name of readdirSync(folder)) t.equal(statSync(join(folder, name)).uid, SERVICE, `${what}: ${name}`)
      }
      await mustWork("user", "add", "ada")
      await mustWork("backup", join(backups, "first.db"))
      await mustWork("check")
      await mustWork("restore", join(backups, "first.db"), "--force")
      allTheirs("by root")
      const service = await serve(program, ["--data", data], { ...place, uid: SERVICE })
      await mustWork("user", "add", "grace")
      allTheirs("while it is served")
      service.signal("SIGTERM")
      t.equal((await service.ended()).code, 0)
      const asRoot = await serve(program, ["--data", data], place)
      t.match(statSync(`/proc/${asRoot.pid}`).uid, SERVICE, "also when serving")
      asRoot.signal("SIGTERM")
      await asRoot.ended()
      allTheirs("after root served it")

      const other = await run(program, ["check", "--data", data], { ...place, uid: ANOTHER })
      t.equal(other.code, 1)
      t.match(other.err, /^research-room: This user may not read \S+\.\n$/)
      chmodSync(data, 0o755)
      t.match(
        (await run(program, ["user", "list", "--data", data], { ...place, uid: ANOTHER })).err,
        /This user may not read/,
      )
    },
  )

  test("a folder without data has none, for any user", async (t) => {
    const place = newPlace()
    t.teardown(() => place.remove())
    t.match(
      (await run(program, ["check", "--data", "nothing"], place)).err,
      /There is no research-room data in nothing/,
    )
  })
}
