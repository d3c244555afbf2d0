/** Gives a value the type that the compiler cannot work out: of its keys, of a word in a list, of what must exist. */

/** Builds an object from pairs that name every key of their type. */
export const ofPairs = <K extends string, T>(pairs: readonly (readonly [K, T])[]): { [key in K]: T } =>
  Object.fromEntries(pairs) as { [key in K]: T }

/** Builds an object with a member for each key. */
export const each = <K extends string, T>(keys: readonly K[], of: (key: K) => T): { [key in K]: T } =>
  ofPairs(keys.map((key) => [key, of(key)]))

/** Whether a word is in a list. Narrows its type. */
export const isOneOf = <T extends string>(words: readonly T[], word: string | null): word is T =>
  words.some((one) => one === word)

/** Whether a word is a key of an object. Narrows its type. */
export const isKeyOf = <T extends object>(object: T, key: string): key is keyof T & string => Object.hasOwn(object, key)

/** The own keys of an object whose type names all of them. */
export const keysOf = <T extends object>(object: T): (keyof T & string)[] => Object.keys(object) as (keyof T & string)[]

/** Picks some members of an object, in the order given. */
export const picked = <T extends object, K extends keyof T & string>(object: T, ...names: readonly K[]): Pick<T, K> =>
  Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<T, K>

/** Returns a value that must exist. @throws Error if it does not: a fault of the service, never of the caller */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("a value that must exist is missing")
  return value
}
