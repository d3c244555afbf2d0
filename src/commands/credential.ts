/** `research-room credential`: Room credentials, for an operator without a browser. */
import { Command } from "commander"
import { enumerations } from "../contract/schema/enumerations.ts"
import { isoTime } from "../ledger/world.ts"
import { dataOption, option, UsageError } from "../settings.ts"
import { admitAs, listOf, personNamed } from "./admit-as.ts"
import { jsonOption, printList } from "./table.ts"
import { withInstance } from "./with-instance.ts"

interface IssueOptions {
  data: string
  room: string
  user: string
  label?: string
  permissions: string[]
  threads?: string[]
  expires?: string
}

const issue = () =>
  new Command("issue")
    .description("issue a credential for a member of a Room; its token is printed once")
    .addOption(dataOption())
    .addOption(option("--room <id>", "the Room").makeOptionMandatory())
    .addOption(option("--user <username>", "the member it speaks for").makeOptionMandatory())
    .addOption(
      option("--label <text>", "the agent's name, which everybody sees (default: agent, or the first of agent-2, agent-3 … that is free)"),
    )
    .addOption(
      option("--permissions <list>", "comma-separated")
        .argParser(listOf)
        .default([...enumerations.permission], "all of them"),
    )
    .addOption(option("--threads <list>", "comma-separated ids of Threads to which it is limited").argParser(listOf))
    .addOption(option("--expires <time>", "when it expires, such as 2027-01-31T00:00:00Z (default: in 90 days)"))
    .action((options: IssueOptions) =>
      withInstance(options.data, async (instance) => {
        const { permissions, threads: threadIds, expires: expiresAt } = options
        const roomId = options.room.toLowerCase()
        const { userId } = personNamed(instance, options.user)
        const label = options.label ?? instance.tables.credentials.freeName(roomId, userId, "agent", isoTime(instance.world.now()))
        const body = { label, permissions, ...(threadIds && { threadIds }), ...(expiresAt && { expiresAt }) }
        const { credentialId, token, expiresAt: until } = await admitAs(instance, options.user, "issue_credential", { roomId }, body)
        console.error(`Credential ${credentialId}, until ${until}. Its agent is called ${label}. The token is shown this once:`)
        console.log(token)
      }),
    )

const revoke = () =>
  new Command("revoke")
    .description("revoke a credential at once")
    .argument("<credential-id>")
    .addOption(dataOption())
    .action((given: string, { data }: { data: string }) =>
      withInstance(data, async (instance) => {
        const credential = instance.tables.credentials.find(given.toLowerCase())
        if (credential === undefined) throw new UsageError(`There is no credential ${given}.`)
        const { credentialId, roomId, owner } = credential
        const { revokedAt } = await admitAs(instance, owner.username, "revoke_credential", { roomId, credentialId }, {})
        console.log(`Credential ${credentialId} is revoked since ${revokedAt}.`)
      }),
    )

const list = () =>
  new Command("list")
    .description("list the credentials of every Room, or of one; each with the first signs of its token, and when it was last used")
    .addOption(dataOption())
    .addOption(option("--room <id>", "of this Room alone"))
    .addOption(option("--user <username>", "of this person alone"))
    .addOption(jsonOption())
    .action(({ data, room, user, ...how }: { data: string; room?: string; user?: string; json?: boolean }) =>
      withInstance(data, (instance) => {
        const { credentials, rooms } = instance.tables
        const roomId = room?.toLowerCase()
        if (roomId !== undefined && rooms.openingThread(roomId) === undefined) throw new UsageError(`There is no Room ${room}.`)
        const userId = user === undefined ? undefined : personNamed(instance, user).userId
        const listed = (roomId === undefined ? credentials.all() : credentials.ofRoom(roomId)).filter(
          ({ owner }) => userId === undefined || owner.userId === userId,
        )
        const heading = ["CREDENTIAL ID", "ROOM ID", "MEMBER", "TOKEN", "STATE", "EXPIRES", "LAST USE", "PERMISSIONS", "LABEL"]
        printList(listed, how, heading, (credential) => [
          credential.credentialId,
          credential.roomId,
          credential.owner.username,
          credential.tokenStart === null ? "" : `${credential.tokenStart}…`,
          credential.revokedAt === null ? "" : "revoked",
          credential.expiresAt,
          credential.lastUsedAt ?? "never",
          credential.permissions.join(","),
          credential.label,
        ])
      }),
    )

export const credentialCommand = (): Command =>
  new Command("credential").description("Room credentials").addCommand(issue()).addCommand(revoke()).addCommand(list())
