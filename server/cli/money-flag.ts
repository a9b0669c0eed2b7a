import { type Nanos, parseMoney } from "@/server/base/money";
import { text, UsageError, type Values } from "./command";

/** A flag in currency units, as nano-units; undefined when it was not given. */
export function money(values: Values, name: string): Nanos | undefined {
  const value = text(values, name);
  return value === undefined ? undefined : moneyOf(value, `--${name}`);
}

export function moneyOf(value: string, name: string): Nanos {
  const nanos = parseMoney(value);
  if (nanos === null || nanos < 0n) {
    throw new UsageError(`${name} must be an amount such as 12.5, with at most 9 decimals`);
  }
  return nanos;
}

export function needMoney(values: Values, name: string): Nanos {
  const nanos = money(values, name);
  if (nanos === undefined) {
    throw new UsageError(`--${name} is missing`);
  }
  return nanos;
}
