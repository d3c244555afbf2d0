/** `research-room credential`: Room credentials, for an operator without a browser. */
import { Command } from "commander"
import { enumerations } from "../contract/schema/enumerations.ts"
import { isoTime } from "../ledger/world.ts"
import { expiresOption, listOf, option, permissionsOption, UsageError } from "../settings.ts"
import { admitAs } from "./admit-as.ts"
import { personNamed, roomWithId } from "./lookups.ts"
import { jsonOption, type ListOptions, printList } from "./table.ts"
import { dataCommand, withInstance } from "./with-instance.ts"

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
  dataCommand("issue", "issue a credential for a member of a Room; its token is printed once")
    .addOption(option("--room <id>", "the Room").makeOptionMandatory())
    .addOption(option("--user <username>", "the member it acts for").makeOptionMandatory())
    .addOption(option("--label <text>", "the agent's public name (default: agent, or the first free name of agent-2, agent-3 …)"))
    .addOption(permissionsOption(enumerations.permission))
    .addOption(option("--threads <list>", "comma-separated ids of the Threads it is limited to").argParser(listOf))
    .addOption(expiresOption())
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
  dataCommand("revoke", "revoke a credential at once")
    .argument("<credential-id>")
    .action((id: string, { data }: { data: string }) =>
      withInstance(data, async (instance) => {
        const credential = instance.tables.credentials.find(id.toLowerCase())
        if (credential === undefined) throw new UsageError(`There is no credential ${id}.`)
        const { credentialId, roomId, owner } = credential
        const { revokedAt } = await admitAs(instance, owner.username, "revoke_credential", { roomId, credentialId }, {})
        console.log(`Credential ${credentialId} is revoked since ${revokedAt}.`)
      }),
    )

const list = () =>
  dataCommand("list", "list the credentials of every Room, or of one, with the start of each token and its last use")
    .addOption(option("--room <id>", "only those of this Room"))
    .addOption(option("--user <username>", "only those of this person"))
    .addOption(jsonOption())
    .action(({ data, room, user, ...format }: ListOptions & { room?: string; user?: string }) =>
      withInstance(data, (instance) => {
        const { credentials } = instance.tables
        const roomId = room === undefined ? undefined : roomWithId(instance, room)
        const userId = user === undefined ? undefined : personNamed(instance, user).userId
        const listed = (roomId === undefined ? credentials.all() : credentials.ofRoom(roomId)).filter(
          ({ owner }) => userId === undefined || owner.userId === userId,
        )
        const heading = ["CREDENTIAL ID", "ROOM ID", "MEMBER", "TOKEN", "STATE", "EXPIRES", "LAST USE", "PERMISSIONS", "LABEL"]
        printList(listed, format, heading, (credential) => [
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
