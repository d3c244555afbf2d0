/** The jobs of the processes for costly work, by name. Their modules are loaded on first use. */
import type { FileOrder } from "../../research/export/process.ts"
import type { ImageOrder } from "../../figures/image.ts"
import type { readAnswer } from "../mirrors/origin-answers.ts"
import type { PastFileOrder } from "../past/past-process.ts"

export const jobs = {
  answer: async (given: Parameters<typeof readAnswer>[0]) => (await import("../mirrors/origin-answers.ts")).readAnswer(given),
  atom: async (xml: string) => (await import("../../library/papers/atom.ts")).atomPapers(xml),
  image: async (order: ImageOrder) => (await import("../../figures/image.ts")).readImage(order),
  past: async (order: PastFileOrder) => (await import("../past/past-process.ts")).makeFile(order),
  papers: async (texts: readonly string[]) => (await import("../../library/pasted.ts")).readTexts(texts),
  crossref: async (json: string) => (await import("../../library/papers/crossref-work.ts")).crossrefPapers(json),
}

export const streams = {
  async *crate({ file, roomId, source }: FileOrder) {
    const [{ crate }, { openReadConnection }] = await Promise.all([
      import("../../research/export/crate.ts"),
      import("../../ledger/storage/opening.ts"),
    ])
    yield* crate(() => openReadConnection(file), roomId, source)
  },
  async *sqlite({ file, roomId, source }: FileOrder) {
    const [{ roomFile }, { openReadConnection }] = await Promise.all([
      import("../../research/export/sqlite-file.ts"),
      import("../../ledger/storage/opening.ts"),
    ])
    yield* roomFile(() => openReadConnection(file), roomId, source)
  },
}
