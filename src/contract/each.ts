/** An object with a member for each of some keys. */
export const each = <K extends string, T>(keys: readonly K[], of: (key: K) => T): { [key in K]: T } =>
  Object.fromEntries(keys.map((key) => [key, of(key)])) as { [key in K]: T }

/** The own keys of an object whose type names all of them. */
export const keysOf = <T extends object>(object: T): (keyof T & string)[] => Object.keys(object) as (keyof T & string)[]
