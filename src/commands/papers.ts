/** `research-room papers`: what arXiv and Crossref say of papers, brought in from a file. */
import { Command } from "commander"
import { ImportError, importPapers, importSize } from "../library/papers/import.ts"
import { dataOption, UsageError } from "../settings.ts"
import { progressBar } from "./progress.ts"
import { withInstance } from "./with-instance.ts"

const FORMAT = "{bar} {percentage}% | {papers} papers | {eta_formatted} left"

async function importFile(file: string, { data }: { data: string }): Promise<void> {
  const progress = progressBar(FORMAT)
  try {
    const size = await importSize(file)
    await withInstance(
      data,
      async ({ ledger, world, tables, learning }) => {
        progress.start(size, 0, { papers: 0 })
        const { papers, skipped } = await importPapers({ ledger, world, learning }, file, {
          onProgress: (bytes, kept) => progress.update(bytes, { papers: kept }),
        })
        progress.stop()
        await ledger.transact(() => tables.audit.write({ kind: "import_papers", detail: { papers, skipped } }))
        const left = skipped === 0 ? "" : `; ${skipped} ${skipped === 1 ? "line is" : "lines are"} no paper and left out`
        console.log(`The metadata of ${papers} ${papers === 1 ? "paper is" : "papers is"} here now${left}.`)
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
  new Command("import")
    .description(
      "import metadata of papers: arXiv's snapshot or an Atom answer of its API, Crossref's public data file or a JSON answer of its API, each also gzipped; everybody here may see what was imported",
    )
    .argument("<file>")
    .addOption(dataOption())
    .action(importFile)

export const papersCommand = (): Command => new Command("papers").description("metadata of papers").addCommand(importCommand())
