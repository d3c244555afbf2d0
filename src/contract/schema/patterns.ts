/**
 * The forms of strings, in what the regular expressions of ECMA-262, Rust, RE2 and Python have in common: no
 * lookaround, no `\s` (they disagree on its characters), and no `\u` escape in the exported pattern.
 */

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
export const TAG = of(`[^\\x00-\\x1f,${SPACE}](?:[^\\x00-\\x1f,]*[^\\x00-\\x1f,${SPACE}])?`)
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
export const ARXIV = of(
  `(?:[0-9]{2}${MONTH}\\.[0-9]{4,5}|${ARCHIVE}\\/(?:9[1-9]|0[0-7])${MONTH}[0-9]{3})(?:v[1-9][0-9]{0,2})?`,
)

/** A DOI, in either letter case. */
export const DOI = /^10\.[0-9]{4,9}(?:\.[0-9]{1,9})*\/[!-~]+$/u
/** A paper id: an arXiv id, a DOI, an ISBN of 13 digits, or a digest of the description that a person gave. */
export const PAPER = of(
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
