/** Makes the program one file of JavaScript, and its writing thread another, the same for every platform: only the addon beside them differs. */
import { resolve } from "node:path"
import { build } from "tsup"

/** What is made: the program, and the thread that it starts. */
export interface Bundle {
  readonly program: string
  readonly writer: string
}

/** CommonJS: only that can carry V8's code cache, which makes the start faster. Gives the files' paths. */
export async function bundleInto(folder: string): Promise<Bundle> {
  await build({
    config: false,
    silent: true,
    entry: { "research-room": "src/main.ts", writer: "src/app/writer-thread.ts" },
    outDir: folder,
    format: "cjs",
    platform: "node",
    target: "node26",
    noExternal: [/.*/],
    removeNodeProtocol: false,
    shims: true,
    esbuildPlugins: [
      {
        name: "addon-from-inside",
        setup({ onResolve }) {
          onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
            importer.includes("better-sqlite3") ? { path: resolve("build/addon.ts") } : null,
          )
        },
      },
    ],
  })
  return { program: resolve(folder, "research-room.cjs"), writer: resolve(folder, "writer.cjs") }
}
