/** The names of prices: a closed grammar of items and conditions. */
import { isUnit, type UnitName } from "@/server/domain/units";
import { always, bySpecificity, type Conditions, parseConditions, printConditions } from "./conditions";

/**
 * The classes of text tokens, priced per million. `field`: the class's name in the admin API, in commands and in the
 * ledger. `count`: the member of its count. `follows`: the class whose price an unnamed class takes.
 */
export const tokenClasses = [
  { name: "input", field: "input", count: "inputTokens", follows: null },
  { name: "output", field: "output", count: "outputTokens", follows: null },
  { name: "cache_read", field: "cacheRead", count: "cacheReadTokens", follows: "input" },
  { name: "cache_write", field: "cacheWrite", count: "cacheWriteTokens", follows: "input" },
  { name: "cache_write_1h", field: "cacheWrite1h", count: "cacheWrite1hTokens", follows: "cache_write" },
] as const;

export type EachClass = (typeof tokenClasses)[number];
export type TokenClass = EachClass["name"];
export type TokenField = EachClass["field"];
export type TokenCount = EachClass["count"];

/** The members of prices of tokens in forms, commands and the admin API. null: takes another class's price. */
export type TokenPriceFields<Price> = TokenPriceMembers<Price, Price | null>;

/** A member for each class of tokens. */
export type TokenPriceMembers<Own, Inherited> = {
  [Each in EachClass as `${Each["field"]}Price`]: Each["follows"] extends null ? Own : Inherited;
};

/** The classes of a prompt. */
export const inputClasses: readonly EachClass[] = tokenClasses.filter(({ name }) => name !== "output");

/** The classes in the order in which a charge states them: output last. */
export const statedClasses: readonly EachClass[] = [
  ...inputClasses,
  ...tokenClasses.filter(({ name }) => name === "output"),
];

/** A value for each class of tokens, by its field. */
export const eachField = <Value>(valueFor: (each: EachClass) => Value): Record<TokenField, Value> =>
  Object.fromEntries(statedClasses.map((each) => [each.field, valueFor(each)])) as Record<TokenField, Value>;

/** A value for the count of each class of tokens, by its member. */
export const eachCount = <Value>(
  valueFor: (member: TokenCount, each: EachClass) => Value,
): Record<TokenCount, Value> =>
  Object.fromEntries(statedClasses.map((each) => [each.count, valueFor(each.count, each)])) as Record<
    TokenCount,
    Value
  >;

/** A value for the price of each class of tokens, by its member; `inherited` for a price that may be left out. */
export const eachPrice = <Own, Inherited = Own>(
  own: (each: EachClass) => Own,
  inherited: (each: EachClass) => Inherited,
): TokenPriceMembers<Own, Inherited> =>
  Object.fromEntries(
    tokenClasses.map((each) => [`${each.field}Price`, each.follows === null ? own(each) : inherited(each)]),
  ) as TokenPriceMembers<Own, Inherited>;

type VideoName = `video:${number}:${string}`;

/** An item with a price: a class of tokens, a unit (images: also by size and quality), or a video. */
export type PricedItem = TokenClass | UnitName | `image:${string}` | VideoName;

/** An item, and the conditions under which the price applies: `input`, `input@200k`, `video:5:720p`. */
export type PriceName = PricedItem | `${PricedItem}@${string}`;

export type NamedPrice = { item: PricedItem; conditions: Conditions };

const isTokenClass = (name: string): name is TokenClass => tokenClasses.some((each) => each.name === name);

const VIDEO = /^video:([1-9]\d{0,3}):(\w{1,16})$/;

export type VideoItem = { durationSeconds: number; resolution: string };

/** The video that a price is for. null: the price is for another item. */
export function parseVideoName(name: string): VideoItem | null {
  const [, seconds, resolution] = VIDEO.exec(name) ?? [];
  return seconds && resolution ? { durationSeconds: Number(seconds), resolution } : null;
}

export const videoPriceName = ({ durationSeconds, resolution }: VideoItem): VideoName =>
  `video:${durationSeconds}:${resolution}`;

const isItem = (text: string): text is PricedItem => isTokenClass(text) || isUnit(text) || VIDEO.test(text);

/** Whether a price under this name is for a video. */
export const isOfVideo = (name: string): boolean => name.startsWith("video:");

/** Whether a price under this name is for a class of tokens. */
export const isOfTokens = (name: string): boolean => isTokenClass(name.split("@", 1)[0] ?? "");

export const hasConditions = (name: string): boolean => name.includes("@");

/** Splits a name. null: nothing has a price under it. A video has the same price for every call. */
export function parsePriceName(text: string): NamedPrice | null {
  const end = text.indexOf("@");
  const item = end === -1 ? text : text.slice(0, end);
  const conditions = end === -1 ? always : parseConditions(text.slice(end));
  const isWrong = conditions === null || (isOfVideo(item) && end !== -1);
  return isWrong || !isItem(item) ? null : { item, conditions };
}

export const printPriceName = ({ item, conditions }: NamedPrice): PriceName =>
  `${item}${printConditions(conditions)}` as PriceName;

export const isPriceName = (text: string): text is PriceName => parsePriceName(text) !== null;

const placeOf = (item: string): number => {
  const place = tokenClasses.findIndex(({ name }) => name === item);
  return place === -1 ? tokenClasses.length : place;
};

const byText = (left: string, right: string): number => Number(left > right) - Number(left < right);

/** Orders names: classes of tokens first, then the rest by text; an item's price without conditions first. */
export function byName(left: PriceName, right: PriceName): number {
  const [a, b] = [parsePriceName(left), parsePriceName(right)];
  if (!a || !b) {
    return byText(left, right);
  }
  const byItem = placeOf(a.item) - placeOf(b.item) || byText(a.item, b.item);
  return byItem || bySpecificity(a.conditions, b.conditions) || byText(left, right);
}
