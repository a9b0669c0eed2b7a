/** Numbers, literals and members, for both readers of JSON. */

/** At `lastIndex`. No real number has more digits. */
export const NUMBER = /-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,400})?/y;

export const literals: readonly [text: string, value: boolean | null][] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** Sets a member, whatever its name. */
export function setMember(holder: object, key: PropertyKey, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}
