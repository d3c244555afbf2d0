/** Objects whose keys the compiler knows. */

/** An object of pairs that name every key of their type. */
export const ofPairs = <K extends string, T>(pairs: readonly (readonly [K, T])[]): { [key in K]: T } =>
  Object.fromEntries(pairs) as { [key in K]: T }

/** An object with a member for each of some keys. */
export const each = <K extends string, T>(keys: readonly K[], of: (key: K) => T): { [key in K]: T } =>
  ofPairs(keys.map((key) => [key, of(key)]))

/** Whether a word is one of some. */
export const isOneOf = <T extends string>(words: readonly T[], word: string | null): word is T => words.some((one) => one === word)

/** Whether a word is a key of an object: of a list that names everything of its kind. */
export const isKeyOf = <T extends object>(object: T, key: string): key is keyof T & string => Object.hasOwn(object, key)

/** The own keys of an object whose type names all of them. */
export const keysOf = <T extends object>(object: T): (keyof T & string)[] => Object.keys(object) as (keyof T & string)[]
