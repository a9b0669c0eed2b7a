import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import * as en from "@/app/_messages/en";
import * as zh from "@/app/_messages/zh";
import { InstallationProvider } from "../_components/text/installation";
import { ChangeDiff } from "./change-diff";

const installation = { currency: "CNY", billingTimeZone: "UTC" } as Parameters<
  typeof InstallationProvider
>[0]["value"];

const shown = (locale: "en" | "zh", before: unknown, after: unknown) =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={{ en, zh }[locale]} timeZone="UTC">
      <MantineProvider>
        <InstallationProvider value={installation}>
          <ChangeDiff before={before} after={after} />
        </InstallationProvider>
      </MantineProvider>
    </IntlProvider>,
  );

test.each([
  ["en" as const, ["No", "Yes", "Active", "Disabled"]],
  ["zh" as const, ["否", "是", "正常", "已禁用"]],
])("flags and states are shown in words, in %s", (locale, words) => {
  const html = shown(locale, { isFree: false, status: "active" }, { isFree: true, status: "disabled" });
  for (const word of words) {
    expect(html).toContain(word);
  }
  expect(html).not.toMatch(/>(true|false|active|disabled)</);
});

test("a name is shown as it is written, even if it looks like a state", () => {
  const html = shown("zh", null, { name: "active", email: "disabled" });
  expect(html).toContain("active");
  expect(html).toContain("disabled");
});

test("a moment is shown in the reader's zone, not as it is stored", () => {
  const html = shown("en", { expiresAt: null }, { expiresAt: "2026-12-01T08:30:00.000Z" });
  expect(html).toContain("Dec 1, 2026, 08:30:00");
  expect(html).not.toContain(">2026-12-01T");
});

test.each(["2026-99-99T99:99:99Z", "2026-12-01T08:30:00Z"])("a name %s is shown as it is written", (name) => {
  expect(shown("en", null, { name })).toContain(name);
});

test("a moment that is none is shown as it is written", () => {
  expect(shown("en", null, { expiresAt: "never" })).toContain("never");
});

test("a replaced amount has its currency, and the line shows it before the reason", () => {
  const html = shown("en", { quota: "500" }, { reason: "new contract", quota: "600" });
  const line = html.slice(0, html.indexOf("</summary>"));
  expect(line).toContain("¥500.00");
  expect(line).toContain("¥600.00");
  expect(line).toContain("+1 more");
  expect(line).not.toContain("new contract");
  expect(html).toContain("new contract");
});

test("an amount in a currency of its own has that currency", () => {
  expect(shown("en", null, { amount: "200", currency: "USD" })).toContain("$200.00");
});

test.each([
  ["en" as const, "deepseek-chat · Factor", "Input"],
  ["zh" as const, "deepseek-chat · 系数", "输入"],
])("members within prices and models are named in %s, not by their paths", (locale, factor, input) => {
  const html = shown(locale, null, {
    models: { "deepseek-chat": { factor: "0.65" } },
    prices: { input: "4.2" },
  });
  expect(html).toContain(factor);
  expect(html).toContain(input);
  expect(html).toContain("¥4.20");
});

test("a value that replaced none is not marked as deleted", () => {
  expect(shown("en", null, { name: "website", isReadOnly: true })).not.toContain("<del>");
});
