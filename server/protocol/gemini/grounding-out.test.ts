import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { objects } from "../fields";
import { writeGrounding } from "./grounding-out";

const page = (start: number, end: number) => ({ url: "https://a.test", title: "a", start, end });
const segments = (text: string, ...citations: ReturnType<typeof page>[]) =>
  objects(atOnce(writeGrounding([{ text, citations }]))?.groundingSupports).map(({ segment }) => segment);

test("offsets in characters become Google's offsets in bytes, also after an emoji, in any order", () => {
  expect(segments("😀 是天气", page(3, 5), page(0, 1), page(2, 90))).toEqual([
    { startIndex: 8, endIndex: 14, text: "天气" },
    { startIndex: 0, endIndex: 4, text: "😀" },
    { startIndex: 5, endIndex: 14, text: "是天气" },
  ]);
});

test("citations of a long text are written in one pass, and do not multiply the text", () => {
  const text = "wörd ".repeat(400_000);
  const citations = Array.from({ length: 1_000 }, (_, each) => page(each, 1_900_000 - each));
  const short = Array.from({ length: 1_000 }, (_, each) => page(1_900_000 - each, 1_900_010));
  const before = cpuTimeMs();
  expect(segments(text, ...citations)).toEqual([]);
  expect(segments(text, ...short)).toHaveLength(1_000);
  // Before: minutes.
  expect(cpuTimeMs() - before).toBeLessThan(500);
});
