import { describe, expect, test } from "vitest";
import { usageRanges } from "@/server/domain/enums";
import { firstHourOf, partsOf } from "./day-parts";
import { resolveSpan, spanBefore, spanOfDays } from "./usage-span";

const at = (text: string) => new Date(`${text}Z`);
const text = (hour: Date | null) => hour?.toISOString().slice(0, 13) ?? null;

const ranges = ({ days, hours }: ReturnType<typeof partsOf>) => ({
  days: days && [text(days.from), text(days.until)],
  hours: hours.map(({ from, until }) => [text(from), text(until)]),
});

describe("a span is read from sums of whole days, and from the hours around them", () => {
  const timeZone = "Asia/Shanghai";
  const now = at("2026-05-20T10:30");
  const summedUntil = firstHourOf("2026-05-20", timeZone);
  const parts = (range: "day" | "today" | "week" | "month" | "last-month") =>
    ranges(partsOf(resolveSpan({ range }, { now, timeZone }), { summedUntil, timeZone }));

  test("a month under way: its days, and the hours since the last sum, without an end", () => {
    expect(parts("month")).toEqual({ days: [null, "2026-05-19T16"], hours: [["2026-05-19T16", null]] });
  });

  test("a month that has ended: its days, and hours after the last sum, which it may still get", () => {
    expect(parts("last-month")).toEqual({ days: [null, "2026-05-19T16"], hours: [["2026-05-19T16", null]] });
  });

  test("a week: six days, and today's hours", () => {
    expect(parts("week")).toEqual({
      days: ["2026-05-13T16", "2026-05-19T16"],
      hours: [["2026-05-19T16", "2026-05-20T16"]],
    });
  });

  test("today and the last 24 hours: only hours", () => {
    expect(parts("today")).toEqual({ days: null, hours: [["2026-05-19T16", "2026-05-20T16"]] });
    expect(parts("day")).toEqual({ days: null, hours: [["2026-05-19T11", "2026-05-20T11"]] });
  });

  test("a part of a day before days, and after them", () => {
    const span = {
      from: at("2026-05-02T03:00"),
      until: at("2026-05-10T20:00"),
      isFromStart: false,
      isToEnd: false,
    };
    expect(ranges(partsOf(span, { summedUntil, timeZone }))).toEqual({
      days: ["2026-05-02T16", "2026-05-10T16"],
      hours: [
        ["2026-05-02T03", "2026-05-02T16"],
        ["2026-05-10T16", "2026-05-10T20"],
      ],
    });
  });

  test("without sums: only hours", () => {
    const span = spanOfDays("2026-05-02", "2026-05-10", timeZone);
    expect(ranges(partsOf(span, { summedUntil: null, timeZone }))).toEqual({
      days: null,
      hours: [["2026-05-01T16", "2026-05-10T16"]],
    });
  });
});

describe("in a zone of half hours a day begins with the hour that contains its start", () => {
  const timeZone = "Asia/Kolkata";
  const summedUntil = firstHourOf("2026-05-20", timeZone);

  test("days", () => {
    const span = spanOfDays("2026-05-02", "2026-05-10", timeZone);
    expect(ranges(partsOf(span, { summedUntil, timeZone }))).toEqual({
      days: ["2026-05-01T18", "2026-05-10T18"],
      hours: [],
    });
  });

  test("every hour of a span is in one part", () => {
    const now = at("2026-05-20T10:30");
    for (const range of usageRanges) {
      const span = resolveSpan({ range }, { now, timeZone });
      for (const each of [span, spanBefore(span, { now, timeZone })]) {
        const { days, hours } = partsOf(each, { summedUntil, timeZone });
        const all = [...(days ? [days] : []), ...hours].sort(
          (left, right) => (left.from?.getTime() ?? 0) - (right.from?.getTime() ?? 0),
        );
        expect(all.slice(1).map(({ from }) => from)).toEqual(all.slice(0, -1).map(({ until }) => until));
      }
    }
  });
});
