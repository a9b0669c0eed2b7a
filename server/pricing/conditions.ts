/** The conditions of a price, as its name states them: `@200k@priority@16:30-00:30`. */
import { type ServiceTier, serviceTiers } from "@/server/domain/enums";

/** A daily span in UTC, in minutes of the day. One that ends before it begins passes midnight. */
export type DailyWindow = { from: number; until: number };

/**
 * `above`: the prompt has more tokens than that; 0: any. `tier`: the answer names this service tier; null: any.
 * `window`: the call begins in this part of the day; null: at any time.
 */
export type Conditions = { above: number; tier: ServiceTier | null; window: DailyWindow | null };

export const always: Conditions = { above: 0, tier: null, window: null };

/** A count of tokens, which is written in one way only: `200k`, or `1500`. */
const COUNT = /^([1-9]\d{0,8})(k?)$/;

const printCount = (count: number): string => (count % 1_000 === 0 ? `${count / 1_000}k` : String(count));

function parseCount(text: string): number | null {
  const [, digits, thousands] = COUNT.exec(text) ?? [];
  const count = Number(digits) * (thousands ? 1_000 : 1);
  return digits !== undefined && printCount(count) === text ? count : null;
}

const TIME = "([01]\\d|2[0-3]):([0-5]\\d)";
const WINDOW = new RegExp(`^${TIME}-${TIME}$`);

const printTime = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");

export const printWindow = ({ from, until }: DailyWindow): string => `${printTime(from)}-${printTime(until)}`;

function parseWindow(text: string): DailyWindow | null {
  const [, ...parts] = WINDOW.exec(text) ?? [];
  const [fromHour = 0, fromMinute = 0, untilHour = 0, untilMinute = 0] = parts.map(Number);
  const [from, until] = [fromHour * 60 + fromMinute, untilHour * 60 + untilMinute];
  return parts.length === 0 || from === until ? null : { from, until };
}

const isTier = (text: string): text is ServiceTier => serviceTiers.some((tier) => tier === text);

function parseOne(text: string): Partial<Conditions> | null {
  const above = parseCount(text);
  if (above !== null) {
    return { above };
  }
  const window = parseWindow(text);
  if (window) {
    return { window };
  }
  return isTier(text) ? { tier: text } : null;
}

/** The conditions in the order of their texts. */
export const printConditions = ({ above, tier, window }: Conditions): string =>
  (above > 0 ? `@${printCount(above)}` : "") +
  (tier === null ? "" : `@${tier}`) +
  (window === null ? "" : `@${printWindow(window)}`);

/** Reads the part of a name behind its item. null: invalid, or not in the order in which conditions are printed. */
export function parseConditions(text: string): Conditions | null {
  const parts = text === "" ? [] : text.slice(1).split("@").map(parseOne);
  const conditions: Conditions = Object.assign({ ...always }, ...parts);
  return parts.includes(null) || printConditions(conditions) !== text ? null : conditions;
}

/** Whether a moment is in a daily window. */
export function isWithin({ from, until }: DailyWindow, at: Date): boolean {
  const minute = at.getUTCHours() * 60 + at.getUTCMinutes();
  return from < until ? from <= minute && minute < until : minute >= from || minute < until;
}

/** Orders conditions from the general to the special: a tier decides before a step, and a step before a window. */
export const bySpecificity = (left: Conditions, right: Conditions): number =>
  Number(left.tier !== null) - Number(right.tier !== null) ||
  left.above - right.above ||
  Number(left.window !== null) - Number(right.window !== null);
