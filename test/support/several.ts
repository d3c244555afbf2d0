/** Runs the test files that `TEST_FILES` names in one process, one after the other. */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { test } from "tap"

// The tests of the files wait in line behind this one. Without it, tap would end between a file and the next.
test("the files are loaded", async () => {
  for (const file of (process.env.TEST_FILES ?? "").split(" ")) await import(pathToFileURL(resolve(file)).href)
})
