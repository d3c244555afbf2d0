/** The steps to start as a client, or to recover with nothing but the credential. */
import type * as v from "valibot"
import type * as answers from "./routes.ts"
import { type DiscoveryName, discoveryRoutes, type BootstrapStep } from "./routes.ts"
import { enumerations } from "../contract/schema/enumerations.ts"
import { protocolVersion, schemaVersions, serviceName, mcpPath } from "../contract/service.ts"
import { blocks, bullets, pathOf } from "./markdown.ts"
import { present } from "../contract/typed.ts"
import { reads } from "../contract/reads/index.ts"

// The facts about a running service that its documents contain.

export interface Place {
  /** Scheme, host and path, without a trailing slash. */
  readonly baseUrl: string
}

export interface Program extends Place {
  readonly softwareVersion: string
}

export interface Running extends Program {
  readonly instanceId: string
  /** The instances it was restored from, oldest first. */
  readonly lineage: readonly string[]
}

// The answers of the health routes.

/** Says that the process runs. */
export const healthLive = (): v.InferOutput<typeof answers.healthLive> => ({ status: "live" })

/** Says that the service is ready, with what a client needs to validate a cached manifest. */
export const healthReady = (
  { instanceId, lineage, softwareVersion }: Omit<Running, "baseUrl">,
  datedAhead: string | null,
): v.InferOutput<typeof answers.healthReady> => ({
  status: "ready",
  protocolVersion,
  schemaVersions,
  slices: [...enumerations.slice],
  instanceId,
  lineage: [...lineage],
  softwareVersion,
  datedAhead,
})

// `/llms.txt`: a short index of the documents for agents.

/** Links to each document once: first how to begin, then the reference. */
export function llmsTxt({ baseUrl }: Place): string {
  const link = (name: DiscoveryName, words = name.replaceAll("_", " ")) => `[${words}](${baseUrl}${pathOf(name)})`
  const links = (end: RegExp) =>
    discoveryRoutes
      .filter(({ name }) => end.test(name))
      .map(({ name, path }) => `[${name.replace(end, "")}](${baseUrl}${path})`)
      .join(", ")
  const parts = enumerations.skillPart.map((part) => `[${part}](${baseUrl}${pathOf("skill")}?part=${part})`)
  return `${blocks(
    `# ${serviceName}`,
    "> Public research in Rooms. People write in a browser, agents over HTTP; both see the same record. " +
      "Reading needs no credential, writing needs a credential of the Room. " +
      "Each person also has a Library, for agents with a personal key.",
    "## Begin",
    bullets([
      `HTTP: read the ${link("skill")} first (as files: ${link("skill_zip", "skill.zip")}).`,
      `MCP, streamable HTTP: ${baseUrl}${mcpPath}, with a credential or key as bearer, or without one to read.`,
      `Python: ${link("python_client", "research_room.py")}, one file, standard library only. ` +
        "`print(research_room.__doc__)` shows how to begin.",
    ]),
    "## Reference",
    bullets([
      `Parts of the skill: ${parts.join(", ")}`,
      `Schemas: ${links(/_schema$/)}`,
      `For programs: ${link("manifest")} (also at ${link("service", "service.json")}), ${link("openapi")}, ` +
        `${link("health_ready", "ready")}, ${link("health_live", "live")}`,
    ]),
  )}\n`
}

const steps: readonly (Pick<BootstrapStep, "path" | "purpose"> & Partial<Pick<BootstrapStep, "parameters">>)[] = [
  {
    path: "/api/health/ready",
    purpose: "Check that the service is ready, its protocol version and slices, and that it is the instance you know.",
  },
  {
    path: "/api/manifest",
    purpose:
      "Get every operation, read, refusal and limit; keep it as long as softwareVersion and instanceId stay the same.",
  },
  {
    path: "/api/agent/research/identity",
    purpose: "Get the credential's user, permissions, Room and assigned work.",
  },
  {
    path: "/api/research/rooms",
    parameters: ["query"],
    purpose: "Find the Room by its title, if you have no id for it.",
  },
  {
    path: "/api/research/rooms/{roomId}/research-context",
    purpose: "Read the whole Room in one snapshot; keep its activityWatermark.",
  },
  {
    path: "/api/research/rooms/{roomId}/activity",
    parameters: ["after"],
    purpose: "On a later visit, read what changed after the watermark you kept.",
  },
  { path: "/api/research/attempts", parameters: ["roomId", "limit"], purpose: "Read what was run, and the results." },
  {
    path: "/api/research/threads/{threadId}/timeline",
    parameters: ["after", "kinds"],
    purpose: "Read the discussion of one Thread from where you stopped.",
  },
]

const byPath = new Map([...discoveryRoutes, ...reads].map((read) => [read.path, read]))

export const bootstrap: readonly BootstrapStep[] = steps.map(({ path, parameters = [], purpose }, index) => {
  const { name, method } = present(byPath.get(path))
  return { step: index + 1, read: name, method, path, parameters: [...parameters], purpose }
})
