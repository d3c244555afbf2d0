/** Patterns for words, and whether a number of a text equals a value. */
import { isRounded } from "./comparing.ts"
import type { Numeral } from "./numerals.ts"

/** A pattern for any of some words, each with or without an ending if it has a star. */
export const anyOf = (words: string): string =>
  words
    .split(" ")
    .map((word) => word.replace("*", "\\w*"))
    .join("|")
/** Whether one of the readings of a number, as it is rounded, equals a value. */
export const near = (numeral: Numeral, value: number): boolean =>
  numeral.readings.some((reading) => isRounded(reading, value))
