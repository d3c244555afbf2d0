/** The steps to start as a client, or to recover with nothing but the credential. */
import { present } from "../contract/present.ts"
import { reads } from "../contract/reads/index.ts"
import type { BootstrapStep } from "./answers.ts"
import { discoveryRoutes } from "./routes.ts"

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
