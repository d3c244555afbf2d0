/** Emphasis as its authors mean it beside Chinese, Japanese and Korean, and dollar signs that are no formulas. */
import t from "tap"
import { rendered } from "../../src/renderer/markdown.ts"
import { plainText } from "../../src/web/markdown.ts"

const shown = (text: string) => rendered(text, "inline").trim()

t.test("emphasis ends before a particle, and begins and ends beside punctuation without spaces", async (t) => {
  for (const [text, markup] of [
    ["これは**重要。**です。", "これは<strong>重要。</strong>です。"],
    ["**모델(Model)**은 좋다.", "<strong>모델(Model)</strong>은 좋다."],
    ["这是**重点。**下一句，**「引用」**之后", "这是<strong>重点。</strong>下一句，<strong>「引用」</strong>之后"],
    ["中文*（斜体）*文字", "中文<em>（斜体）</em>文字"],
    ["결과는 **“유의함”**이다.", "결과는 <strong>“유의함”</strong>이다."],
    ["値は**50%**です", "値は<strong>50%</strong>です"],
    ["新的~~（旧的）~~方法", "新的<s>（旧的）</s>方法"],
    ["**テスト。**テスト", "<strong>テスト。</strong>テスト"],
    ["これは**[リンク](https://e.example)**です", null],
  ] as const)
    if (markup === null) t.match(shown(text), /^これは<strong><a [^]*リンク<\/a><\/strong>です$/)
    else t.equal(shown(text), markup, text)
})

t.test("other scripts keep the rules of Markdown", async (t) => {
  for (const [text, markup] of [
    ["a * b * c", "a * b * c"],
    ["snake_case_name and 2*3*4", "snake_case_name and 2<em>3</em>4"],
    ["**bold.**next", "**bold.**next"],
    ["_emphasis_, **strong**", "<em>emphasis</em>, <strong>strong</strong>"],
    ["漢字_下線_漢字", "漢字_下線_漢字"],
  ] as const)
    t.equal(shown(text), markup, text)
})

t.test("variables of a shell and prices are no formulas, and formulas are", async (t) => {
  for (const text of [
    "Use $PATH:$HOME and ${A}/${B}.",
    "custa R$5 e R$6, ou 5$ e 6$",
    "It costs $5, not $6.",
    "US$10-US$20 or A$3",
    "$HOME/bin:$PATH",
    "cp $src/$name $dst",
    "between $5 and 6$ a day",
    "echo $1 $2",
  ]) {
    t.notMatch(shown(text), /<math|math-source/, text)
    t.equal(plainText(text), text, "nor in a line of plain words")
  }
  for (const text of [
    "$x_1$",
    "the $n$th of $k$",
    "设$x$为实数",
    "($a$, $b$)",
    "$5x + 3$",
    "$3.5\\,\\text{kg}$",
    "$E=mc^2$.",
  ])
    t.match(shown(text), /<math/, text)
  t.equal(shown("the $n$th of $k$").match(/<math/g)?.length, 2)
})

t.test("hostile dollar signs and asterisks take no time", async (t) => {
  for (const text of ["$", "**", "$1", "重**。", "$a:", "~~（"].map((part) => part.repeat(20_000 / part.length))) {
    const begun = process.cpuUsage()
    shown(text)
    const { user, system } = process.cpuUsage(begun)
    t.ok((user + system) / 1000 < 1_500, `${text.slice(0, 4)}: ${(user + system) / 1000} ms`)
  }
})
