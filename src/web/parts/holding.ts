/** Who holds an experiment, and for how long. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Html, html } from "../html.ts"
import { clock, person } from "./parts.ts"

type Held = Pick<AnswerOf<"experiment">, "assignee" | "lease">

/** The end of a lease, as text after its holder's name. Null without a lease. */
export const untilWhen = (lease: Held["lease"] | undefined): Html | null =>
  lease == null ? null : html` until ${clock(lease.until)}${lease.lapsed ? "; the lease has lapsed" : null}`

/** The holder of an experiment: "held by ada · agent lab-3 until 14:20 UTC; the lease has lapsed". */
export const heldBy = ({ assignee, lease }: Held): Html =>
  assignee === null ? html`nobody has it` : html`held by ${person(assignee)}${untilWhen(lease)}`
