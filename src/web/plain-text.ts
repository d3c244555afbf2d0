/** Markdown and TeX as a line of plain words: for quotes of a reply and places found, where nothing is rendered. */
import texSigns from "./tex-signs.json" with { type: "json" }

/** Characters that are looked at: what is quoted is shorter, and no more than this can cost anything. */
const MOST = 600

const signs: Readonly<Record<string, string>> = texSigns

/** A formula without its commands: `\frac{a}{b}` as a/b, `\eta_0` as η_0. */
const plainTex = (tex: string): string =>
  tex
    .replace(/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, "$1/$2")
    .replace(/\\(?:text|mathrm|mathbf|mathcal|operatorname)\{([^{}]*)\}/g, "$1")
    .replace(/\\([A-Za-z]+)/g, (_, name: string) => signs[name] ?? name)
    .replace(/\\[,;!: ]/g, " ")
    .replace(/[{}]/g, "")

/** @param markdown only its beginning is looked at */
export const plainText = (markdown: string): string =>
  markdown
    .slice(0, MOST)
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\$\$?([^$]+)\$\$?/g, (_, tex: string) => plainTex(tex))
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+])\s+/gm, "")
    .replace(/\*{1,3}(?=\S)|(?<=\S)\*{1,3}|`{1,3}|(?<![\p{L}\p{N}])_{1,2}(?=\p{L})|(?<=\p{L})_{1,2}(?![\p{L}\p{N}])/gu, "")
    .replace(/\s+/g, " ")
    .trim()
