/** The settings that attempts state, and how they part groups of measurements: settings are never merged in silence. */
import { digestOf, isObject, parse, type Stored } from "../../contract/json.ts"
import { limits } from "../../contract/limits.ts"
import { eachLeaf, flagsOf } from "../attempts/summary.ts"
import { type Launch, type Scalar, type Setting, type Source, sortedBy, textOf } from "./cells.ts"
import { Codes, type Frame } from "./frame.ts"

/** A registration's argv, configuration and environment, as one JSON list. */
export type LaunchText = Stored<readonly [argv?: unknown, configuration?: unknown, environment?: unknown]>

/** A name without case and hyphens: `--Weight-Decay` is `weight_decay`. */
export const spelled = (name: string): string => name.replace(/^-+/, "").toLowerCase().replaceAll("-", "_")
/** Folded names of lately read settings; attempts of a Room state much the same. */
const foldedNames = new Map<string, string>()
const NAMES_KEPT = 10_000

/** A name under which a setting and a dimension are the same: `--labels` is the dimension `label`. */
export function folded(name: string): string {
  const known = foldedNames.get(name)
  if (known !== undefined) return known
  const plain = spelled(name)
  const key = plain.length > 1 && plain.endsWith("s") ? plain.slice(0, -1) : plain
  if (foldedNames.size >= NAMES_KEPT) foldedNames.clear()
  foldedNames.set(name, key)
  return key
}

const NUMBER = /^[+-]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:[eE][+-]?\d{1,3})?$/

/** The value of a setting: a number or a boolean if its text is one. A long text keeps its beginning and a digest. */
function scalarOf(text: string): Scalar {
  if (NUMBER.test(text)) return Number(text)
  if (text === "true" || text === "false") return text === "true"
  if (text.length <= limits.tableCell) return text
  return `${text.slice(0, limits.tableCell - 14)}… ${digestOf(text).slice(7, 19)}`
}

/** The value of a setting that prints as the text of that value: 1e20 has too many digits for a number. */
function statedAs(text: string): Scalar {
  const value = scalarOf(text)
  return typeof value === "number" ? scalarOf(textOf(value)) : value
}

/** Settings that an attempt states more often than a table can show become one. */
const MOST = limits.tableSettings
const FURTHER = "further settings"

function read(text: LaunchText): Launch {
  const [argv, configuration, environment] = parse(text)
  const words = Array.isArray(argv) ? argv.map(String) : []
  const { flags, command } = flagsOf(words)
  const settings = new Map<string, Setting>()
  /** The texts of settings that are stated more than once. */
  const several = new Map<string, Set<string>>()
  const further: string[] = []
  const note = (name: string, text: string): void => {
    const key = folded(name)
    const known = settings.get(key)
    const value = statedAs(text)
    if (known !== undefined) several.getOrInsertComputed(key, () => new Set([textOf(known.value)])).add(textOf(value))
    else if (settings.size < MOST) settings.set(key, { name: name.replace(/^-+/, ""), value })
    else further.push(name, text)
  }
  if (isObject(configuration)) eachLeaf(configuration, "", note)
  for (const [name, value] of flags) note(name, value)
  // A configuration and a command line that differ are told as both.
  for (const [key, texts] of several)
    settings.set(key, { name: settings.get(key)?.name ?? key, value: scalarOf([...texts].join(", ")) })
  if (further.length > 0) settings.set(FURTHER, { name: FURTHER, value: digestOf(JSON.stringify(further)) })
  return { settings, command, environment: JSON.stringify(environment ?? null) }
}

/** Launches read lately; attempts of a sweep state much the same. */
const known = new Map<LaunchText, Launch>()
const KEPT = 20_000

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

/** Words of names that say where a run writes. */
const WRITES = new Set("out output outdir log logdir result save".split(" "))
/** Whether a setting says where a run writes: `--out`, `--log-dir`. The folded name has no final "s". */
const saysWhereItWrites = (key: string): boolean => key.split(/[._]/).some((word) => WRITES.has(word))

/** Repetitions: they are what a mean is taken over. */
export const isSeed = (key: string): boolean => key === "seed" || key.endsWith("_seed") || key.endsWith(".seed")

/** A setting as each attempt of a frame states it. */
interface StatedColumn {
  /** For each attempt: equal values have equal codes, and 0 is not stated. */
  readonly codes: Int32Array
  /** By code from 1: the value, and whether it may be a file or the name of a run wherever it is stated. */
  readonly scalars: readonly Scalar[]
  readonly mayBeOwn: readonly boolean[]
  /** Its first spelling by the alphabet. */
  readonly name: string
}

/** Attempts that agree in the settings that part them, by their places in the frame. */
interface Part {
  readonly places: readonly number[]
  /** By folded name; null if it is not stated. */
  readonly values: ReadonlyMap<string, Scalar | null>
}

/** The settings of the attempts of a frame, without those that a question or a dimension of its own tells. */
export class Stated {
  readonly #sources: readonly Source[]
  readonly #silent: ReadonlySet<string>
  /** For each dimension, by folded name, which attempts report it. */
  readonly #reports = new Map<string, Uint8Array>()
  readonly #columns = new Map<string, StatedColumn>()
  /** The folded names of the settings in which any of the attempts differ, sorted. */
  readonly differing: readonly string[]

