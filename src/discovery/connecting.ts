/** The texts that connect an agent's program, defined once for the pages, `research-room connect` and the tests. */
import { connectPaths, mcpPath } from "../contract/service.ts"

/** The values to put into the texts. */
export interface Connection {
  /** Scheme, host and path, without a trailing slash. */
  readonly baseUrl: string
  /** A credential or a personal key; a placeholder is used if left out. */
  readonly token?: string | undefined
  readonly roomId?: string | undefined
  /** "library" if the token is a personal key; left out for a Room credential. */
  readonly family?: "library"
}

export interface Guide {
  /** The name in `research-room connect`. */
  readonly name: string
  readonly title: string
  /** A sentence that says where the text goes. */
  readonly where: string
  readonly form: "sh" | "json" | "toml" | "text"
  text(connection: Connection): string
}

/** The environment variables that the programs read. */
export const variables = [
  ["RESEARCH_ROOM_URL", "The address of this service."],
  ["RESEARCH_ROOM_TOKEN", "The agent's token. Keep it out of files that others read."],
  ["RESEARCH_ROOM_SPOOL", "The folder for writes that could not be delivered yet. You can leave it out."],
] as const

const TOKEN = "RESEARCH_ROOM_TOKEN"
const SERVER = "research-room"
const PLACEHOLDER = "PASTE_THE_TOKEN_HERE"
const tokenOf = ({ token }: Connection): string => token ?? PLACEHOLDER
const identityOf = ({ family }: Connection) => (family === "library" ? "library_identity" : "identity")
const mcpOf = ({ baseUrl }: Connection): string => `${baseUrl}${mcpPath}`
const bearer = (reference: string) => ({ Authorization: `Bearer ${reference}` })
const json = (value: object): string => JSON.stringify(value, null, 2)
const servers = (server: object): string => json({ mcpServers: { [SERVER]: server } })

/** Sets the environment variables for the other texts. */
export const environment: Guide = {
  name: "environment",
  title: "Environment",
  where: "Run this in the shell from which you start the agent's program.",
  form: "sh",
  text: (connection) =>
    `export RESEARCH_ROOM_URL=${connection.baseUrl}\nexport ${TOKEN}=${tokenOf(connection)}\nexport ` +
    `RESEARCH_ROOM_SPOOL="$HOME/.research-room/spool"`,
}

const fromEnvironment = `It reads ${TOKEN} from the environment, so the file holds no secret.`

/** Programs that speak MCP, then those that use HTTP. */
export const programs: readonly Guide[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    where: `Save this as .mcp.json in the project's folder. ${fromEnvironment}`,
    form: "json",
    text: (connection) => servers({ type: "http", url: mcpOf(connection), headers: bearer(`\${${TOKEN}}`) }),
  },
  {
    name: "claude-code-add",
    title: "Claude Code, with its command",
    where: "Run this in the project's folder. It stores the token in your own settings.",
    form: "sh",
    text: (connection) =>
      `claude mcp add --transport http ${SERVER} ${mcpOf(connection)} --header "Authorization: Bearer $${TOKEN}"`,
  },
  {
    name: "codex",
    title: "Codex",
    where: `Add this to ~/.codex/config.toml. ${fromEnvironment}`,
    form: "toml",
    text: (connection) =>
      `[mcp_servers.${SERVER}]\nurl = ${JSON.stringify(mcpOf(connection))}\nbearer_token_env_var = "${TOKEN}"`,
  },
  {
    name: "cursor",
    title: "Cursor",
    where: `Save this as .cursor/mcp.json in the project's folder. ${fromEnvironment}`,
    form: "json",
    text: (connection) => servers({ url: mcpOf(connection), headers: bearer(`\${env:${TOKEN}}`) }),
  },
  {
    name: "vscode",
    title: "VS Code",
    where: "Save this as .vscode/mcp.json in the project's folder. VS Code asks for the token and keeps it.",
    form: "json",
    text: (connection) =>
      json({
        inputs: [
          { type: "promptString", id: "research-room-token", description: "The token of the agent", password: true },
        ],
        servers: {
          [SERVER]: { type: "http", url: mcpOf(connection), headers: bearer(`\${input:research-room-token}`) },
        },
      }),
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    where: `Add this to .gemini/settings.json in the project's folder. ${fromEnvironment}`,
    form: "json",
    text: (connection) => servers({ httpUrl: mcpOf(connection), headers: bearer(`\${${TOKEN}}`) }),
  },
  {
    name: "opencode",
    title: "opencode",
    where: `Add this to opencode.json in the project's folder. ${fromEnvironment}`,
    form: "json",
    text: (connection) =>
      json({
        $schema: "https://opencode.ai/config.json",
        mcp: { [SERVER]: { type: "remote", url: mcpOf(connection), enabled: true, headers: bearer(`{env:${TOKEN}}`) } },
      }),
  },
  {
    name: "command",
    title: "A program that starts a command, such as Claude Desktop",
    where: "Add this to its MCP settings. It holds the token, and needs research-room on this machine.",
    form: "json",
    text: (connection) =>
      servers({
        command: "research-room",
        args: ["mcp"],
        env: { RESEARCH_ROOM_URL: connection.baseUrl, [TOKEN]: tokenOf(connection) },
      }),
  },
  {
    name: "python",
    title: "Python",
    where:
      "Run this after the lines of the environment. It needs Python 3.9 or newer and no package. " +
      "After that, python3 research_room.py run --experiment ID -- COMMAND reports any command as an attempt.",
    form: "sh",
    text: (connection) =>
      `curl -sSO "$RESEARCH_ROOM_URL/research_room.py"\npython3 -c 'from research_room import Room; ` +
      `print(Room().get_${identityOf(connection)}().username)'`,
  },
  {
    name: "curl",
    title: "curl",
    where: "Run this after the lines of the environment.",
    form: "sh",
    text: (connection) =>
      `curl -sS "$RESEARCH_ROOM_URL${connectPaths[identityOf(connection)]}" -H "Authorization: Bearer $${TOKEN}"`,
  },
]

/** Installs the skill as a folder, for programs that read the open format of Agent Skills. */
export const skillInstall: Guide = {
  name: "skill",
  title: "Skill",
  where: "Run this in the project's folder. Claude Code looks in .claude/skills instead of .agents/skills.",
  form: "sh",
  text: () => `curl -sSO "$RESEARCH_ROOM_URL${connectPaths.skill_zip}"\npython3 -m zipfile -e skill.zip .agents/skills`,
}

/** The first message to the agent. */
export const firstPrompt: Guide = {
  name: "prompt",
  title: "First prompt",
  where: "Give this to the agent, with its task after it.",
  form: "text",
  text: ({ baseUrl, roomId = "{roomId}" }) => `You take part in a research Room at ${baseUrl}.
If you have the tools of the MCP server ${SERVER}, begin with whoami, then brief.
If not, read ${baseUrl}${connectPaths.skill} first. Your credential is in the environment variable ${TOKEN}. \
Send it as Authorization: Bearer, to this address only. Begin with GET ${connectPaths.identity}, \
then GET ${connectPaths.room_brief.replace("{roomId}", roomId)}?format=markdown.
Never print the credential.`,
}

export const guides: readonly Guide[] = [environment, ...programs, skillInstall, firstPrompt]
