/** The Python client as served: a method for everything, and a story of use on this machine's Python. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import t from "tap"
import { agentOperations } from "../../src/discovery/manifest.ts"
import { discoveryRoutes } from "../../src/discovery/routes.ts"
import { isEvents } from "../../src/contract/definitions/read.ts"
import { reads } from "../../src/contract/reads/index.ts"
import { refusalCodes } from "../../src/contract/refusals.ts"
import { storyPlace } from "./python/place.ts"

const root = dirname(dirname(import.meta.dirname))
const python = process.env.REACH_PYTHON ?? "python3"

t.test("every operation and read is a method, every refusal a class, and no placeholder is left", async (t) => {
  const { module, baseUrl, close } = await storyPlace()
  t.teardown(close)
  const named = (kind: string) => [...module.matchAll(new RegExp(`^ *${kind} (\\w+)\\(`, "gm"))].map(([, name]) => name)
  const methods = named("def")
  const open = [...reads, ...discoveryRoutes].filter(
    (read) => !["session", "operator", "visitor"].includes(read.surface) && !isEvents(read),
  )
  t.strictSame(
    [
      ...agentOperations.map(({ name }) => name),
      ...open.map(({ name, method }) => (method === "POST" ? name : `get_${name}`)),
    ].filter((name) => !methods.includes(name)),
    [],
  )
  t.equal(named("class").filter((name) => module.includes(`class ${name}(Refused)`)).length, refusalCodes.length)
  t.notMatch(module, /@[A-Z_]+@|#<\/?[a-z]+>/, "no placeholder of the template is left")
  t.ok(module.includes(`BASE_URL = "${baseUrl}"`), "it knows its origin")
  const answer = await fetch(`${baseUrl}/research_room.py`)
  t.equal(answer.headers.get("content-type"), "text/x-python; charset=utf-8")
})

/** The version of this machine's Python, or null if it has none that the client supports. */
function pythonHere(): string | null {
  const asked = spawnSync(
    python,
    ["-c", "import sys; print(sys.version.split()[0]); sys.exit(sys.version_info < (3, 9))"],
    {
      encoding: "utf8",
    },
  )
  return asked.status === 0 ? asked.stdout.trim() : null
}

async function run(folder: string, words: readonly string[], more: Readonly<Record<string, string>>): Promise<string> {
  const told = spawn(python, ["-W", "error::DeprecationWarning", ...words], {
    cwd: folder,
    env: { ...process.env, ...more },
  })
  let text = ""
  for (const stream of [told.stdout, told.stderr])
    stream.setEncoding("utf8").on("data", (piece: string) => (text += piece))
  await once(told, "close")
  return text
}

const version = pythonHere()
if (version === null) t.comment("there is no Python 3.9 or newer on this machine: the story is told on Pyodide alone")
else {
  t.test(`a story of use, on Python ${version}`, async (t) => {
    const { folder, given, close } = await storyPlace()
    t.teardown(close)
    const text = await run(folder, ["story.py"], { STORY: given })
    for (const [, what = ""] of text.matchAll(/^shown: (.*)$/gm)) t.pass(what)
    t.match(text, /\nthe story ends\r?\n$/, "all of it", { text: text.slice(-3_000) })
  })

  t.test("the spool sends nothing that another user can have put there", async (t) => {
    const { folder, given, close } = await storyPlace()
    t.teardown(close)
    const { baseUrl: BASE, token: TOKEN, threadId: THREAD } = JSON.parse(given) as Record<string, string>
    const program = `
import json, os, pathlib, research_room

def room(cut):
    def line(method, url, headers, body, seconds):
        if cut:
            raise OSError("the line is cut")
        sent.append(body)
        return 200, {}, b"{}"
    return research_room.Room(os.environ["BASE"], os.environ["TOKEN"], transport=line, spool="spool", retries=0)

def kept():
    try:
        room(True).post_message(thread_id=os.environ["THREAD"], text="Said while nobody listened")
    except research_room.Undelivered as error:
        return error.spooled

sent = []
own = kept()
secret = pathlib.Path("secret.txt")
secret.write_text("not for anybody")
(own.parent / own.name.replace("0", "1", 1)).symlink_to(own.resolve())
(own.parent / "logs").mkdir(mode=0o700)
(own.parent / "logs" / "00000000-0000-4000-8000-000000000000.txt").symlink_to(secret.resolve())
(own.parent / ".lock").unlink(missing_ok=True)
print("waiting", room(True)._spool.waiting())
(own.parent / ".lock").symlink_to(secret.resolve())
try:
    room(False).deliver()
except OSError:
    pass
print("secret", secret.read_text(), any(b"not for" in body for body in sent))
os.chmod(own.parent, 0o777)
print("waiting", room(True)._spool.waiting(), "kept", kept())
`
    const text = await run(folder, ["-c", program], { BASE, TOKEN, THREAD } as Record<string, string>)
    t.equal(text, "waiting 1\nsecret not for anybody False\nwaiting 0 kept None\n")
  })

  t.test("help(Room) begins with the ten most useful calls", async (t) => {
    const { folder, close } = await storyPlace()
    t.teardown(close)
    const program = "import pydoc, research_room; print(pydoc.plain(pydoc.render_doc(research_room.Room)))"
    const [start = ""] = (await run(folder, ["-c", program], {})).split("Methods defined here")
    const calls = [...start.matchAll(/room\.(\w+)\(/g)].map(([, name = ""]) => name)
    t.equal(calls.length, 10)
    const there =
      `import research_room; print([name for name in ${JSON.stringify(calls)} if not ` +
      "hasattr(research_room.Room, name)])"
    t.equal((await run(folder, ["-c", there], {})).trim(), "[]")
  })

  t.test("the code in the README and the notebook runs unchanged", async (t) => {
    const { folder, given, close } = await storyPlace()
    t.teardown(close)
    const { token, repository } = JSON.parse(given) as { token: string; repository: { url: string; commit: string } }
    const env = {
      RESEARCH_ROOM_TOKEN: token,
      RESEARCH_ROOM_SPOOL: join(folder, "spool"),
      REPOSITORY: repository.url,
      COMMIT: repository.commit,
    }
    const lines = /python3 -c '\n([^']+)'/.exec(readFileSync(join(root, "README.md"), "utf8"))?.[1] ?? ""
    t.equal(await run(folder, ["-c", lines.replaceAll('\\"', '"')], env), "1 create_thread\n2 message\n", "the README")

    const { cells } = JSON.parse(readFileSync(join(root, ".github/notebook.ipynb"), "utf8")) as {
      cells: { cell_type: string; source: string[] }[]
    }
    const code = cells.filter((cell) => cell.cell_type === "code").map(({ source }) => source.join(""))
    // A notebook shows the value of the last line of a cell.
    const shows = code.map((cell) =>
      cell.replace(/^([a-z][\w.()]*)$/m, "print(($1)._repr_html_() if hasattr($1, '_repr_html_') else $1)"),
    )
    const text = await run(folder, ["-c", shows.join("\n")], env)
    t.match(text, /A Room to write in/, "the Room", { text })
    t.match(text, /<svg.*loss \(train\)/, "the curve of a run")
    t.match(text, /^state_conflict /m, "a refusal")
    t.match(text, /Delivered\(receipts=\[\], refused=\[\], waiting=0\)/, "nothing is waiting")
    t.match(text, /^1 room_created /m, "the feed")
  })
}
