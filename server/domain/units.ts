/**
 * Units that a call may be charged by, in addition to tokens of text (spec 5). Imports nothing from the server, so
 * pages may use it.
 *
 * A unit is a name. For images, sizes and qualities with their own prices follow: `image:1024x1024:high`.
 */

const MILLION = 1_000_000;

/**
 * How many of each unit its price covers: a million tokens or characters, or a minute of sound, as vendors state it. A
 * price per hour can also be expressed per minute in nano-units.
 */
const perPrice = {
  request: 1,
  image: 1,
  character: MILLION,
  second: 60,
  rerank: 1,
  web_search: 1,
  image_input: MILLION,
  audio_input: MILLION,
  audio_output: MILLION,
} as const;

export type UnitName = keyof typeof perPrice;
export const unitNames = Object.keys(perPrice) as UnitName[];

/** How often each unit was used, whole numbers. */
export type Units = Readonly<Record<string, number>>;

/** The name of a unit, without its size. null: it is not a unit. */
export function unitNameOf(unit: string): UnitName | null {
  const end = unit.indexOf(":");
  const name = end === -1 ? unit : unit.slice(0, end);
  return Object.hasOwn(perPrice, name) ? (name as UnitName) : null;
}

/** Units whose sizes and qualities may have their own prices. Sizes of other units are never charged. */
const sized: readonly UnitName[] = ["image"];

/** `auto` is not a size: it lets the vendor choose one. */
const isSize = (text: string) => /^[a-z0-9_-]{1,20}$/.test(text) && text !== "auto";

/** Whether the text is a unit: a name, or for images also `image:size` and `image:size:quality`. */
export function isUnit(text: string): boolean {
  const name = unitNameOf(text);
  if (name === null || name === text) {
    return name !== null;
  }
  const [, ...sizes] = text.split(":");
  return sized.includes(name) && sizes.length <= 2 && sizes.every(isSize);
}

/** How many of a unit its price covers: one, sixty or a million. */
export const countPerPrice = (unit: string): number => perPrice[unitNameOf(unit) ?? "request"];
