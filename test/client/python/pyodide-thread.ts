/** A thread in which Pyodide runs story.py. Each request is sent by the parent thread while this one waits. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parentPort, workerData } from "node:worker_threads"
import { loadPyodide } from "pyodide"

const { folder, given, shared } = workerData as { folder: string; given: string; shared: SharedArrayBuffer }
const flag = new Int32Array(shared, 0, 2)

function ask(method: string, url: string, headers: string, body: unknown): Uint8Array {
  Atomics.store(flag, 0, 0)
  parentPort?.postMessage({
    asked: {
      method,
      url,
      headers: JSON.parse(headers),
      body: body instanceof Uint8Array ? new Uint8Array(body) : null,
    },
  })
  Atomics.wait(flag, 0, 0)
  return new Uint8Array(shared, 8, flag[1]).slice()
}

// Set explicitly, because with source maps Pyodide would look for it beside its sources.
const indexURL = dirname(fileURLToPath(import.meta.resolve("pyodide")))
const say = (line: string) => parentPort?.postMessage({ line })
const python = await loadPyodide({ indexURL, stdout: say, stderr: say, env: { HOME: "/home/pyodide", STORY: given } })
for (const name of ["research_room.py", "story.py"])
  python.FS.writeFile(`/home/pyodide/${name}`, readFileSync(join(folder, name)))
python.globals.set("ask", ask)
try {
  await python.runPythonAsync(`
import json, sys
sys.path.insert(0, "/home/pyodide")
import story

def through(method, url, headers, body, seconds):
    from pyodide.ffi import to_js
    whole = ask(method, url, json.dumps(dict(headers)), None if body is None else to_js(body)).to_bytes()
    head, _, content = whole.partition(b"\\n")
    head = json.loads(head)
    return head["status"], head["headers"], content

story.main(through)
`)
} catch (error) {
  say(String(error))
}
parentPort?.postMessage({ ended: "" })
