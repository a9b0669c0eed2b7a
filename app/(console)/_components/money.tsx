"use client";

import { useLocale } from "use-intl";
import { amountText } from "./amount";
import { useInstallation } from "./installation";

/** An exact amount, in figures of one width. `value`: a decimal string in currency units. */
export function Money({ value }: { value: string }) {
  return <span className="money">{amountText(value, useInstallation().currency, useLocale())}</span>;
}

/** The same as text, for sentences and charts. */
export function useAmount(): (value: string) => string {
  const { currency } = useInstallation();
  const locale = useLocale();
  return (value) => amountText(value, currency, locale);
}
