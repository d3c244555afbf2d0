/** JSON texts of the maximum size that are as expensive to read as possible, by the cause of the cost. */
import { limits } from "../../../src/contract/limits.ts"
import { freshId } from "../../support/bodies.ts"

const most = limits.requestBodyBytes - 64

/** `text` repeated to fill a body, between `before` and `after`. */
const filled = (before: string, text: string, after: string): string =>
  before + text.repeat(Math.floor((most - before.length - after.length) / text.length)) + after

/** None of them is a write. */
export const junk: Readonly<Record<string, () => string>> = {
  "lists without end": () => "[".repeat(most),
  "objects without end": () => filled("", '{"a":', ""),
  "a list of empty objects": () => filled("[", "{},", "{}]"),
  "a list of nothing": () => filled("[", "0,", "0]"),
  "names without number": () => `{${Array.from({ length: 60_000 }, (_, index) => `"name${index}":0`).join(",")}}`,
  "one name again and again": () => filled("{", '"a":0,', '"a":0}'),
  "a name as long as the body": () => `{"${"n".repeat(most - 100)}":[-0,-0,-0]}`,
  "numbers beyond a double": () => filled("[", "9007199254740993,", "0]"),
  "numbers with exponents": () => filled("[", "1e-400,", "0]"),
  "a number of a million digits": () => `[0.${"1".repeat(most - 8)}]`,
  "escapes without end": () => filled('{"text":"', "\\u0061", '"}'),
  "quotes in a string": () => filled('{"text":"', '\\"', '"}'),
  "white space": () => filled("{", " ", "}"),
  "a string that does not end": () => `{"text":"${"x".repeat(most - 20)}`,
  "a text as long as may be": () =>
    `{"schemaVersion":3,"clientMessageId":"${freshId()}","text":"${"x".repeat(most - 100)}"}`,
  "no UTF-8": () => `{"text":"${"\u00ff".repeat(most / 2)}`,
  "many small lists": () => filled("[", "[],", "[]]"),
  "halves of letters": () => filled('{"a":"', "\\ud800", '"}'),
  "names that every object has": () => filled("{", '"__proto__":{},', '"a":0}'),
  "no JSON": () => "junk ".repeat(most / 5),
}
