/** The state tables in words, as far as their operations are served. */
import { operationNamed } from "../contract/operations/index.ts"
import { states } from "../contract/states.ts"
import { blocks, either, inCode, table } from "./markdown.ts"
import { slices } from "./slices.ts"

const spoken = (who: string): string => who.replaceAll("_", " ")

type Values = Readonly<Record<string, readonly string[]>>
/** Where a step leads: nowhere, to one state, or to the one that a property of its body names. */
type Destination = string | Values

const destination = (to: Destination): string =>
  to === "unchanged"
    ? "unchanged"
    : typeof to === "string"
      ? inCode(to)
      : Object.entries(to)
          .map(([field, words]) => `${either(words)}, as ${inCode(field)} says`)
          .join("; ")

const withValues = (values: Values): string =>
  Object.entries(values)
    .map(([field, words]) => ` with ${inCode(field)} ${either(words)}`)
    .join("")

interface Step {
  readonly from: readonly string[]
  readonly operation: string
  readonly by: string
  readonly to: Destination
  readonly values?: Values
}

function experimentStates(): string {
  const { initial, terminal } = states.experiment
  const transitions: readonly Step[] = states.experiment.transitions
  const served = transitions.filter(({ operation }) => operationNamed(operation) !== undefined)
  if (served.length === 0) return ""
  return blocks(
    `An experiment starts ${inCode(initial)}; ${either(terminal)} is final.`,
    table(
      ["From", "Operation", "By", "To"],
      served.map(({ from, operation, by, to, values = {} }) => [
        either(from),
        `${inCode(operation)}${withValues(values)}`,
        spoken(by),
        destination(to),
      ]),
    ),
  )
}

function attemptStates(): string {
  const { initial, terminal, transitions } = states.attempt
  if (!slices.includes("attempts")) return ""
  return blocks(
    `An attempt starts ${inCode(initial)}; ${either(terminal)} is final. One that started and told no outcome is unknown, not failed.`,
    table(
      ["From", "Event", "By", "To"],
      transitions.map(({ from, event, by, to }) => [either(from), inCode(event), spoken(by), inCode(to)]),
    ),
  )
}

/** A section, or nothing while no operation moves a state. */
export function stateSection(): string {
  const tables = [experimentStates(), attemptStates()].filter((part) => part !== "")
  return tables.length === 0 ? "" : blocks("## States", tables)
}
