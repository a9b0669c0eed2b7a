import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { useSpanOf } from "./use-span-of";

const days = { dateStyle: "medium", timeZone: "UTC" } as const;
const hours = { ...days, timeStyle: "short", hourCycle: "h23" } as const;

type Shown = { until: string; options: typeof days | typeof hours };

function Span({ until, options }: Shown) {
  return useSpanOf()(new Date("2026-12-01T00:00:00Z"), new Date(until), options);
}

const shown = (locale: "en" | "zh", { until, options }: Shown) =>
  renderToStaticMarkup(
    <IntlProvider locale={locale}>
      <Span until={until} options={options} />
    </IntlProvider>,
  );

test("a span is in words, and its spaces are those of browsers, also on the server", () => {
  const month = { until: "2026-12-31T12:00:00Z", options: days };
  expect(shown("en", month)).toBe("Dec 1 – 31, 2026");
  expect(shown("zh", month)).toBe("2026年12月1日至2026年12月31日");
  expect(shown("en", { until: "2026-12-01T04:00:00Z", options: hours })).toBe("Dec 1, 2026, 00:00 – 04:00");
});

test("a span of one day is that day", () => {
  const day = { until: "2026-12-01T12:00:00Z", options: days };
  expect(shown("en", day)).toBe("Dec 1, 2026");
  expect(shown("zh", day)).toBe("2026年12月1日");
});
