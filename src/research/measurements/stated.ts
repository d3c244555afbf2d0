/** The settings that attempts state, and how they part groups of measurements: settings are never merged in silence. */
import { digestOf, isObject, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { leaves, flagsOf } from "../attempts/settings.ts"
import { type Scalar, sortedBy, textOf } from "./cells.ts"

/** A setting as its attempt spelled it. */
interface Setting {
  readonly name: string
  readonly value: Scalar
}
/** What an attempt was started with. */
export interface Launch {
  /** By folded name. */
  readonly settings: ReadonlyMap<string, Setting>
  /** The words of its command line that are no flags. */
  readonly command: string
  readonly environment: string
}

/** A registration's argv, configuration and environment, as one JSON list. */
export type LaunchText = Stored<readonly [argv?: unknown, configuration?: unknown, environment?: unknown]>

/** A name without case and hyphens: `--Weight-Decay` is `weight_decay`. */
export const spelled = (name: string): string => name.replace(/^-+/, "").toLowerCase().replaceAll("-", "_")
/** A name under which a setting and a dimension are the same: `--labels` is the dimension `label`. */
export const folded = (name: string): string => {
  const plain = spelled(name)
  return plain.length > 1 && plain.endsWith("s") ? plain.slice(0, -1) : plain
}

const NUMBER = /^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:[eE][+-]?\d{1,3})?$/

/** The value of a setting: a number or a boolean if its text is one. A long text keeps its beginning and a digest. */
function scalarOf(text: string): Scalar {
  if (NUMBER.test(text)) return Number(text)
  if (text === "true" || text === "false") return text === "true"
  if (text.length <= limits.tableCell) return text
  return `${text.slice(0, limits.tableCell - 14)}… ${digestOf(text).slice(7, 19)}`
}

/** Settings that an attempt states more often than a table can show become one. */
const MOST = limits.tableSettings
const FURTHER = "further settings"

function read(text: LaunchText): Launch {
  const [argv, configuration, environment] = parse(text)
  const words = Array.isArray(argv) ? argv.map(String) : []
  const { flags, command } = flagsOf(words)
  const found = new Map<string, { name: string; texts: string[] }>()
  const further: string[] = []
  const note = (name: string, value: string): void => {
    const key = folded(name)
    const known = found.get(key)
    if (known !== undefined) known.texts.push(value)
    else if (found.size < MOST) found.set(key, { name: name.replace(/^-+/, ""), texts: [value] })
    else further.push(name, value)
  }
  for (const [name, value] of isObject(configuration) ? leaves(configuration, "") : []) note(name, value)
  for (const [name, value] of flags) note(name, value)
  if (further.length > 0) found.set(FURTHER, { name: FURTHER, texts: [digestOf(JSON.stringify(further))] })
  const settings = new Map(
    [...found].map(([key, { name, texts }]) => {
      // A configuration and a command line that differ are told as both.
      const values = [...new Set(texts.map((each) => textOf(scalarOf(each))))]
      return [key, { name, value: scalarOf(values.join(", ")) }]
    }),
  )
  return { settings, command, environment: JSON.stringify(environment ?? null) }
}

/** Launches read lately; attempts of a sweep state much the same. */
const known = new Map<LaunchText, Launch>()
const KEPT = 5_000

/** Reads what an attempt states; equal texts give the same object. */
export function launchOf(text: LaunchText): Launch {
  const found = known.get(text)
  if (found !== undefined) return found
  const launch = read(text)
  if (known.size >= KEPT) known.clear()
  known.set(text, launch)
  return launch
}

/** The last words of names that say where a run writes or what it is called. */
const OWN_NAMES = new Set(
  "name id out output file path dir folder log run tag save checkpoint note title prefix suffix comment".split(" "),
)
/** A path, or a file with an ending. */
const FILE = /[/\\]|\.[A-Za-z][A-Za-z0-9]{0,5}$/

/** Whether a setting may be a file or the name of a run. */
const mayBeOwn = ({ name, value }: Setting): boolean =>
  typeof value === "string" && (FILE.test(value) || OWN_NAMES.has(spelled(name).split(/[._]/).at(-1) ?? ""))

