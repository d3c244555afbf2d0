/**
 * The building blocks of every body. A validator made from these accepts exactly what its exported JSON Schema accepts:
 * lengths count code points, patterns are the same expressions, and unknown properties are refused at every depth.
 */
import * as v from "valibot"
import { each } from "../typed.ts"
import { isObject } from "../json.ts"
import { enumerations } from "./enumerations.ts"
import { limits } from "../limits.ts"

// The forms of strings, written in what the regular expressions of ECMA-262, Rust, RE2 and Python have in common: no
// lookaround, no `\s` (they disagree on its characters), and no `\u` escape in the exported pattern.

/** White space and line ends of ECMA-262, as members of a class. */
const SPACE = "\\t-\\r\\x20\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
/** A character in the path of an address: neither white space nor a control character. */
const SIGN = `[^\\x00-\\x1f${SPACE}]`
const of = (source: string) => new RegExp(`^${source}$`, "u")

export const CLEAN = of("[^\\x00]*")
/**
 * Text without NUL, with at least one character that is not white space. Matches without backtracking: texts are long.
 */
export const READABLE = of(`[${SPACE}]*[^${SPACE}\\x00][^\\x00]*`)

/** Hexadecimal digits. */
const hex = (count: number) => `[0-9a-fA-F]{${count}}`
/** A UUID of any version, or one of the two whose digits are all the same. */
export const UUID = of(
  `(?:${hex(8)}-${hex(4)}-[1-8]${hex(3)}-[89abAB]${hex(3)}-${hex(12)}` +
    "|0{8}-0{4}-0{4}-0{4}-0{12}|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})",
)
export const KEY = /^[a-z][a-z0-9_]{0,63}$/u
export const DIMENSION = /^[a-z][a-z0-9_]{0,31}$/u
/** A dimension with one of its values, such as `arm:baseline`. */
export const PLACE = /^[a-z][a-z0-9_]{0,31}:[^,]{1,64}$/u
/** The name of a setting, such as `updates` or `optimizer.lr`. */
export const SETTING = /^-{0,2}[A-Za-z_][A-Za-z0-9_. -]{0,63}$/u
/** One line without a comma, and without white space around it. */
const TAG = of(`[^\\x00-\\x1f,${SPACE}](?:[^\\x00-\\x1f,]*[^\\x00-\\x1f,${SPACE}])?`)
export const DECIMAL = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/u
export const USERNAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/u
export const DIGEST = /^sha256:[0-9a-f]{64}$/u
export const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u

/** Years with four digits in UTC, whatever the offset: 0001 to 9998. */
const YEAR = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-8][0-9]{3}|9[0-8][0-9]{2}|99[0-8][0-9]|999[0-8])"
const LONG = "(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
const SHORT = "(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
const FOURTH = "(?:0[48]|[2468][048]|[13579][26])"
const DAY = `(?:${YEAR}-(?:${LONG}|${SHORT}|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}${FOURTH}|${FOURTH}00)-02-29)`
const HOUR = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
/** RFC 3339 with any offset, on days that exist. */
export const TIME = of(`${DAY}T${HOUR}:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-]${HOUR})`)

const MONTH = "(?:0[1-9]|1[0-2])"
/** The archives of 1991 to 2007; some had subject classes. */
const ARCHIVE =
  "(?:(?:cs|math|nlin|q-bio)(?:\\.[A-Z]{2})?|acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn" +
  "|chem-ph|cmp-lg|comp-gas|cond-mat|dg-ga|funct-an|gr-qc|hep-(?:ex|lat|ph|th)|math-ph|mtrl-th|nucl-(?:ex|th)" +
  "|patt-sol|physics|plasm-ph|q-alg|quant-ph|solv-int|supr-con)"
/** New ids name a month; old ones (1991 to 2007) name an archive of that time, sometimes with a subject class. */
const ARXIV = of(
  `(?:[0-9]{2}${MONTH}\\.[0-9]{4,5}|${ARCHIVE}\\/(?:9[1-9]|0[0-7])${MONTH}[0-9]{3})(?:v[1-9][0-9]{0,2})?`,
)

/** A DOI, in either letter case. */
export const DOI = /^10\.[0-9]{4,9}(?:\.[0-9]{1,9})*\/[!-~]+$/u
/** A paper id: an arXiv id, a DOI, an ISBN of 13 digits, or a digest of the description that a person gave. */
const PAPER = of(
  `(?:${[ARXIV, DOI].map(({ source }) => source.slice(1, -1)).join("|")}|isbn:97[89][0-9]{10}|ref:[0-9a-f]{24})`,
)

