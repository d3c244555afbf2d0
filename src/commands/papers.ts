/** `research-room papers`: imports the metadata of papers from files of arXiv and Crossref. */
import { Command } from "commander"
import { UsageError } from "../settings.ts"
import { counted } from "../web/words.ts"
import { dataCommand, withInstance } from "./with-instance.ts"

const FORMAT = "{bar} {percentage}% | {papers} papers | {eta_formatted} left"

async function importFile(file: string, { data }: { data: string }): Promise<void> {
  const [{ ImportError, importPapers, importSize }, { progressBar }] = await Promise.all([
    import("../library/papers/import.ts"),
    import("./progress-bar.ts"),
  ])
  const progress = progressBar(FORMAT)
  try {
    const size = await importSize(file)
    await withInstance(
      data,
      async ({ ledger, world, tables, metadataIntake }) => {
        progress.start(size, 0, { papers: 0 })
        const { papers, skipped } = await importPapers({ ledger, world, metadataIntake }, file, {
          onProgress: (bytes, kept) => progress.update(bytes, { papers: kept }),
        })
        progress.stop()
        await ledger.transact(() => tables.audit.write({ kind: "import_papers", detail: { papers, skipped } }))
        const left =
          skipped === 0 ? "" : ` ${counted(skipped, "line")} without a paper ${skipped === 1 ? "was" : "were"} skipped.`
        console.log(`The metadata of ${counted(papers, "paper")} was imported.${left}`)
      },
      { make: true },
    )
  } catch (error) {
    throw error instanceof ImportError ? new UsageError(error.message) : error
  } finally {
    progress.stop()
  }
}

const importCommand = () =>
  dataCommand(
    "import",
    "import metadata of papers: arXiv's snapshot or an Atom response of its API, Crossref's public data file or a " +
      "JSON response of its API, plain or gzipped; all users of the instance see it",
  )
    .argument("<file>")
    .action(importFile)

export const papersCommand = (): Command =>
  new Command("papers").description("metadata of papers").addCommand(importCommand())
