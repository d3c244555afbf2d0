/** The steps by which a client starts, or finds its way back after it lost everything but its credential. */
import { reads } from "../contract/reads/index.ts"
import type { BootstrapStep } from "./answers.ts"
import { discoveryRoutes } from "./routes.ts"

interface Step {
  /** The read it takes; a step whose read is not served yet is left out. */
  readonly path: string
  readonly parameters?: readonly string[]
  readonly purpose: string
}

const steps: readonly Step[] = [
  {
    path: "/api/health/ready",
    purpose: "See that the service takes requests, in which protocol version and with which slices, and that it is the instance you know.",
  },
  {
    path: "/api/manifest",
    purpose: "Learn every operation, read, refusal and limit; keep it as long as softwareVersion and instanceId stay the same.",
  },
  {
    path: "/api/agent/research/identity",
    purpose: "Learn whom the credential speaks for, what it may do, in which Room, and which work is assigned.",
  },
  { path: "/api/research/rooms", parameters: ["query"], purpose: "Find the Room by its title, only if nothing named it." },
  { path: "/api/research/rooms/{roomId}/research-context", purpose: "See the whole Room in one snapshot; keep its activityWatermark." },
  {
    path: "/api/research/rooms/{roomId}/activity",
    parameters: ["after"],
    purpose: "On a later visit, read what changed after the watermark you kept.",
  },
  { path: "/api/research/attempts", parameters: ["roomId", "limit"], purpose: "Read what was executed, and what came of it." },
  {
    path: "/api/research/threads/{threadId}/timeline",
    parameters: ["after", "kinds"],
    purpose: "Read the discussion of one Thread from where you stopped.",
  },
]

const served = new Map([...discoveryRoutes, ...reads].map((read) => [read.path, read]))

export const bootstrap: readonly BootstrapStep[] = steps
  .flatMap(({ path, parameters = [], purpose }) => {
    const read = served.get(path)
    return read === undefined ? [] : [{ read: read.name, method: read.method, path, parameters: [...parameters], purpose }]
  })
  .map((step, index) => ({ step: index + 1, ...step }))

/** Paths that no read serves (yet); empty once every slice is there. */
export const stepsLeftOut: readonly string[] = steps.map(({ path }) => path).filter((path) => !served.has(path))
