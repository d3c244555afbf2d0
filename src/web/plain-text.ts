/** Markdown and TeX as one line of plain words, for quotes and search results, which are not rendered. */
import texSigns from "./tex-signs.json" with { type: "json" }

/** Characters read of a text. No quote is longer, and the cost stays bounded. */
const MOST = 600

const signs: Readonly<Record<string, string>> = texSigns

/** Replaces the commands of a formula: `\frac{a}{b}` becomes a/b, `\eta_0` becomes η_0. */
const plainTex = (tex: string): string =>
  tex
    .replace(/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2")
    .replace(/\\(?:text|mathrm|mathbf|mathcal|operatorname)\{([^{}]*)\}/g, "$1")
    .replace(/\\([A-Za-z]+)/g, (_, name: string) => signs[name] ?? name)
    .replace(/\\[,;!: ]/g, " ")
    .replace(/[{}]/g, "")

/** Returns the start of a text as plain words. */
export const plainText = (markdown: string): string =>
  markdown
    .slice(0, MOST)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\$\$?([^$]+)\$\$?/g, (_, tex: string) => plainTex(tex))
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+])\s+/gm, "")
    .replace(/\*{1,3}(?=\S)|(?<=\S)\*{1,3}|`{1,3}|(?<![\p{L}\p{N}])_{1,2}(?=\p{L})|(?<=\p{L})_{1,2}(?![\p{L}\p{N}])/gu, "")
    .replace(/\s+/g, " ")
    .trim()
