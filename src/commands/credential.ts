/** `research-room credential`: Room credentials, for an operator without a browser. */
import { Command } from "commander"
import { enumerations } from "../contract/schema/enumerations.ts"
import { expiresOption, listOf, option, permissionsOption, UsageError } from "../settings.ts"
import { accessColumns, jsonOption, type ListOptions, printList, tokenColumn } from "./terminal.ts"
import { admitAs, dataCommand, personNamed, roomWithId } from "./with-instance.ts"

interface IssueOptions {
  readonly room: string
  readonly user: string
  readonly label?: string
  readonly permissions: string[]
  readonly threads?: string[]
  readonly expires?: string
}

const issue = () =>
  dataCommand("issue", "issue a credential for a member of a Room; its token is printed once")
    .addOption(option("--room <id>", "the Room").makeOptionMandatory())
    .addOption(option("--user <username>", "the member it acts for").makeOptionMandatory())
    .addOption(
      option(
        "--label <text>",
        "the agent's public name (default: agent, or the first free name of agent-2, agent-3 …)",
      ),
    )
    .addOption(permissionsOption(enumerations.permission))
    .addOption(option("--threads <list>", "comma-separated ids of the Threads it is limited to").argParser(listOf))
    .addOption(expiresOption())
    .work(async (instance, options: IssueOptions) => {
      const { permissions, threads: threadIds, expires: expiresAt } = options
      const { isoTime } = await import("../ledger/world.ts")
      const roomId = options.room.toLowerCase()
      const { userId } = personNamed(instance, options.user)
      const label =
        options.label ?? instance.tables.credentials.freeName(roomId, userId, "agent", isoTime(instance.world.now()))
      const body = { label, permissions, ...(threadIds && { threadIds }), ...(expiresAt && { expiresAt }) }
      const {
        credentialId,
        token,
        expiresAt: until,
      } = await admitAs(instance, options.user, "issue_credential", { roomId }, body)
      console.error(
        `Credential ${credentialId}, until ${until}. Its agent is called ${label}. The token is shown this once:`,
      )
      console.log(token)
    })

const revoke = () =>
  dataCommand("revoke", "revoke a credential at once")
    .argument("<credential-id>")
    .work(async (instance, id: string) => {
      const credential = instance.tables.credentials.find(id.toLowerCase())
      if (credential === undefined) throw new UsageError(`There is no credential ${id}.`)
      const { credentialId, roomId, owner } = credential
      const { revokedAt } = await admitAs(instance, owner.username, "revoke_credential", { roomId, credentialId }, {})
      console.log(`Credential ${credentialId} is revoked since ${revokedAt}.`)
    })

const list = () =>
  dataCommand("list", "list the credentials of every Room, or of one, with the start of each token and its last use")
    .addOption(option("--room <id>", "only those of this Room"))
    .addOption(option("--user <username>", "only those of this person"))
    .addOption(jsonOption())
    .work((instance, { room, user, ...format }: ListOptions & { room?: string; user?: string }) => {
      const { credentials } = instance.tables
      const roomId = room === undefined ? undefined : roomWithId(instance, room)
      const userId = user === undefined ? undefined : personNamed(instance, user).userId
      const listed = (roomId === undefined ? credentials.all() : credentials.ofRoom(roomId)).filter(
        ({ owner }) => userId === undefined || owner.userId === userId,
      )
      printList(listed, format, {
        "CREDENTIAL ID": "credentialId",
        "ROOM ID": "roomId",
        MEMBER: ({ owner }) => owner.username,
        TOKEN: tokenColumn,
        ...accessColumns,
      })
    })

export const credentialCommand = (): Command =>
  new Command("credential").description("Room credentials").addCommand(issue()).addCommand(revoke()).addCommand(list())