/** Repetitions: they are what a mean is taken over. */
const isSeed = (key: string): boolean => key === "seed" || key.endsWith("_seed") || key.endsWith(".seed")

/** An attempt whose settings may part it from others. */
export interface Stating {
  readonly launch?: Launch | undefined
}

/** The settings of a table that a member states, without those that a dimension tells. */
export type SettingOf<M> = (member: M, key: string) => Setting | undefined

/** The folded names of the settings in which some members differ, sorted. */
export function varying<M extends Stating>(members: readonly M[], settingOf: SettingOf<M>): string[] {
  const launches = new Set(members.map(({ launch }) => launch))
  if (launches.size < 2) return []
  const keys = new Set([...launches].flatMap((launch) => [...(launch?.settings.keys() ?? [])]))
  return [...keys].filter((key) => !isSeed(key) && differ(members, key, settingOf)).sort()
}

const statedBy = <M>(member: M, key: string, settingOf: SettingOf<M>): Scalar | null =>
  settingOf(member, key)?.value ?? null
const textAt = <M>(member: M, key: string, settingOf: SettingOf<M>): string => {
  const value = statedBy(member, key, settingOf)
  return value === null ? "" : textOf(value)
}

function differ<M>(members: readonly M[], key: string, settingOf: SettingOf<M>): boolean {
  const [first] = members
  const text = first === undefined ? "" : textAt(first, key, settingOf)
  return members.some((member) => textAt(member, key, settingOf) !== text)
}

/** Members that agree in the settings that part them. */
export interface Part<M> {
  readonly members: readonly M[]
  /** By folded name; null if it is not stated. */
  readonly values: ReadonlyMap<string, Scalar | null>
}

/**
 * Parts members by the settings in which they differ. A file or the name of a run parts them only if some share it.
 * @param keys the settings that vary anywhere in the table
 */
export function parted<M>(members: readonly M[], keys: readonly string[], settingOf: SettingOf<M>): Part<M>[] {
  const differing = keys.filter((key) => differ(members, key, settingOf))
  if (differing.length === 0) return [{ members, values: new Map() }]
  const isOwn = (key: string) =>
    members.every((member) => {
      const setting = settingOf(member, key)
      return setting === undefined || mayBeOwn(setting)
    })
  const soft = differing.filter(isOwn)
  const by = (some: readonly M[], names: readonly string[]) => [
    ...Map.groupBy(some, (member) => JSON.stringify(names.map((key) => textAt(member, key, settingOf)))).values(),
  ]
  const hard = differing.filter((key) => !soft.includes(key))
  const parts = by(members, hard).map((some) => {
    const shared = soft.filter((key) => {
      const texts = some.map((member) => textAt(member, key, settingOf)).filter((text) => text !== "")
      return new Set(texts).size > 1 && new Set(texts).size < texts.length
    })
    return { some, shared }
  })
  const names = [...hard, ...soft.filter((key) => parts.some(({ shared }) => shared.includes(key)))]
  return parts
    .flatMap(({ some, shared }) => by(some, shared))
    .map((some) => ({
      members: some,
      values: new Map(
        names.map((key) => {
          const first = some[0]
          const isOne = first !== undefined && !differ(some, key, settingOf)
          return [key, isOne ? statedBy(first, key, settingOf) : null]
        }),
      ),
    }))
}

/** The values of settings in which members differ though nothing parts them, by name; a few of each. */
export function mergedIn<M>(
  members: readonly M[],
  keys: readonly string[],
  settingOf: SettingOf<M>,
): Record<string, (Scalar | null)[]> {
  return Object.fromEntries(
    keys
      .filter((key) => differ(members, key, settingOf))
      .map((key) => {
        const values = new Map(
          members.map((member) => [textAt(member, key, settingOf), statedBy(member, key, settingOf)]),
        )
        const known = sortedBy([...values.values()], (value) => value ?? "")
        return [nameOf(members, key, settingOf), known.slice(0, limits.issues)]
      }),
  )
}

/** The spelling of a setting among some members. */
export function nameOf<M>(members: readonly M[], key: string, settingOf: SettingOf<M>): string {
  const names = members.flatMap((member) => settingOf(member, key)?.name ?? [])
  return names.reduce((least, name) => (name < least ? name : least), names[0] ?? key)
}
