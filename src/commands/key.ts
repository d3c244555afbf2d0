/** `research-room key`: personal keys to a person's Library, for an operator without a browser. */
import { Command } from "commander"
import { enumerations } from "../contract/schema/enumerations.ts"
import { dataOption, option, UsageError } from "../settings.ts"
import { admitAs, listOf, personNamed } from "./admit-as.ts"
import { jsonOption, printList } from "./table.ts"
import { withInstance } from "./with-instance.ts"

interface IssueOptions {
  readonly data: string
  readonly user: string
  readonly label: string
  readonly permissions: string[]
  readonly reach: string
  readonly collections?: string[]
  readonly expires?: string
  readonly agent?: string
}

const issue = () =>
  new Command("issue")
    .description("issue a personal key to a person's Library; its token is printed once")
    .addOption(dataOption())
    .addOption(option("--user <username>", "the person whose Library it opens").makeOptionMandatory())
    .addOption(option("--label <text>", "what it is for").default("command line"))
    .addOption(
      option("--permissions <list>", "comma-separated")
        .argParser(listOf)
        .default([...enumerations.libraryPermission], "all of them"),
    )
    .addOption(
      option("--reach <reach>", "how far it reaches")
        .choices([...enumerations.keyReach])
        .default("all"),
    )
    .addOption(option("--collections <list>", "comma-separated ids of the Collections of a selected reach").argParser(listOf))
    .addOption(option("--expires <time>", "when it expires, such as 2027-01-31T00:00:00Z (default: in 90 days)"))
    .addOption(option("--agent <name>", "the agent that will hold it"))
    .action((options: IssueOptions) =>
      withInstance(options.data, async (instance) => {
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
      }),
    )

const revoke = () =>
  new Command("revoke")
    .description("revoke a personal key at once")
    .argument("<key-id>")
    .addOption(dataOption())
    .action((given: string, { data }: { data: string }) =>
      withInstance(data, async (instance) => {
        const key = instance.tables.library.keys.find(given.toLowerCase())
        if (key === undefined) throw new UsageError(`There is no key ${given}.`)
        const { revokedAt } = await admitAs(instance, key.owner.username, "revoke_key", { keyId: key.keyId }, {})
        console.log(`Key ${key.keyId} is revoked since ${revokedAt}.`)
      }),
    )

const list = () =>
  new Command("list")
    .description("list everybody's personal keys, or one person's; each with the first signs of its token, and when it was last used")
    .addOption(dataOption())
    .addOption(option("--user <username>", "of this person alone"))
    .addOption(jsonOption())
    .action(({ data, user, ...how }: { data: string; user?: string; json?: boolean }) =>
      withInstance(data, (instance) => {
        const { keys } = instance.tables.library
        printList(
          user === undefined ? keys.all() : keys.ofPerson(personNamed(instance, user).userId),
          how,
          ["KEY ID", "PERSON", "TOKEN", "REACH", "STATE", "EXPIRES", "LAST USE", "PERMISSIONS", "LABEL"],
          ({ keyId, owner, tokenStart, reach, revokedAt, expiresAt, lastUsedAt, permissions, label }) => [
            keyId,
            owner.username,
            tokenStart === null ? "" : `${tokenStart}…`,
            reach,
            revokedAt === null ? "" : "revoked",
            expiresAt,
            lastUsedAt ?? "never",
            permissions.join(","),
            label,
          ],
        )
      }),
    )

export const keyCommand = (): Command =>
  new Command("key").description("personal keys to the Library").addCommand(issue()).addCommand(revoke()).addCommand(list())
