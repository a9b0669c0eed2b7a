import { MantineProvider } from "@mantine/core";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import * as en from "@/app/_messages/en";
import * as zh from "@/app/_messages/zh";
import { ignoredReasons } from "@/server/base/ignored";
import { formatMoney, nanos } from "@/server/base/money";
import { cuts, type ModelKind } from "@/server/domain/enums";
import { newId } from "@/server/domain/ids";
import { InstallationProvider } from "../_components/text/installation";
import type { CallDetail } from "./call";
import { Facts, Failure } from "./call-drawer";
import { ChargeReason, hasReason } from "./charge-reason";

const call: CallDetail = {
  key: { id: newId("key"), name: "shop", lastFour: "abcd", isDeleted: false },
  tokens: { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 1, reasoning: 0 },
  ...{ requestId: "req_1", chargeId: "req_1", modelId: "m", taskId: null, endpoint: "chat.completions" },
  ...{
    status: 200,
    error: null,
    errorMessage: null,
    ignored: null,
    isStream: true,
    firstTokenMs: 1,
    elapsedMs: 2,
  },
  ...{ address: null, startedAt: "1970-01-01T00:00:00.000Z", money: "charged" },
  ...{ cost: formatMoney(nanos(10_000_000n)), usageSource: "estimated", isLate: false, cut: null },
  ...{
    hasOtherModel: false,
    hasUnreadCounts: false,
    isNotBelieved: false,
    conditions: null,
    held: null,
    lines: [],
    refunds: [],
    vendorError: null,
    refundable: null,
  },
  quote: null,
};

const noOperations = {} as Record<ModelKind, readonly string[]>;
const installation = {
  ...{ currency: "CNY", billingTimeZone: "UTC", baseUrl: "http://127.0.0.1:3000", requestLogDays: 30 },
  ...{ build: "", payments: null, endpointLabels: {}, examplesByKind: {} },
  operationsByKind: noOperations,
};

const rendered = (locale: "en" | "zh", children: ReactNode) =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={{ en, zh }[locale]} timeZone="UTC">
      <InstallationProvider value={installation}>
        <MantineProvider>{children}</MantineProvider>
      </InstallationProvider>
    </IntlProvider>,
  );
const shown = (locale: "en" | "zh", more: Partial<CallDetail>) =>
  rendered(locale, <ChargeReason call={{ ...call, ...more }} />);
const withHold = (amount: bigint) => ({ held: formatMoney(nanos(amount)) });

const words: [Partial<CallDetail>, Partial<CallDetail>, Record<"en" | "zh", string[]>][] = [
  [
    { isLate: true },
    { isLate: false },
    { en: ["This charge was made late", "may be negative"], zh: ["后来补扣", "低于零"] },
  ],
  [withHold(10_000_001n), withHold(10_000_000n), { en: ["the rest was released"], zh: ["其余已退还"] }],
  [withHold(9_999_999n), withHold(10_000_001n), { en: ["more tokens than expected"], zh: ["多于预估"] }],
  [
    { conditions: { above: 200_000, tier: "priority" as const, window: { from: 990, until: 30 } } },
    { conditions: null },
    {
      en: ["prompts above 200,000 tokens", "priority tier", "16:30-00:30 UTC"],
      zh: ["20", "优先", "16:30-00:30"],
    },
  ],
  [{ isNotBelieved: true }, { isNotBelieved: false }, { en: ["It was not believed"], zh: ["未予采信"] }],
  [
    { hasOtherModel: true },
    { hasOtherModel: false },
    { en: ["at the price of the model you called"], zh: ["按所调用模型的价格计费"] },
  ],
  [
    { hasUnreadCounts: true },
    { hasUnreadCounts: false },
    { en: ["a count that Tollgate does not understand"], zh: ["无法识别的用量字段"] },
  ],
  ...cuts.map((cut): (typeof words)[number] => [
    { cut },
    { cut: null },
    { en: [en.requests.cuts[cut]], zh: [zh.requests.cuts[cut]] },
  ]),
];

test.each(words)(
  "a charge with %j says so in both languages, and one with %j does not",
  (matching, other, texts) => {
    for (const locale of ["en", "zh"] as const) {
      for (const word of texts[locale]) {
        expect(shown(locale, matching)).toContain(word);
        expect(shown(locale, other)).not.toContain(word);
      }
    }
  },
);

test("the end of a failed request's hold is shown with the failure only, and not twice", () => {
  for (const money of ["returned", "none"] as const) {
    const charge = { cost: null, held: formatMoney(nanos(1n)), money };
    expect(shown("en", charge)).toMatch(/charged/);
    expect(shown("en", { ...charge, error: "rate_limited" })).not.toMatch(/charged/);
    expect(hasReason({ ...call, ...charge, error: "rate_limited" })).toBe(false);
  }
});

test("a failed request says whether its money was released, or never on hold", () => {
  const failed = (money: "returned" | "none") => {
    const error = "upstreams_unavailable";
    return rendered(
      "en",
      <Failure side="owner" error={error} call={{ ...call, ...withHold(1n), cost: null, error, money }} />,
    );
  };
  expect(failed("returned")).toMatch(/was on hold and has been released\. Nothing was charged/);
  expect(failed("none")).toMatch(/ended before anything was put on hold\. Nothing was charged/);
});

test("ignored members are shown by name, each with its reason in both languages", () => {
  const members = ignoredReasons.map((reason) => ({ member: `m_${reason}`, reason }));
  for (const [locale, { requests }] of [["en", en] as const, ["zh", zh] as const]) {
    const html = rendered(locale, <Facts side="owner" call={{ ...call, ignored: members }} />).replaceAll(
      "&#x27;",
      "'",
    );
    expect(html).toContain(requests.ignored);
    for (const { member, reason } of members) {
      expect(html).toMatch(new RegExp(`${member}<.*${requests.ignoredReasons[reason]}`));
    }
  }
});
