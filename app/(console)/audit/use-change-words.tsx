import type { ReactNode } from "react";
import { useLocale, useTranslations } from "use-intl";
import { amountText } from "../_components/text/amount";
import { useInstallation } from "../_components/text/installation";
import { Timestamp } from "../_components/text/timestamp";
import { usePriceName } from "../prices/use-price-name";
import type { Changed, MemberValue } from "./changed-members";

/** The form of a value of a fixed set: no other value is looked up among the texts. */
const isWord = /^[a-z]+$/;
const isDecimal = /^-?\d+(\.\d+)?$/;

/** The members that are moments. A name may look like a moment and is shown as it is written. */
const MOMENTS = ["beginsAt", "createdAt", "expiresAt"];

/** The members whose members are prices, under their stored names. */
const PRICES = ["prices", "unitPrices"];

const MONEY = [
  ...PRICES,
  "videoPrices",
  "inputPrice",
  "outputPrice",
  "cacheReadPrice",
  "cacheWritePrice",
  "cacheWrite1hPrice",
  "quota",
  "amount",
  "monthlyCap",
  "weeklyCap",
  "dailyCap",
  "dailyLimit",
  "outageAllowance",
  "used",
  "frozen",
  "topups",
];

/** The name of a member for people, such as "Monthly quota" or "deepseek-chat · Factor". */
export function useMemberName(): (path: Changed["path"]) => string {
  const t = useTranslations("audit");
  const priceName = usePriceName();
  const nameOf = (member: string) => {
    const key = `member.${member}` as Parameters<typeof t>[0];
    return t.has(key) ? t(key) : member;
  };
  return ([first = "", ...rest]) => {
    if (PRICES.includes(first) && rest.length === 1) {
      return priceName(rest.join());
    }
    // What belongs to a thing of a list is named after the thing.
    return rest.length > 1
      ? [...rest.slice(0, -1), nameOf(rest.at(-1) ?? "")].join(" · ")
      : [nameOf(first), ...rest].join(" · ");
  };
}

/**
 * A flag or a value of a fixed set, such as a status, in words; money with its currency; a moment in the reader's zone;
 * any other as it is written. `currency`: of the entry's own amounts, if it names one.
 */
export function useValueText(currency?: string): (path: Changed["path"], value: MemberValue) => ReactNode {
  const t = useTranslations("audit");
  const common = useTranslations("common");
  const locale = useLocale();
  const installation = useInstallation();
  return ([first = ""], value) => {
    if (typeof value === "boolean") {
      return common(value ? "yes" : "no");
    }
    if (MOMENTS.includes(first) && Number.isFinite(Date.parse(value))) {
      return <Timestamp at={value} exact />;
    }
    if (MONEY.includes(first) && isDecimal.test(value)) {
      return amountText(value, { currency: currency ?? installation.currency, locale });
    }
    const key = `value.${first}.${value}` as Parameters<typeof t>[0];
    return isWord.test(value) && t.has(key) ? t(key) : value;
  };
}
