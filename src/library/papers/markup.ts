/**
 * Takes markup out of titles and names: HTML, JATS and MathML as Crossref, PubMed and reference managers write them. A
 * sign that begins no known element stays: `p < 0.05` is not a tag.
 */
import { Parser } from "htmlparser2"

/** The elements whose tags are dropped and whose text stays. */
const INLINE: ReadonlySet<string> = new Set(
  `a abbr abstract b bdi bdo big br cite code del dfn div em font i ins italic bold kbd label list list-item mark math
  mfenced mfrac mi mn mo mover mpadded mrow mspace msqrt mroot mstyle msub msubsup msup mtable mtd mtext mtr munder
  munderover ol p q roman s sc scp sec semantics small span strike strong sub sup title tt u ul li underline var h1 h2
  h3 h4 h5 h6 inline-formula tex-math nocase overline monospace named-content`.split(/\s+/),
)
const isKnown = (name: string): boolean => INLINE.has(name.replace(/^(?:jats|mml|m):/, ""))
/** Elements after which words do not run together. */
const APART = /^(?:jats:)?(?:p|div|br|li|title|sec|list-item|h[1-6])$/

function once(text: string): string {
  let plain = ""
  let end = 0
  const keep = (name: string) => {
    const tag = text.slice(parser.startIndex, parser.endIndex + 1)
    // What is no element was text: it stays as it was written. `a <b and c> d` has no attribute with a value either.
    const isElement = isKnown(name) && (!/\s\w/.test(tag) || tag.includes("="))
    if (!isElement) plain += tag
    else if (APART.test(name)) plain += " "
    end = parser.endIndex + 1
  }
  const parser = new Parser(
    {
      onopentag: (name, _attributes, isImplied) => void (isImplied || keep(name)),
      onclosetag: (name, isImplied) => void (isImplied || keep(name)),
      ontext: (part) => {
        plain += part
        end = parser.endIndex + 1
      },
      oncomment: () => void (end = parser.endIndex + 1),
    },
    { decodeEntities: true, lowerCaseTags: true, recognizeSelfClosing: true },
  )
  parser.write(text)
  parser.end()
  // A tag that is never closed is text.
  return plain + text.slice(end)
}

/** Returns a value as one line of plain text. Markup that was escaped is taken out too: `&lt;i&gt;` is a tag. */
export function plain(text: string): string {
  let found = text
  if (/[<&]/.test(found)) {
    found = once(found)
    if (/<\/?[a-z]|&(?:[a-z]+|#\w+);/i.test(found)) found = once(found)
  }
  return (
    found
      .replaceAll("\0", "")
      // TeX puts accents on letters without a dot.
      .replace(/[ıȷ](?=\p{M})/gu, (letter) => (letter === "ı" ? "i" : "j"))
      .replace(/\s+/g, " ")
      .trim()
      .toWellFormed()
      .normalize()
  )
}
