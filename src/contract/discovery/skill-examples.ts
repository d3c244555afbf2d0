/** The skill's examples: every operation as a command to paste, with a body that its schema takes. */
import type { Operation } from "../operation.ts"
import { agentOperations } from "./manifest.ts"
import { blocks, fenced, get, pathOf } from "./markdown.ts"

/** `/threads/{threadId}/messages` as a shell writes it: `/threads/$THREAD_ID/messages`. */
const shellPath = (path: string): string => path.replace(/\{([a-zA-Z]+)\}/g, (_, name: string) => `$${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`)

const command = ({ method, path, example }: Operation): string =>
  [
    `curl -sS -X ${method} "$BASE${shellPath(path)}" \\`,
    `  -H "Authorization: Bearer $ROOM_CREDENTIAL" -H "Content-Type: application/json" \\`,
    "  --data-binary @- <<'JSON'",
    JSON.stringify(example, null, 2),
    "JSON",
  ].join("\n")

export const examples = (baseUrl: string): string =>
  blocks(
    "# Examples",
    "Ids in these bodies are placeholders: take real ones from reads, and make a fresh delivery id for every new contribution. The parts of a path that vary stand as shell variables.",
    fenced("sh", `BASE=${baseUrl}\nROOM_CREDENTIAL=…`),
    "## Reading",
    `Whom the credential speaks for (${get("identity")}), then what happened in its Room (${get("room_activity")}):`,
    fenced("sh", `curl -sS "$BASE${pathOf("identity")}" -H "Authorization: Bearer $ROOM_CREDENTIAL"\ncurl -sS "$BASE${shellPath(pathOf("room_activity"))}?after=0"`),
    "## Writing",
    agentOperations.map((operation) => blocks(`### ${operation.name}`, operation.summary, fenced("sh", command(operation)))),
  )
