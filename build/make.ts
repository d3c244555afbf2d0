/** Builds one executable: the Node of a platform, with the program and its contents injected. */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
// The function behind `pkg --sea FILE`. It is called directly, because the command line has no option for assets; the
// version of pkg is pinned.
import pkg from "@yao-pkg/pkg/lib-es5/sea.js"
import type { Bundle } from "./bundle.ts"
import { contentsFor } from "./contents.ts"
import { countInjectedSegment } from "./mach-o.ts"
import { signedAdHoc } from "./mach-o-signature.ts"
import { withoutSignature } from "./portable-executable.ts"

export interface Order {
  readonly os: string
  readonly cpu: string
  /** The Node to use, in the version that runs this script or one of `COMPATIBLE`. */
  readonly node: string
  readonly version: string
  /** The program and its threads. */
  readonly bundle: Bundle
  /** A folder for temporary files. */
  readonly work: string
}

/**
 * Versions of Node that write the same contents into an executable, byte for byte, so one reads what another wrote. The
 * layout changes with some minor versions, so compare `--experimental-sea-config` of two versions before you add one.
 */
const COMPATIBLE = ["26.10.0", "26.12.1"]

/** @returns the path of the executable, inside the folder `work` */
export async function make({ os, cpu, node, version, bundle, work }: Order): Promise<string> {
  const versions = [process.versions.node, version]
  if (new Set(versions).size > 1 && !versions.every((each) => COMPATIBLE.includes(each)))
    throw new Error(`Node ${versions.join(" and ")} may not read each other's contents: see COMPATIBLE.`)
  const output = join(work, `${os}-${cpu}`)
  const here = os === process.platform && cpu === process.arch
  await atHome(work, async () => {
    keep(node, os, cpu, work)
    await pkg.default(bundle.loader, {
      // Signing would call codesign, which only a Mac has; see finishForMac.
      signature: false,
      targets: [
        {
          nodeRange: `node${process.versions.node}`,
          platform: os === "darwin" ? "macos" : os === "win32" ? "win" : "linux",
          arch: cpu === "arm64" ? "arm64" : "x64",
          output,
        },
      ],
      seaConfig: {
        // The executable stores this path, so it must not be an absolute one of this machine. It is relative to pkg's
        // folder.
        ...{ main: `../${basename(bundle.loader)}` },
        disableExperimentalSEAWarning: true,
        useSnapshot: false,
        // The assets have reproducible code caches; the one that Node would make here is not reproducible.
        useCodeCache: false,
        assets: { ...contentsFor(os, cpu), ...bundle.programs, ...(here && bundle.caches) },
        // NODE_OPTIONS for other programs must not affect this one.
        ...{ execArgvExtension: "none" },
        // A signal must not open a debugger port.
        ...{ execArgv: ["--disable-sigusr1"] },
      },
    })
  })
  if (os === "win32") withoutSignature(output)
  if (os === "darwin") finishForMac(output)
  return output
}

function finishForMac(path: string): void {
  const program = readFileSync(path)
  countInjectedSegment(program)
  writeFileSync(path, signedAdHoc(program, "research-room"))
}

/** Replaces the home and temporary folders for one step, because pkg looks for downloaded Nodes below them. */
async function atHome(folder: string, act: () => Promise<void>): Promise<void> {
  const { HOME, USERPROFILE, TMPDIR, TEMP, TMP } = process.env
  Object.assign(process.env, { HOME: folder, USERPROFILE: folder, TMPDIR: folder, TEMP: folder, TMP: folder })
  try {
    await act()
  } finally {
    for (const [name, value] of Object.entries({ HOME, USERPROFILE, TMPDIR, TEMP, TMP })) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Puts a Node where pkg would have unpacked it, with the marker files of a complete download. */
function keep(node: string, os: string, cpu: string, home: string): void {
  const windows = os === "win32"
  const name = `node-v${process.versions.node}-${windows ? "win" : os}-${cpu}`
  const downloads = join(home, ".pkg-cache/sea")
  const archive = join(downloads, `${name}${windows ? ".zip" : ".tar.gz"}`)
  const binary = windows ? join(downloads, `${name}.exe`) : join(downloads, name, "bin/node")
  mkdirSync(dirname(binary), { recursive: true })
  for (const mark of [archive, `${archive}.ok`, `${binary}.ok`]) writeFileSync(mark, "")
  copyFileSync(node, binary)
  chmodSync(binary, 0o755)
  if (os === "linux") strip(node, binary, os === process.platform && cpu === process.arch)
}

/** Removes debug symbols, a fifth of Node on Linux, if a tool for that is installed. */
function strip(node: string, copy: string, runsHere: boolean): void {
  for (const tool of ["strip", "llvm-strip"]) {
    try {
      execFileSync(tool, ["--strip-all", copy], { stdio: "ignore" })
      if (runsHere) execFileSync(copy, ["--version"], { stdio: "ignore" })
      return
    } catch {
      copyFileSync(node, copy)
    }
  }
}
