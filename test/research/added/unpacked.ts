/** A crate unpacked by third-party programs. */
import { createRequire } from "node:module"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { strFromU8, unzipSync } from "fflate"

export type Entity = {
  readonly "@id": string
  readonly "@type": string | readonly string[]
  readonly [member: string]: unknown
}

interface Result {
  readonly id: string
  readonly status: "success" | "warning" | "error"
  readonly message: string
  readonly entity?: string
}
interface Validator {
  readonly results: readonly Result[]
  readonly crate: { resolveTerm(term: string): string | undefined }
  parseJSON(json: unknown): void
  rootDataEntity(): void
  checkFiles(files: object): void
}
/**
 * The validator of ro-crate-js, missing from its type declarations. Its check of the context's address would use the
 * network.
 */
const { Validator } = createRequire(import.meta.url)("ro-crate") as { Validator: new () => Validator }

export interface Unpacked {
  /** Every file as text, by its path. */
  readonly files: ReadonlyMap<string, string>
  readonly graph: readonly Entity[]
  entity(id: string): Entity | undefined
  /** The objects of a file that has one per line. */
  lines<T>(path: string): T[]
  /** The faults the validator finds, including warnings. */
  faults(): string[]
  /** Writes the files into a folder. */
  writeTo(folder: string): void
}

export async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export function unpack(zip: Uint8Array): Unpacked {
  const files = new Map(Object.entries(unzipSync(zip)).map(([path, bytes]) => [path, strFromU8(bytes)]))
  const text = (path: string): string => files.get(path) ?? ""
  const json = JSON.parse(text("ro-crate-metadata.json")) as { readonly "@graph": readonly Entity[] }
  const graph = json["@graph"]
  return {
    files,
    graph,
    entity: (id) => graph.find((entity) => entity["@id"] === id),
    lines: <T>(path: string) =>
      text(path)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as T),

    faults() {
      const validator = new Validator()
      validator.parseJSON(json)
      validator.rootDataEntity()
      const folders = new Set([...files.keys()].flatMap((path) => (path.includes("/") ? [`${dirname(path)}/`] : [])))
      validator.checkFiles(
        Object.fromEntries(
          [...files.keys(), ...folders].map((path) => [
            path,
            { exists: true, inCrate: false, isDir: path.endsWith("/") },
          ]),
        ),
      )
      const terms = new Set(
        graph.flatMap((entity) => [
          ...Object.keys(entity).filter((name) => !name.startsWith("@")),
          ...[entity["@type"]].flat(),
        ]),
      )
      return [
        ...validator.results
          .filter(({ status }) => status !== "success")
          .map(({ entity = "", message }) => `${entity} ${message}`),
        ...[...terms]
          .filter((term) => validator.crate.resolveTerm(term) === undefined)
          .map((term) => `${term} is no term of the context`),
      ]
    },

    writeTo(folder) {
      for (const [path, content] of files) {
        mkdirSync(dirname(join(folder, path)), { recursive: true })
        writeFileSync(join(folder, path), content)
      }
    },
  }
}