  /** @param named names that the question tells in another way: its groups and its place */
  constructor({ sources, columns, sourceOf }: Frame, named: readonly string[]) {
    this.#sources = sources
    this.#silent = new Set(named.map(folded))
    for (const [name, { codes }] of columns) {
      const reports = this.#reports.getOrInsertComputed(folded(name), () => new Uint8Array(sources.length))
      for (let at = 0; at < codes.length; at += 1) if ((codes[at] ?? -1) !== -1) reports[sourceOf[at] ?? -1] = 1
    }
    const launches = new Set(sources.map(({ launch }) => launch))
    const keys = new Set<string>()
    if (launches.size > 1) for (const launch of launches) for (const key of launch?.settings.keys() ?? []) keys.add(key)
    const all = [...sources.keys()]
    this.differing = [...keys].filter((key) => !isSeed(key) && this.#differ(all, key)).sort()
  }

  #column(key: string): StatedColumn {
    return this.#columns.getOrInsertComputed(key, () => {
      const reports = this.#reports.get(key)
      const isSilent = this.#silent.has(key)
      const known = new Codes()
      const codes = new Int32Array(this.#sources.length)
      const mayBe: boolean[] = []
      let name: string | undefined
      for (let place = 0; place < codes.length && !isSilent; place += 1) {
        const setting = reports?.[place] === 1 ? undefined : this.#sources[place]?.launch?.settings.get(key)
        if (setting === undefined) continue
        const code = known.of(setting.value)
        codes[place] = code + 1
        mayBe[code] = mayBe[code] !== false && mayBeOwn(setting)
        if (name === undefined || setting.name < name) name = setting.name
      }
      return { codes, scalars: known.scalars, mayBeOwn: mayBe, name: name ?? key }
    })
  }
  #differ(places: readonly number[], key: string): boolean {
    const { codes } = this.#column(key)
    const first = codes[places[0] ?? 0]
    return places.some((place) => codes[place] !== first)
  }
  /** Whether some attempts state the same value of a setting, or all state none. */
  agree(places: readonly number[], key: string): boolean {
    return !this.#differ(places, key)
  }
  #by(places: readonly number[], keys: readonly string[]): (readonly number[])[] {
    const columns = keys.map((key) => this.#column(key).codes)
    return [...Map.groupBy(places, (place) => columns.map((codes) => codes[place]).join()).values()]
  }

  /** The value of a setting that an attempt states; null if it states none. */
  valueAt(place: number, key: string): Scalar | null {
    const { codes, scalars } = this.#column(key)
    return scalars[(codes[place] ?? 0) - 1] ?? null
  }
  /** The values that some attempts agree on; null for a setting that they do not agree on or do not state. */
  commonTo(places: readonly number[], keys: readonly string[]): Map<string, Scalar | null> {
    return new Map(keys.map((key) => [key, this.#differ(places, key) ? null : this.valueAt(places[0] ?? -1, key)]))
  }
  /** Identifies the values of an attempt. */
  codesOf(place: number, keys: readonly string[]): string {
    return keys.map((key) => this.#column(key).codes[place]).join()
  }
  /** The spelling of a setting. */
  nameOf(key: string): string {
    return this.#column(key).name
  }

  /** Whether two attempts ran the same command: they agree in all settings, besides where they write. */
  #ranTheSame(one: number, other: number): boolean {
    const [mine, theirs] = [this.#sources[one]?.launch?.settings, this.#sources[other]?.launch?.settings]
    if (mine === theirs) return true
    const keys = new Set([...(mine?.keys() ?? []), ...(theirs?.keys() ?? [])])
    const textIn = (settings: Launch["settings"] | undefined, key: string) => {
      const setting = settings?.get(key)
      return setting && textOf(setting.value)
    }
    return [...keys].every((key) => saysWhereItWrites(key) || textIn(mine, key) === textIn(theirs, key))
  }

  /**
   * Whether some attempts share a value of a setting that each may have of its own. A command that is run again writes
   * where it wrote before, which makes its place of writing no setting of the other runs.
   */
  #isShared(places: readonly number[], key: string): boolean {
    const { codes } = this.#column(key)
    const firsts = new Map<number, number>()
    let isShared = false
    for (const place of places) {
      const code = codes[place] ?? 0
      if (code === 0) continue
      const first = firsts.getOrInsert(code, place)
      isShared ||= first !== place && !(saysWhereItWrites(key) && this.#ranTheSame(first, place))
    }
    return isShared && firsts.size > 1
  }

  /**
   * Parts attempts by the settings in which they differ. A file or the name of a run parts them only if some share it.
   * @param keys the settings that may part them
   */
  parted(places: readonly number[], keys: readonly string[]): Part[] {
    const differing = keys.filter((key) => this.#differ(places, key))
    if (differing.length === 0) return [{ places, values: new Map() }]
    const isOwn = (key: string) => {
      const { codes, mayBeOwn: mayBe } = this.#column(key)
      return places.every((place) => codes[place] === 0 || mayBe[(codes[place] ?? 0) - 1] === true)
    }
    const own = differing.filter(isOwn)
    const common = differing.filter((key) => !own.includes(key))
    const parts = this.#by(places, common).map((some) => ({
      some,
      shared: own.filter((key) => this.#isShared(some, key)),
    }))
    const names = [...common, ...own.filter((key) => parts.some(({ shared }) => shared.includes(key)))]
    return parts
      .flatMap(({ some, shared }) => this.#by(some, shared))
      .map((some) => ({ places: some, values: this.commonTo(some, names) }))
  }

  /** The values of settings in which attempts differ though nothing parts them, by name; a few of each. */
  merged(places: readonly number[], keys: readonly string[]): Record<string, (Scalar | null)[]> {
    return Object.fromEntries(
      keys
        .filter((key) => this.#differ(places, key))
        .map((key) => {
          const { codes } = this.#column(key)
          const values = new Map(places.map((place) => [codes[place], this.valueAt(place, key)]))
          const some = sortedBy([...values.values()], (value) => value ?? "")
          return [this.nameOf(key), some.slice(0, limits.noiseAttempts)]
        }),
    )
  }
}
