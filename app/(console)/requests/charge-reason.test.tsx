import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import * as en from "@/app/_messages/en";
import * as zh from "@/app/_messages/zh";
import { cuts } from "@/server/base/facts";
import { newId } from "@/server/base/ids";
import { formatMoney, nanos } from "@/server/base/money";
import { InstallationProvider } from "../_components/installation";
import type { CallDetail } from "./call";
import { ChargeReason, hasReason } from "./charge-reason";

const call: CallDetail = {
  requestId: "req_1",
  chargeId: "req_1",
  modelId: "m",
  taskId: null,
  endpoint: "chat.completions",
  status: 200,
  error: null,
  errorMessage: null,
  isStream: true,
  firstTokenMs: 1,
  elapsedMs: 2,
  address: null,
  startedAt: "1970-01-01T00:00:00.000Z",
  key: { id: newId("key"), name: "shop", lastFour: "abcd", isDeleted: false },
  money: "charged",
  cost: formatMoney(nanos(10_000_000n)),
  tokens: { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 1, reasoning: 0 },
  usageSource: "estimated",
  isLate: false,
  cut: null,
  hasOtherModel: false,
  isNotBelieved: false,
  held: null,
  lines: [],
  refunds: [],
  refundable: null,
  quote: null,
};

const installation = {
  currency: "CNY",
  billingTimeZone: "UTC",
  baseUrl: "http://127.0.0.1:3000",
  requestLogDays: 30,
  build: "",
  payments: null,
};

const shown = (locale: "en" | "zh", more: Partial<CallDetail>) =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={{ en, zh }[locale]} timeZone="UTC">
      <InstallationProvider value={installation}>
        <MantineProvider>
          <ChargeReason call={{ ...call, ...more }} />
        </MantineProvider>
      </InstallationProvider>
    </IntlProvider>,
  );

test.each([
  ["en" as const, "This charge was made late", "may be negative"],
  ["zh" as const, "后来补扣", "低于零"],
])(
  "a charge that came late is shown as one, and that the balance may be below zero, in %s",
  (locale, ...words) => {
    for (const word of words) {
      expect(shown(locale, { isLate: true })).toContain(word);
      expect(shown(locale, { isLate: false })).not.toContain(word);
    }
  },
);

test("what became of a failed request's money is not told twice: it stands with the failure", () => {
  for (const money of ["returned", "none"] as const) {
    const told = { cost: null, held: formatMoney(nanos(1n)), money };
    expect(shown("en", told)).toMatch(/charged/);
    expect(shown("en", { ...told, error: "rate_limited" })).not.toMatch(/charged/);
    expect(hasReason({ ...call, ...told, error: "rate_limited" })).toBe(false);
  }
});

test.each(cuts)("a charge for an answer that was cut short says why, in both languages (%s)", (cut) => {
  for (const [locale, messages] of [
    ["en", en],
    ["zh", zh],
  ] as const) {
    expect(shown(locale, { cut })).toContain(messages.requests.cuts[cut]);
    expect(shown(locale, { cut: null })).not.toContain(messages.requests.cuts[cut]);
  }
});

test.each([
  ["en" as const, "It was not believed"],
  ["zh" as const, "未予采信"],
])("counts that cannot be are named as not paid for, in %s", (locale, words) => {
  expect(shown(locale, { isNotBelieved: true })).toContain(words);
  expect(shown(locale, { isNotBelieved: false })).not.toContain(words);
});

test.each([
  ["en" as const, "at the price of the model you called"],
  ["zh" as const, "按所调用模型的价格计费"],
])(
  "another model's part of a charge is named as charged at the called model's price, in %s",
  (locale, words) => {
    expect(shown(locale, { hasOtherModel: true })).toContain(words);
    expect(shown(locale, { hasOtherModel: false })).not.toContain(words);
  },
);
