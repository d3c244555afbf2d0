/** Makes one executable: a platform's Node with the program, and what it carries, written into it. */
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
// pkg's own function behind `pkg --sea FILE`. Its command line cannot be told what to carry, so it
// is called directly; its version is pinned.
import pkg from "@yao-pkg/pkg/lib-es5/sea.js"
import type { Bundle } from "./bundle.ts"
import { contentsFor } from "./contents.ts"
import { countInjectedSegment } from "./mach-o.ts"
import { signedAdHoc } from "./mach-o-signature.ts"
import { withoutSignature } from "./portable-executable.ts"

export interface Order {
  readonly os: string
  readonly cpu: string
  /** The Node it is made of, of the version that runs this script. */
  readonly node: string
  /** The program and its threads. */
  readonly bundle: Bundle
  /** A folder for what is needed on the way. */
  readonly work: string
}

/** Gives the path of the executable, inside the folder `work`. */
export async function make({ os, cpu, node, bundle, work }: Order): Promise<string> {
  const output = join(work, `${os}-${cpu}`)
  const here = os === process.platform && cpu === process.arch
  await atHome(work, async () => {
    keep(node, os, cpu, work)
    await pkg.default(bundle.loader, {
      // It would call codesign, which only a Mac has; see below.
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
        // It is kept inside as it is written here, so the whole path would be of this machine: this one leads out of pkg's folder.
        ...{ main: `../${basename(bundle.loader)}` },
        disableExperimentalSEAWarning: true,
        useSnapshot: false,
        // The program's own are among what it carries: the same at each making, which the cache made here is not.
        useCodeCache: false,
        assets: { ...contentsFor(os, cpu), ...bundle.programs, ...(here && bundle.caches) },
        // NODE_OPTIONS meant for other programs must not change this one.
        ...{ execArgvExtension: "none" },
        // A signal must not open a debugger's port.
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

/** pkg looks below the home folder for the Nodes it has downloaded, and works in a temporary one, so for this one step both are another. */
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

/** Lays a Node where pkg would have unpacked it, with the marks it leaves when it has downloaded, checked and unpacked one. */
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

/** Debug symbols are a fifth of Node on Linux, and nothing here reads them; they go where there is a tool that can. */
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
