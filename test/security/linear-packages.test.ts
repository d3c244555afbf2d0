/**
 * No regular expression that the program loads from a package takes more than linear time on a stranger's text.
 * Exceptions are listed here, with what bounds each.
 */
import { globSync, readFileSync } from "node:fs"
import { test } from "tap"
import { inputsOf } from "../../build/inputs.ts"
import { programs, service } from "../../tsup.config.ts"
import { growing, type Pattern, writtenIn } from "./patterns.ts"

/** Packages whose every expression reads this program's own text, or runs under a time limit. */
const bounded: Readonly<Record<string, string>> = {
  ms: "reads an environment variable of whoever starts the program",
  rou3: "reads the routes of this program",
  commander: "reads the command line of whoever starts the program",
  "highlight.js": "runs on the thread that renders, which is ended after `renderingMilliseconds`",
  temml: "runs on the thread that renders",
  "markdown-it": "runs on the thread that renders",
  mdurl: "runs on the thread that renders",
  "linkify-it": "runs on the thread that renders",
  "fast-xml-parser": "runs in a process for parsing, which is ended after `parsingSeconds`",
  strnum: "runs in a process for parsing",
  "is-unsafe": "runs in a process for parsing",
  "xml-naming": "runs in a process for parsing",
  "@retorquere/bibtex-parser":
    "runs in a process for parsing, on entries of `bibtexEntry` characters: test/library/hostile-bibtex.test.ts",
  "lodash.merge": "merges the options of @retorquere/bibtex-parser, in that process",
}
/** Single expressions, by package and first characters. */
const single: Readonly<Record<string, string>> = {
  "zod /^-+|-+$/g": "makes slugs, which nothing here asks for",
  "@modelcontextprotocol/server /\\{[^}\\s]+\\}/": "reads the templates of this program's own resources",
  "@modelcontextprotocol/server /^(?:https?|ftp)": "a format of Ajv, which does not validate here",
  "@modelcontextprotocol/server /^(?:[a-z][a-z0-9": "a format of Ajv, which does not validate here",
  "@modelcontextprotocol/server /=+$/": "reads the two `=` at most at the end of base64",
  "oauth4webapi /^\\s+(.*)$/": "reads a header of an identity provider; Node takes 16 KiB of headers",
  "ipaddr.js /%.+$/": "reads hosts of parsed addresses, which hold no `%`, and what DNS and the operator's flags say",
  "h3 /^basic +(.+)$/i": "reads passwords of a kind that nothing here asks for",
}

/** The readers of bibliographies, and the only files that may call them. */
const inProcess: Readonly<Record<string, readonly string[]>> = {
  readBibtex: ["src/library/pasted.ts"],
  readTexts: ["src/app/jobs/jobs-thread.ts"],
}

const packageOf = (file: string): string =>
  /^(?:@[^/]+\/)?[^/]+/.exec(file.slice(file.lastIndexOf("node_modules/") + "node_modules/".length))?.[0] ?? file

test("the packages that read strangers' texts are linear, or bounded", async (t) => {
  // What reads files in other formats is in processes with a time limit.
  const { jobs: _, ...entry } = programs
  const { outputs } = await inputsOf({ ...service, entry, splitting: false })
  const files = new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
        bytesInOutput > 0 && file.includes("node_modules/") && !file.endsWith(".json") && !(packageOf(file) in bounded)
          ? [file]
          : [],
      ),
    ),
  )
  t.ok(files.size > 20)
  const patterns = [...files].flatMap((file) =>
    writtenIn(file).patterns.map((pattern) => ({ ...pattern, file: packageOf(file) })),
  )
  const isNamed = (pattern: Pattern) =>
    Object.keys(single).some((name) => `${pattern.file} /${pattern.source}/${pattern.flags}`.startsWith(name))
  t.strictSame(await growing(patterns.filter((pattern) => !isNamed(pattern))), [])
  for (const name of Object.keys(single))
    t.ok(
      patterns.some((pattern) => `${pattern.file} /${pattern.source}/${pattern.flags}`.startsWith(name)),
      `${name} is still needed`,
    )
})

test("only a process for parsing, which is ended after a time, reads bibliographies", async (t) => {
  for (const [name, callers] of Object.entries(inProcess)) {
    const called = globSync("src/**/*.ts").filter((file) => {
      const text = readFileSync(file, "utf8")
      return new RegExp(`(?<!function )\\b${name}\\(`).test(text)
    })
    t.strictSame(called.sort(), callers, name)
  }
})
