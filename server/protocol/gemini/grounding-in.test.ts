import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { mapToolNames } from "../tools/tool-names";
import { readAnswer } from "./answer-in";
import { citationsIn } from "./grounding-in";
import { GeminiEvents } from "./stream-in";

const names = mapToolNames([], 64);
const chunk = (uri: string) => ({ web: { uri, title: uri.slice(-1) } });
const support = (segment: object, ...groundingChunkIndices: unknown[]) => ({
  segment,
  groundingChunkIndices,
});
const grounded = (...groundingSupports: object[]) => ({
  groundingMetadata: { groundingChunks: [chunk("https://a"), null, chunk("https://b")], groundingSupports },
});
const page = (url: string, start: number, end: number) => ({ url, title: url.slice(-1), start, end });

test("Google's offsets in bytes become offsets in characters, also after an emoji", () => {
  const candidate = grounded(support({ startIndex: 7, endIndex: 11, text: "天气" }, 0, 2));
  expect(atOnce(citationsIn(candidate, "😀 是天气"))).toEqual([
    page("https://a", 3, 5),
    page("https://b", 3, 5),
  ]);
});

test("a segment with wrong offsets is found by its text, and one that is in no page or not in the text is no citation", () => {
  const candidate = grounded(
    support({ startIndex: 90, text: "cd" }, 2, 1, "0", 9),
    support({ startIndex: 0, text: "other" }, 0),
    support({ startIndex: -3, text: "" }, 0),
    { segment: null },
  );
  expect(atOnce(citationsIn(candidate, "ab cd"))).toEqual([page("https://b", 3, 5)]);
  expect(atOnce(citationsIn({ groundingMetadata: "x" }, "ab"))).toEqual([]);
});

test("citations belong to the text, whole and streamed", () => {
  const metadata = grounded(support({ startIndex: 3, text: "cd" }, 0));
  const content = (text: string) => ({ content: { parts: [{ text }], role: "model" }, index: 0 });
  const whole = atOnce(readAnswer({ candidates: [{ ...content("ab cd"), ...metadata }] }, names));
  expect(whole?.blocks).toEqual([{ type: "text", text: "ab cd", citations: [page("https://a", 3, 5)] }]);
  const events = new GeminiEvents(names);
  const answerEvents = [
    ...events.read({ candidates: [content("ab ")] }),
    ...events.read({ candidates: [{ ...content("cd"), ...metadata, finishReason: "STOP" }] }),
    ...(events.end() ?? []),
  ];
  expect(answerEvents.filter(({ type }) => type === "cite")).toEqual([
    { type: "cite", index: 0, citation: page("https://a", 3, 5) },
  ]);
});

test("citations of a long text are found in one pass", () => {
  const text = `${"wörd ".repeat(400_000)}天气`;
  const startIndex = Buffer.byteLength(text) - 6;
  const supports = Array.from({ length: 1_000 }, () => support({ startIndex, text: "天气" }, 0));
  const before = cpuTimeMs();
  const citations = atOnce(citationsIn(grounded(...supports), text));
  expect(citations).toHaveLength(1_000);
  expect(citations.at(-1)).toEqual(page("https://a", 2_000_000, 2_000_002));
  expect(cpuTimeMs() - before).toBeLessThan(500);
});

test("the number of searches for segments that are not in a long text is bounded", () => {
  const supports = Array.from({ length: 1_000 }, (_, each) => support({ text: `other ${each}` }, 0));
  const before = cpuTimeMs();
  expect(atOnce(citationsIn(grounded(...supports), "word ".repeat(4_000_000)))).toEqual([]);
  expect(cpuTimeMs() - before).toBeLessThan(1_000);
});
