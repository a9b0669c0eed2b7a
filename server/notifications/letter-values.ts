/**
 * An event's data as an e-mail shows it: amounts, months, days and moments in the reader's language. Pure. A value of
 * another form, such as one of an older release, is shown as it is: an e-mail that cannot be written is never sent.
 */
import type { Language } from "@/server/base/language";
import { shortDecimals } from "@/server/domain/short-decimals";

const tags: Record<Language, string> = { en: "en", zh: "zh-CN" };

/** `timeZone`: the installation's. */
export type LetterPlace = { language: Language; currency: string; timeZone: string };

export type LetterValues = {
  /** A decimal string of currency units, rounded as in the console's figures: `¥24.41`. */
  money: (amount: unknown) => string;
  /** A month (`2026-11`) or a day (`2026-11-29`). */
  period: (period: unknown) => string;
  /** An ISO moment, with the name of the zone. */
  moment: (at: unknown) => string;
};

const isDate = (date: Date) => !Number.isNaN(date.getTime());

export function letterValues({ language, currency, timeZone }: LetterPlace): LetterValues {
  const tag = tags[language];
  const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, options);
  const month = dates({ year: "numeric", month: "long", timeZone: "UTC" });
  const day = dates({ dateStyle: "long", timeZone: "UTC" });
  const clock = dates({ dateStyle: "medium", timeStyle: "short", hourCycle: "h23", timeZone });
  return {
    money: (amount) => {
      const decimal = String(amount);
      if (!Number.isFinite(Number.parseFloat(decimal))) {
        return decimal;
      }
      const format = new Intl.NumberFormat(tag, {
        style: "currency",
        currency,
        currencyDisplay: "narrowSymbol",
        minimumFractionDigits: 2,
        maximumFractionDigits: shortDecimals(decimal),
      });
      // A string, not a number: `format` takes it digit by digit.
      return format.format(decimal as `${number}`);
    },
    period: (period) => {
      const text = String(period);
      const isMonth = text.split("-").length === 2;
      const first = new Date(`${text}${isMonth ? "-01" : ""}T00:00:00Z`);
      return isDate(first) ? (isMonth ? month : day).format(first) : text;
    },
    moment: (at) => {
      const moment = new Date(String(at));
      return isDate(moment) ? `${clock.format(moment)} (${timeZone})` : String(at);
    },
  };
}
