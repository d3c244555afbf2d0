/**
 * The platforms of the executables: those whose Node is an optional dependency in package.json. npm installs only the
 * one of this machine; package-lock.json has the digests of the others.
 */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as v from "valibot"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

// npm writes one value or a list.
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
  /** The name in file names and for `--target`: `linux-arm64`, `win-x64`, `macos-arm64`. */
  readonly name: `${"linux" | "macos" | "win"}-${LockedNode["cpu"]}`
  /** The npm package with its Node. */
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

/** The platform of this machine, if it is among them. */
export const platformHere = platforms.find(({ node }) => node.os === process.platform && node.cpu === process.arch)

/** Returns the name of the released file in dist. */
export const releaseName = ({ name, node }: Platform): string =>
  `research-room-${name}${node.os === "win32" ? ".exe" : ""}`
