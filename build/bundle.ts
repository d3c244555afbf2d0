/** Makes the program one file of JavaScript, and each of its threads another, the same for every platform: only the addon beside them differs. */
import { resolve } from "node:path"
import { build } from "tsup"

/** The threads that the program starts, and the code of each. */
const threads = { writer: "src/app/writer-thread.ts", jobs: "src/app/jobs-thread.ts", renderer: "src/app/renderer-thread.ts" }

/** What is made: the program, and its threads by the names under which it carries them. */
export interface Bundle {
  readonly program: string
  readonly threads: Readonly<Record<string, string>>
}

/** CommonJS: only that can carry V8's code cache, which makes the start faster. Gives the files' paths. */
export async function bundleInto(folder: string): Promise<Bundle> {
  await build({
    config: false,
    silent: true,
    entry: { "research-room": "src/main.ts", ...threads },

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
  const files = Object.keys(threads).map((name) => [`${name}.cjs`, resolve(folder, `${name}.cjs`)])
  return { program: resolve(folder, "research-room.cjs"), threads: Object.fromEntries(files) as Bundle["threads"] }
}
