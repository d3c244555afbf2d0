/** `import --adopt`, as an operator runs it. */
import { pattern } from "../support/pattern.ts"
import { join } from "node:path"
import tap, { test } from "tap"
import { endAll, executable, newPlace, run } from "../support/program.ts"
import { exportedDemo } from "../reliability/import/kills.ts"

const program = executable()
const place = newPlace()
tap.teardown(() => {
  endAll()
  place.remove()
})

test("A Room is adopted by a user of this instance, once, and the command says so", async (t) => {
  const { file, roomId } = await exportedDemo(program, place, "empty")
  const adopt = (...args: string[]) => run(program, ["import", file, "--data", "data", "--adopt", ...args], place)
  t.match(await adopt(), { code: 2, err: /--adopt and --owner must be given together/ })
  t.match(await run(program, ["import", file, "--data", "data", "--owner", "zoe"], place), {
    code: 2,
    err: /--adopt and --owner must be given together/,
  })
  t.match(await adopt("--owner", "zoe"), { code: 1, err: /There is no research-room data in data/ })
  await run(program, ["user", "add", "zoe", "--password", "the long password", "--data", "data"], place)
  t.match(await adopt("--owner", "yan"), { code: 2, err: /There is no user named yan/ })
  t.match(
    await run(program, ["room", "list", "--json", "--data", "data"], place),
    { out: "[]\n" },
    "nothing was imported",
  )
  t.match(await adopt("--owner", "zoe"), {
    code: 0,
    out: pattern(
      /^This instance owns the Room now, and zoe is its owner\. What is written at http\S+ after entry \d+ /m,
      /is no longer imported\.$/m,
    ),
  })
  const listed = JSON.parse((await run(program, ["room", "list", "--json", "--data", "data"], place)).out) as object[]
  t.match(listed, [{ roomId, origin: null, owner: { username: "zoe" } }])
  t.match(await adopt("--owner", "zoe"), {
    code: 1,
    err: /is this instance's own\. It was adopted from .*Nothing was imported/,
  })
  t.match(
    await run(
      program,
      ["credential", "issue", "--room", roomId, "--user", "zoe", "--label", "an agent", "--data", "data"],
      place,
    ),
    {
      code: 0,
    },
  )
  t.match(await run(program, ["check", "--data", "data"], place), { code: 0 })
  const out = join(place.folder, "further.zip")
  t.match(
    await run(
      program,
      ["export", roomId, "--output", out, "--data", "data", "--base-url", "http://zoe.example"],
      place,
    ),
    { code: 0 },
  )
  t.match(await run(program, ["import", out, "--data", "further"], place), {
    code: 0,
    out: /of http:\/\/zoe\.example is here through entry/,
  })
})
