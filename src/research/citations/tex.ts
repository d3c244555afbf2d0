/**
 * Escapes untrusted text for TeX. Outside formulas every special character is escaped. A formula is kept only if all
 * its commands are known to do nothing but typeset symbols.
 */
import { isBalanced } from "../../contract/text.ts"

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\textbraceleft{}",
  "}": "\\textbraceright{}",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "&": "\\&",
  "%": "\\%",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
}

const prose = (text: string): string => text.replace(/[\\{}^~&%$#_]/g, (character) => escapes[character] ?? "")

/** Commands allowed in a formula. */
const harmless = new Set(
  `alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho varrho \
sigma varsigma tau upsilon phi varphi chi psi omega
  Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell hbar partial nabla infty emptyset
  frac sqrt sum prod int lim log ln exp sin cos tan tanh max min sup inf arg argmax argmin det Pr gcd dim ker
  cdot times div pm mp ast star circ bullet oplus otimes le leq ge geq ne neq ll gg approx sim simeq equiv cong \
propto in notin subset subseteq supset cup cap setminus
  to rightarrow leftarrow Rightarrow Leftarrow leftrightarrow mapsto forall exists neg land lor mid parallel perp angle
  hat bar tilde vec dot ddot overline underline widehat widetilde mathbf mathrm mathit mathcal mathbb mathsf mathtt \
text operatorname boldsymbol
  left right big Big bigl bigr lfloor rfloor lceil rceil langle rangle lvert rvert lVert rVert \
ldots cdots dots prime quad qquad`.split(/\s+/),
)

/**
 * Whether a formula can be kept: it has only known commands, balanced braces, complete subscripts and superscripts, and
 * no other special characters.
 */
function isFormula(text: string): boolean {
  if (text.trim() === "" || /[%#~&]|[\^_]\s*(?:[\^_}]|$)/.test(text) || !isBalanced(text)) return false
  return [...text.matchAll(/\\([A-Za-z]+|.?)/gs)].every(
    ([, command = ""]) => harmless.has(command) || /^[,;:! |]$/.test(command),
  )
}

/** Matches formulas as messages and wordings do: `$5 and $6` is not a formula. */
const FORMULA = /(\$\$[^$]+\$\$|\$(?=\S)[^$]*[^\s$]\$(?![0-9]))/

/** Escapes a text for a BibTeX field. Formulas between dollar signs are kept. */
export function texOf(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line
    .split(FORMULA)
    .map((part, index) => {
      const formula = index % 2 === 1 ? part.replaceAll("$", "") : undefined
      return formula !== undefined && isFormula(formula) ? `$${formula}$` : prose(part)
    })
    .join("")
}