const HOST = "[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]{1,5})?"
const OWNED = "[A-Za-z0-9._-]+/[A-Za-z0-9._-]+"
export const REPOSITORY = of(`https://${HOST}/${OWNED}`)
/** A digest, or a path at a commit of a repository. */
export const MATERIAL = of(
  `(?:sha256:[0-9a-f]{64}|hf://(?:models|datasets|spaces)/${OWNED}@[0-9a-f]{40}(?:/${SIGN}+)?|git://${HOST}/${OWNED}` +
    `@(?:[0-9a-f]{40}|[0-9a-f]{64})(?:/${SIGN}+)?)`,
)
/** The salt of a sealed plan. */
export const SALT = of("[0-9a-f]{32,128}")
export const CURRENCY = of("[A-Z]{3}")
/** An address that names a place and no user. */
export const LOCATION = of(`(?:https://|(?:s3|gs|hf|git|doi|ipfs):/*)[^\\x00-\\x1f${SPACE}/?#@\\\\]+(?:[/?#]${SIGN}*)?`)

/**
 * A pattern in its exported form. Characters beyond Latin-1 are written out: the languages have no escape in common.
 */
export const portable = ({ source }: RegExp): string =>
  source
    .replaceAll("\\/", "/")
    .replace(/\\u([0-9a-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))

/**
 * Whether a text that ends with a line end must be refused in addition to the pattern, because Python's `$` also
 * matches before a final line end. Patterns of texts and of a dimension with its value accept line ends anyway.
 */
export const refusesLines = (pattern: RegExp): boolean => !pattern.test("a\n") && !pattern.test("a:a\n")

// The fields.

/**
 * Refuses lone surrogates. UTF-8 cannot encode them, so other validators never meet one, and patterns do not mention
 * them.
 */
export const wellFormed = v.check<string, string>(
  (text) => text.isWellFormed(),
  "must be a string without lone surrogates",
)

/** A string of `min` to `max` code points that matches `pattern`; `title` is the name of its type in the documents. */
const bounded = (title: string, pattern: RegExp, min: number, max: number, what: string) =>
  v.pipe(
    v.string("must be a string"),
    v.title(title),
    v.regex(pattern, `must be ${what}`),
    wellFormed,
    v.minCodePoints(min, `must have at least ${min} characters`),
    v.maxCodePoints(max, `must have at most ${max} characters`),
  )

/** Text for people: 1 to `max` characters, at least one of them not white space. */
export const text = (max: number) =>
  bounded(
    "text",
    READABLE,
    1,
    max,
    "text with at least one character that is not a space, without NUL and lone surrogates",
  )

/** A string of 1 to `max` characters for programs (a name, a unit, a password). It may be only white space. */
export const plain = (max: number, min = 1) =>
  bounded("string", CLEAN, min, max, "a string without NUL and lone surrogates")

/** An id, accepted in either letter case and converted to lower case. */
export const uuid = v.pipe(
  v.string("must be a string"),
  v.title("UUID"),
  v.metadata({ format: "uuid" }),
  v.regex(UUID, "must be a UUID"),
  v.toLowerCase(),
)

/** Whether `value` is a well-formed id; only those are looked up. */
export const isUuid = (value: string): boolean => UUID.test(value)

export const key = v.pipe(
  v.string("must be a string"),
  v.title("key"),
  v.regex(KEY, "must be a key: a lower-case letter, then at most 63 of a-z, 0-9 and _"),
)
export const decimal = bounded("decimal", DECIMAL, 1, limits.decimal, "a decimal number such as -12.50")
/** A moment in RFC 3339, converted to UTC with milliseconds. */
export const time = v.pipe(
  v.string("must be a string"),
  v.title("time"),
  v.metadata({ format: "date-time" }),
  v.regex(TIME, "must be a time such as 2026-11-20T09:30:00.000Z"),
  v.transform((value) => new Date(value).toISOString()),
)
/** Removes the version and the subject class from an arXiv id. */
const bareArxivId = (id: string): string => id.replace(/v[0-9]+$/, "").replace(/\.[A-Z]{2}\//, "/")
/** An arXiv id of the new or the old style, converted to one without version and subject class: `hep-th/9901001`. */
export const arxivId = v.pipe(
  v.string("must be a string"),
  v.regex(ARXIV, "must be an arXiv id such as 2401.01234 or hep-th/9901001"),
  v.transform(bareArxivId),
)

/** The start of the DOIs that arXiv gives its papers. */
const ARXIV_DOI = "10.48550/arxiv."

export const isArxivId = (paperId: string): boolean => ARXIV.test(paperId)
export const isDoi = (paperId: string): boolean => paperId.startsWith("10.") && paperId.includes("/")

/** The paper id for a DOI: the arXiv id if arXiv gave the DOI, else the DOI in lower case. */
export function paperOfDoi(doi: string): string {
  const lower = doi.toLowerCase()
  const id = lower.startsWith(ARXIV_DOI)
    ? doi.slice(ARXIV_DOI.length).replace(/^[A-Za-z-]+/, (archive) => archive.toLowerCase())
    : ""
  return isArxivId(id) ? bareArxivId(id) : lower
}

/** A paper id, converted to its only form: an arXiv id without version, a DOI in lower case. */
export const paperId = v.pipe(
  bounded(
    "paper id",
    PAPER,
    1,
    limits.paperId,
    "an arXiv id, a DOI, isbn: with 13 digits, or a paperId from this service",
  ),
  v.transform((id) => (isDoi(id) ? paperOfDoi(id) : isArxivId(id) ? bareArxivId(id) : id)),
)

/** A person's username, accepted in either letter case and converted to lower case. */
export const username = v.pipe(
  bounded(
    "username",
    USERNAME,
    limits.usernameMin,
    limits.usernameMax,
    "made of letters, digits, dot, dash and underscore, with a letter or digit at both ends",
  ),
  v.toLowerCase(),
)
/** The name of an agent, which is the label of its credential. */
export const agentName = plain(limits.credentialLabel)
/** A person's own tag, accepted in either letter case and converted to lower case. */
export const tag = v.pipe(
  bounded("tag", TAG, 1, limits.tag, "one line without a comma, and without white space around it"),
  v.transform((value) => value.normalize().toLowerCase()),
)
/**
 * A whole number from `min`, small enough that every JSON reader keeps it exact.
 * @param message what is said of a value that is no number
 */
export const whole = (min = 0, message: v.ErrorMessage<v.NumberIssue> = "must be a number") =>
  v.pipe(v.number(message), v.safeInteger("must be a whole number"), v.minValue(min, `must be at least ${min}`))

export const oneOf = <const T extends readonly string[]>(options: T) =>
  v.picklist(options, `must be one of ${options.join(", ")}`)

/** Whether a validator is for an object, so that its entries can be read. */
export const isShape = (schema: v.GenericSchema): schema is v.StrictObjectSchema<v.ObjectEntries, undefined> =>
  schema.type === "strict_object"

/** An object that refuses every property not named in `entries`, and reports each of them. */
export function shape<const E extends v.ObjectEntries>(entries: E): v.StrictObjectSchema<E, undefined> {
  const schema = v.strictObject(entries)
  const run = schema["~run"]
  return {
    ...schema,
    // valibot accepts an array as an object and stops at the first unknown property; JSON Schema does neither.
    "~run"(dataset, config) {
      const input = dataset.value
      if (Array.isArray(input)) return run.call(this, { value: null }, config)
      const held = isObject(input) ? input : {}
      const unknown = Object.keys(held).filter((name) => !Object.hasOwn(entries, name))
      const result = run.call(this, dataset, config)
      for (const name of unknown.slice(1, limits.issues)) {
        v._addIssue(this, "key", result, config, {
          input: name,
          expected: "never",
          path: [{ type: "object", origin: "key", input: held, key: name, value: undefined }],
        })
      }
      return result
    },
  }
}

/** One of several objects, told apart by their member `tag`. */
export function variant<const K extends string, const O extends v.VariantOptions<K>>(
  tag: K,
  options: O,
): v.VariantSchema<K, O, undefined> {
  const schema = v.variant(tag, options)
  const run = schema["~run"]
  return {
    ...schema,
    // As above: an array is not an object, and has no tag.
    "~run"(dataset, config) {
      return run.call(this, Array.isArray(dataset.value) ? { value: null } : dataset, config)
    },
  }
}

/** An array of `min` to `max` items. Items beyond `max` are not checked: a body may hold half a million items. */
export function list<S extends v.GenericSchema>(item: S, max: number, min = 0) {
  const tooLong = `must have at most ${max} items`
  const schema = v.pipe(
    v.array(item, "must be a list"),
    v.minLength(min, `must have at least ${min} items`),
    v.maxLength(max, tooLong),
  )
  const run = schema["~run"]
  return {
    ...schema,
    "~run"(dataset, config) {
      const input = dataset.value
      if (!Array.isArray(input) || input.length <= max) return run.call(this, dataset, config)
      const result = run.call(this, { value: input.slice(0, max + 1) }, config)
      // valibot counts the items only if all of them are valid.
      if (!result.issues?.some(({ message }) => message === tooLong))
        v._addIssue(this, "items", result, config, { message: tooLong })
      return result
    },
  } as typeof schema
}

/** A list whose items all differ, compared as they were sent (as `uniqueItems` does). */
export function distinct<S extends v.GenericSchema<string, string>>(item: S, max: number, min = 0) {
  const schema = v.pipe(
    list(item, max, min),
    v.metadata({ uniqueItems: true }),
    v.transform((items) => [...new Set(items)]),
  )
  const run = schema["~run"]
  return {
    ...schema,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const input = dataset.value
      const result = run.call(this, dataset, config)
      if (Array.isArray(input) && new Set(input).size < input.length) {
        v._addIssue(this, "items", result, config, { message: "must not hold the same item twice" })
      }
      return result
    },
  } as typeof schema
}

/**
 * The member that identifies an item of a list, and where a duplicate is reported: at the second item, or at the list.
 */
export interface UniqueBy {
  readonly member: string
  readonly at: "item" | "list"
}

/** A list of objects that differ in one member. `beyondSchema` checks it: JSON Schema has no keyword for it. */
export const distinctBy = <S extends v.GenericSchema>(schema: S, member: string, at: UniqueBy["at"] = "item") =>
  v.pipe(schema, v.metadata({ uniqueBy: { member, at } }))

/**
 * An object whose member names the sender chooses; each must match `name`, by default a `key`.
 * Names such as `constructor`, which valibot would leave out, are allowed.
 */
export function dictionary<S extends v.GenericSchema>(
  value: S,
  name?: v.GenericSchema<string, string>,
): v.GenericSchema<Record<string, v.InferInput<S>>, Record<string, v.InferOutput<S>>> & {
  value: S
  key: v.GenericSchema<string, string>
}
export function dictionary(value: v.GenericSchema, name: v.GenericSchema<string, string> = key): v.GenericSchema {
  const base = v.record(name, value, "must be an object")
  const made: v.GenericSchema & { value: v.GenericSchema; key: v.GenericSchema } = {
    ...base,
    value,
    key: name,
    "~run"(dataset: v.UnknownDataset, config: v.Config<v.BaseIssue<unknown>>) {
      const input = dataset.value
      if (!isObject(input) || Array.isArray(input)) return base["~run"]({ value: null }, config)
      const output: Record<string, unknown> = {}
      const issues: v.BaseIssue<unknown>[] = []
      for (const [member, inner] of Object.entries(input)) {
        const checked = value["~run"]({ value: inner }, config)
        const path = {
          type: "object" as const,
          origin: "value" as const,
          input,
          key: member,
          value: inner,
        }
        for (const issue of [...(name["~run"]({ value: member }, config).issues ?? []), ...(checked.issues ?? [])]) {
          issues.push({ ...issue, path: [path, ...(issue.path ?? [])] })
        }
        if (issues.length >= limits.issues) break
        // A plain assignment to `__proto__` would change the object's prototype.
        Object.defineProperty(output, member, {
          value: checked.value,
          enumerable: true,
          configurable: true,
          writable: true,
        })
      }
      const [first, ...others] = issues
      if (first !== undefined) return { typed: false, value: output, issues: [first, ...others] }
      return { typed: true, value: output }
    },
  }
  return made
}

/** The program that sent a write, in its own words. A retry may have another. */
export const client = shape(
  each(["name", "version", "model", "sessionId", "runId"] as const, () => v.exactOptional(plain(limits.clientField))),
)

export const permissions = distinct(oneOf(enumerations.permission), enumerations.permission.length, 1)

/** One item, or a list of 1 to `max` of them. */
export function oneOrSeveral<S extends v.GenericSchema>(
  item: S,
  max: number,
): v.UnionSchema<[S, ReturnType<typeof list<S>>], undefined> {
  const several = list(item, max, 1)
  return {
    ...v.union([item, several]),
    // The faults of the form that was sent, not those of both.
    "~run": (dataset, config) =>
      Array.isArray(dataset.value) ? several["~run"](dataset, config) : item["~run"](dataset, config),
  }
}
