/** Highlights code in the languages common in research. Other languages and long code stay plain. */
import highlighter from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import c from "highlight.js/lib/languages/c"
import cpp from "highlight.js/lib/languages/cpp"
import diff from "highlight.js/lib/languages/diff"
import ini from "highlight.js/lib/languages/ini"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import julia from "highlight.js/lib/languages/julia"
import latex from "highlight.js/lib/languages/latex"
import python from "highlight.js/lib/languages/python"
import r from "highlight.js/lib/languages/r"
import rust from "highlight.js/lib/languages/rust"
import sql from "highlight.js/lib/languages/sql"
import typescript from "highlight.js/lib/languages/typescript"
import yaml from "highlight.js/lib/languages/yaml"
import { limits } from "../contract/limits.ts"
import { escapeHtml } from "../contract/text.ts"

const short: Readonly<Record<string, string>> = {
  "c++": "cpp",
  js: "javascript",
  jl: "julia",
  py: "python",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  tex: "latex",
  toml: "ini",
  ts: "typescript",
  yml: "yaml",
}
const languages = new Map<string, unknown>(
  Object.entries({ bash, c, cpp, diff, ini, javascript, json, julia, latex, python, r, rust, sql, typescript, yaml }),
)

/** Registers a language on first use. */
function isKnown(name: string): boolean {
  if (highlighter.getLanguage(name) === undefined && languages.has(name))
    highlighter.registerLanguage(name, languages.get(name))
  return languages.has(name)
}

/**
 * Markup of code, with classes only from the highlighter's own set. @param info the fence's info string, with the
 * language
 */
export function coloured(code: string, info: string): string {
  const name = /^[A-Za-z+#]{1,20}/.exec(info.trim())?.[0]?.toLowerCase() ?? ""
  const language = short[name] ?? name
  if (code.length > limits.colouredCode || !isKnown(language)) return escapeHtml(code)
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value
}
