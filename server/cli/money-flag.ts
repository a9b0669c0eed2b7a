import { parseMoney } from "@/server/base/money";
import { type FlagValues, many, need, text, UsageError } from "./command";

/** An amount in currency units, as a decimal string. */
export function amountOf(value: string, name: string): string {
  const nanos = parseMoney(value);
  if (nanos === null || nanos < 0n) {
    throw new UsageError(`${name} must be an amount such as 12.5, with at most 9 decimals`);
  }
  return value;
}

/** A flag in currency units; undefined if it was not given. */
export function money(values: FlagValues, name: string): string | undefined {
  const value = text(values, name);
  return value === undefined ? undefined : amountOf(value, `--${name}`);
}

/** As `money`; null: `none` was given, which removes the limit. */
export function moneyOrNone(values: FlagValues, name: string): string | null | undefined {
  return text(values, name) === "none" ? null : money(values, name);
}

export const needMoney = (values: FlagValues, name: string): string =>
  amountOf(need(values, name), `--${name}`);

/** Reads flags `--price NAME=AMOUNT`; the amount `none` is null. A name may have colons. */
export const namedPrices = (values: FlagValues): { name: string; price: string | null }[] =>
  many(values, "price").map((written) => {
    const [, name, price] = /^([^=]+)=(.+)$/.exec(written) ?? [];
    if (name === undefined || price === undefined) {
      throw new UsageError(`--price ${written}: write NAME=AMOUNT, such as input=0.5`);
    }
    return { name, price: price === "none" ? null : amountOf(price, `--price ${name}`) };
  });
