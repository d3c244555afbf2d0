/** Crates that a third party has altered. */
import { createHash } from "node:crypto"
import { strToU8, zipSync } from "fflate"
import { unpack } from "./unpacked.ts"

/** The crate of a forger who knows that files have digests, and recomputes them. */
export function forged(zip: Uint8Array, changes: Readonly<Record<string, (text: string) => string>>): Uint8Array {
  const { files } = unpack(zip)
  const all = new Map(files)
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
  const metadata = JSON.parse(files.get("ro-crate-metadata.json") ?? "") as { "@graph": Record<string, unknown>[] }
  for (const [path, change] of Object.entries(changes)) {
    const text = change(files.get(path) ?? "")
    all.set(path, text)
    const of = metadata["@graph"].find((each) => each["@id"] === path)
    if (of !== undefined) Object.assign(of, { sha256: sha256(text), contentSize: String(Buffer.byteLength(text)) })
  }
  all.set("ro-crate-metadata.json", JSON.stringify(metadata))
  return zipSync(Object.fromEntries([...all].map(([path, text]) => [path, strToU8(text)])))
}
/** Replaces a value of a JSON file. */
export const json = (change: (value: Record<string, unknown>) => object) => (text: string) =>
  `${JSON.stringify(change(JSON.parse(text) as Record<string, unknown>))}\n`
