/**
 * The Library, for an operator without a browser: `research-room key` for personal keys, and `research-room papers` for
 * the metadata of papers.
 */
import { Command } from "commander"
import { enumerations } from "../contract/schema/enumerations.ts"
import { expiresOption, listOf, option, permissionsOption, UsageError } from "../settings.ts"
import { accessColumns, jsonOption, type ListOptions, printList, tokenColumn } from "./terminal.ts"
import { admitAs, dataCommand, personNamed, withInstance } from "./with-instance.ts"
import { counted } from "../web/words.ts"

interface IssueOptions {
  readonly user: string
  readonly label: string
  readonly permissions: string[]
  readonly reach: string
  readonly collections?: string[]
  readonly expires?: string
  readonly agent?: string
}

const issue = () =>
  dataCommand("issue", "issue a personal key to a person's Library; its token is printed once")
    .addOption(option("--user <username>", "the person whose Library it opens").makeOptionMandatory())
    .addOption(option("--label <text>", "what it is for").default("command line"))
    .addOption(permissionsOption(enumerations.libraryPermission))
    .addOption(
      option("--reach <reach>", "which Collections it opens")
        .choices([...enumerations.keyReach])
        .default("all"),
    )
    .addOption(
      option("--collections <list>", "with a selected reach: comma-separated ids of the Collections").argParser(listOf),
    )
    .addOption(expiresOption())
    .addOption(option("--agent <name>", "the agent that will hold it"))
    .work(async (instance, options: IssueOptions) => {
      const { label, permissions, reach, collections: collectionIds, expires: expiresAt, agent } = options
      const body = {
        label,
        permissions,
        reach,
        ...(collectionIds && { collectionIds }),
        ...(expiresAt && { expiresAt }),
        ...(agent && { agent: { name: agent } }),
      }
      const { keyId, token, expiresAt: until } = await admitAs(instance, options.user, "issue_key", {}, body)
      console.error(`Key ${keyId}, until ${until}. The token is shown this once:`)
      console.log(token)
    })

const revoke = () =>
  dataCommand("revoke", "revoke a personal key at once")
    .argument("<key-id>")
    .work(async (instance, id: string) => {
      const key = instance.tables.library.keys.find(id.toLowerCase())
      if (key === undefined) throw new UsageError(`There is no key ${id}.`)
      const { revokedAt } = await admitAs(instance, key.owner.username, "revoke_key", { keyId: key.keyId }, {})
      console.log(`Key ${key.keyId} is revoked since ${revokedAt}.`)
    })

const list = () =>
  dataCommand(
    "list",
    "list the personal keys of everybody, or of one person, with the start of each token and its last use",
  )
    .addOption(option("--user <username>", "only those of this person"))
    .addOption(jsonOption())
    .work((instance, { user, ...format }: ListOptions & { user?: string }) => {
      const { keys } = instance.tables.library
      printList(user === undefined ? keys.all() : keys.ofPerson(personNamed(instance, user).userId), format, {
        "KEY ID": "keyId",
        PERSON: ({ owner }) => owner.username,
        TOKEN: tokenColumn,
        REACH: "reach",
        ...accessColumns,
      })
    })

export const keyCommand = (): Command =>
  new Command("key")
    .description("personal keys to the Library")
    .addCommand(issue())
    .addCommand(revoke())
    .addCommand(list())

// `research-room papers`: imports metadata from files of arXiv and Crossref.

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
