/** Asks `check_text` of statements with known answers, and counts how many it gets right. */
import type { Statement } from "./statements.ts"

interface Answered {
  readonly numbers: readonly {
    readonly text: string
    readonly start: number
    readonly state: string
    readonly is?: {
      readonly kind: string
      readonly of: { readonly label: string | null } | null
      readonly metric?: unknown
      readonly group?: Readonly<Record<string, unknown>>
    }
  }[]
}

const isFound = (state: string | undefined): boolean => state === "resolves" || state === "setting" || state === "moved"

/** Whether a number was resolved, and to where it belongs. */
function judge({ text, number, place }: Statement, { numbers }: Answered) {
  const at = text.indexOf(number)
  const end = at + number.length
  const found = numbers.find(({ start }) => start >= at && start < end)
  if (!isFound(found?.state)) return { isFound: false, isRight: false, found }
  const { kind, of, metric, group = {} } = found?.is ?? { kind: "", of: null }
  const isKind = place.kind === "setting" ? kind === "setting" || kind === "dimension" : kind === place.kind
  const isRight =
    isKind &&
    (place.metric === undefined || metric === place.metric) &&
    (place.arm === undefined || group.arm === place.arm) &&
    (place.kind !== "metric" || of?.label === place.label)
  return { isFound: true, isRight, found }
}

export interface Score {
  readonly right: { readonly all: number; readonly resolved: number }
  readonly altered: { readonly all: number; readonly unresolved: number }
  /** What went wrong, one line each. */
  readonly faults: readonly string[]
}

export async function scoreOf(
  statements: readonly Statement[],
  check: (statement: Statement) => Promise<Answered>,
): Promise<Score> {
  const faults: string[] = []
  let [rightAll, resolved, alteredAll, unresolved] = [0, 0, 0, 0]
  for (const statement of statements) {
    const { isFound: found, isRight, found: number } = judge(statement, await check(statement))
    if (statement.altered === null) {
      rightAll += 1
      if (isRight) resolved += 1
    } else {
      alteredAll += 1
      if (!found) unresolved += 1
    }
    if (statement.altered === null ? !isRight : found)
      faults.push(`${statement.altered ?? "right"}: ${statement.text} [${statement.number}] ${JSON.stringify(number)}`)
  }
  return { right: { all: rightAll, resolved }, altered: { all: alteredAll, unresolved }, faults }
}
