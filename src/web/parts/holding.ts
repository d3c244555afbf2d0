/** Who holds an experiment, and for how long. */
import type { AnswerOf } from "../../contract/reads/index.ts"
import { type Html, html } from "../html.ts"
import { clock, person } from "./parts.ts"

type Held = Pick<AnswerOf<"experiment">, "assignee" | "lease">

/** Until when a lease lasts, after the name of its holder; nothing without one. */
export const untilWhen = (lease: Held["lease"] | undefined): Html | null =>
  lease == null ? null : html` until ${clock(lease.until)}${lease.lapsed ? "; the lease has lapsed" : null}`

/** "held by ada · agent lab-3 until 14:20 UTC; the lease has lapsed" */
export const heldBy = ({ assignee, lease }: Held): Html =>
  assignee === null ? html`nobody has it` : html`held by ${person(assignee)}${untilWhen(lease)}`
