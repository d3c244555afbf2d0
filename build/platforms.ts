/**
 * The platforms an executable is made for: those whose Node stands among the optional dependencies of package.json. npm installs
 * the one of the machine at hand; what the others are, and their exact contents, package-lock.json says.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as v from "valibot"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

// npm writes one value or a list of them.
const oneOf = <const T extends string>(...values: readonly T[]) =>
  v.pipe(
    v.union([v.string(), v.tuple([v.string()])]),
    v.transform((value) => (typeof value === "string" ? value : value[0])),
    v.picklist(values),
  )

const locked = v.object({
  version: v.string(),
  resolved: v.pipe(v.string(), v.url()),
  integrity: v.pipe(v.string(), v.startsWith("sha512-")),
  os: oneOf("linux", "darwin", "win32"),
  cpu: oneOf("x64", "arm64"),
  bin: v.object({ node: v.string() }),
})
export type LockedNode = v.InferOutput<typeof locked>

export interface Platform {
  /** How people call it, in file names and after `--target`: `linux-arm64`, `win-x64`, `macos-arm64`. */
  readonly name: `${"linux" | "macos" | "win"}-${LockedNode["cpu"]}`
  /** The npm package that brings its Node. */
  readonly package: string
  readonly node: LockedNode
}

const called = { linux: "linux", darwin: "macos", win32: "win" } as const

const { optionalDependencies } = v.parse(
  v.object({ optionalDependencies: v.record(v.string(), v.string()) }),
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")),
)
const { packages } = v.parse(
  v.object({ packages: v.record(v.string(), v.unknown()) }),
  JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")),
)

export const platforms: readonly Platform[] = Object.keys(optionalDependencies)
  .filter((name) => name.startsWith("node-"))
  .map((name) => {
    const node = v.parse(locked, packages[`node_modules/${name}`])
    return { name: `${called[node.os]}-${node.cpu}` as const, package: name, node }
  })

/** The platform of the machine at hand, where there is one for it. */
export const platformHere = platforms.find(({ node }) => node.os === process.platform && node.cpu === process.arch)

/** The file that is given away, in dist. */
export const releaseName = ({ name, node }: Platform): string => `research-room-${name}${node.os === "win32" ? ".exe" : ""}`
