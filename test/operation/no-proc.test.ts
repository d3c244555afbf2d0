/** A start without `/proc`, as in a container that has none. */
import { execFileSync } from "node:child_process"
import tap, { test } from "tap"
import { found } from "../reliability/storage/disk.ts"
import { endAll, executable, newPlace, start } from "../support/program.ts"

const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

/** Hides `/proc` from the program that follows; in a user namespace every user may mount there. */
const HIDDEN = ["-c", 'mount -t tmpfs none /proc && exec "$0" "$@"'] as const

function whyNot(): string | false {
  const unshare = found("unshare")
  if (unshare === null) return "this machine has no unshare"
  try {
    execFileSync(unshare, ["-m", "-U", "-r", "sh", ...HIDDEN, "true"], { stdio: "ignore" })
    return false
  } catch {
    return "this user may not hide /proc with unshare"
  }
}

test("it starts, serves, and keeps a second process away", { skip: whyNot() }, async (t) => {
  const begin = () => {
    const args = [
      "-m",
      "-U",
      "-r",
      found("sh") ?? "sh",
      ...HIDDEN,
      executable(),
      "serve",
      "--port",
      "0",
      "--data",
      "data",
    ]
    return start(found("unshare") ?? "", args, { ...place, env: { PATH: process.env.PATH ?? "" } })
  }
  const service = begin()
  const [, baseUrl] = await service.printed(/ at (http\S+)\n[^]*llms\.txt\n/)
  t.equal((await fetch(`${baseUrl}/api/health/ready`)).status, 200)
  t.match(await (await fetch(`${baseUrl}/metrics`)).text(), /research_room_database_bytes/)
  t.match(await begin().ended(), { code: 1, out: "", err: /^research-room: Another research-room process/ })
  service.signal("SIGTERM")
  t.match(await service.ended(), { code: 0 })
})
