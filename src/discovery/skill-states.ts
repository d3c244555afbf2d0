/** The state tables in prose. */
import { states } from "../contract/states.ts"
import { blocks, either, inCode, table } from "./markdown.ts"

const inProse = (name: string): string => name.replaceAll("_", " ")

type Values = Readonly<Record<string, readonly string[]>>
/** The state after a step: a fixed one, or the one that a property of the body names. */
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
  return blocks(
    `An experiment starts ${inCode(initial)}; ${either(terminal)} is final.`,
    table(
      ["From", "Operation", "By", "To"],
      transitions.map(({ from, operation, by, to, values = {} }) => [
        either(from),
        `${inCode(operation)}${withValues(values)}`,
        inProse(by),
        destination(to),
      ]),
    ),
  )
}

function attemptStates(): string {
  const { initial, terminal, transitions } = states.attempt
  return blocks(
    `An attempt starts ${inCode(initial)}; ${either(terminal)} is final. One that started without a reported ` +
      "outcome is unknown, not failed.",
    table(
      ["From", "Event", "By", "To"],
      transitions.map(({ from, event, by, to }) => [either(from), inCode(event), inProse(by), inCode(to)]),
    ),
  )
}

export const stateSection = (): string => blocks("## States", experimentStates(), attemptStates())
