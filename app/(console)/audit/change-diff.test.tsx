import { MantineProvider } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import * as en from "@/app/_messages/en";
import * as zh from "@/app/_messages/zh";
import { ChangeDiff } from "./change-diff";

const shown = (locale: "en" | "zh", before: unknown, after: unknown) =>
  renderToStaticMarkup(
    <IntlProvider locale={locale} messages={{ en, zh }[locale]} timeZone="UTC">
      <MantineProvider>
        <ChangeDiff before={before} after={after} />
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
