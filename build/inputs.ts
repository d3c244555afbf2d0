/** Bundles without keeping the result, to see what goes into it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, type Options } from "tsup"

type Plugin = NonNullable<Options["esbuildPlugins"]>[number]
type OnEnd = Parameters<Parameters<Plugin["setup"]>[0]["onEnd"]>[0]
/** esbuild's description of the files that it read and wrote. */
export type Metafile = NonNullable<Parameters<OnEnd>[0]["metafile"]>

/** @param options one of the bundles of tsup.config.ts */
export async function inputsOf(options: Options): Promise<Metafile> {
  const outDir = mkdtempSync(join(tmpdir(), "research-room-bundle-"))
  let metafile: Metafile | undefined
  const note: Plugin = { name: "note", setup: ({ onEnd }) => onEnd((result) => void (metafile = result.metafile)) }
  try {
    const esbuildPlugins = [...(options.esbuildPlugins ?? []), note]
    await build({ ...options, config: false, plugins: [], outDir, esbuildPlugins })
  } finally {
    rmSync(outDir, { recursive: true, force: true })
  }
  if (metafile === undefined) throw new Error("The bundler did not say what it read.")
  return metafile
}
