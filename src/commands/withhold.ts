/**
 * `research-room withhold`: withholds parts of a public record, for an operator without a browser, in data that no
 * service uses.
 */
import type { Command } from "commander"
import type { Instance } from "../app/compose/instance.ts"
import { enumerations } from "../contract/schema/enumerations.ts"
import type { NamedWrite } from "../ledger/journal/withheld.ts"
import { oneLine, shortened } from "../contract/text.ts"
import { option, UsageError } from "../settings.ts"
import { admitAs, dataCommand, operatorNamed, withInstance } from "./with-instance.ts"

interface Options {
  readonly data: string
  readonly sequence?: string
  readonly entry?: string
  readonly record?: string
  readonly fields?: string
  readonly reason?: string
  readonly explanation?: string
  readonly by?: string
}

/** The most characters of a text in the list of what can be withheld. */
const SHOWN = 70

async function writeNamedBy({ sequence, entry, record }: Options): Promise<NamedWrite> {
  const { isUuid } = await import("../contract/schema/fields.ts")
  const given = [sequence, entry, record].filter((each) => each !== undefined)
  if (given.length !== 1) throw new UsageError("Give exactly one of --sequence, --entry and --record.")
  if (sequence !== undefined && /^[1-9][0-9]{0,14}$/.test(sequence)) return { sequence: Number(sequence) }
  if (entry !== undefined && isUuid(entry)) return { entryId: entry.toLowerCase() }
  if (record !== undefined && isUuid(record)) return { versionId: record.toLowerCase() }
  throw new UsageError(`${given[0]} is not ${sequence === undefined ? "an id" : "the number of an entry"}.`)
}

async function withhold(room: string, options: Options): Promise<void> {
  const roomId = room.toLowerCase()
  const of = await writeNamedBy(options)
  const { data, fields, reason, explanation } = options
  const isListing = fields === undefined && reason === undefined && explanation === undefined
  if (!isListing && (fields === undefined || reason === undefined || explanation === undefined))
    throw new UsageError(
      "--fields, --reason and --explanation must be given together. Without them the command lists what can be " +
        "withheld.",
    )
  const work = async (instance: Instance): Promise<void> => {
    const { withheld, audit } = instance.tables
    const write = withheld.write(roomId, of)
    if (write === undefined) throw new UsageError(`There is no such write in a Room ${room}.`)
    if (isListing) {
      const [{ copiesOf }, { withWords }, { databaseFile }] = await Promise.all([
        import("../app/compose/backup-places.ts"),
        import("../contract/nouns/withholding.ts"),
        import("../ledger/storage/opening.ts"),
      ])
      console.log(
        `Entry ${write.sequence} of the Room's activity, ${write.target.label ?? write.target.kind}. ` +
          "The texts that can be withheld, each with its place for --fields:",
      )
      for (const { place, text, isWithheld } of withheld.passages(write))
        console.log(`${place}  ${isWithheld ? "(withheld)" : shortened(oneLine(withWords(text)), SHOWN)}`)
      console.log(
        "Ids, labels, digests, the author and the time stay. This cannot be undone. " +
          `After it is withheld here:\n${copiesOf(databaseFile(data), audit, true)}`,
      )
      return
    }
    // Completes an earlier withholding that met a full disk.
    await instance.ledger.cleanse()
    const body = { of, fields: (fields ?? "").split(","), reason, explanation }
    const result = await admitAs(instance, operatorNamed(instance, options.by), "withhold_content", { roomId }, body)
    console.log(
      `Withheld of entry ${write.sequence}: ${(Array.isArray(result.fields) ? result.fields : []).join(", ")}.`,
    )
    console.log(String(result.mayStillHold ?? ""))
  }
  await withInstance(data, work, { alone: !isListing })
}

export const withholdCommand = (): Command =>
  dataCommand(
    "withhold",
    "withhold texts of a public record for good, in data that no service uses (for a running service, " +
      "use its page); without --fields, list what can be withheld",
  )
    .argument("<room>", "the Room's id")
    .addOption(option("--sequence <number>", "the write, by its entry in the Room's activity"))
    .addOption(option("--entry <id>", "or by an entry in a timeline"))
    .addOption(option("--record <id>", "or by the record it made"))
    .addOption(option("--fields <places>", "places in the body, such as /text, separated by commas"))
    .addOption(option("--reason <reason>", "why").choices(enumerations.withholdingReason))
    .addOption(option("--explanation <text>", "a public sentence that says why"))
    .addOption(option("--by <username>", "the operator who does it (the default if there is only one)"))
    .action(withhold)
