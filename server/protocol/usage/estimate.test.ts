import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { timed } from "@/tests/support/work-time";
import { countSaid, countTokens, estimateInput } from "./estimate";

const TEXT = "lorem ipsum dolor sit amet ".repeat(2_000);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const estimate = (content: unknown) => estimateInput({ messages: [{ role: "user", content }] });
const plain = estimate(TEXT);

describe("text counts as text in every place", () => {
  const dataUrl = `data:text/plain;base64,${base64(TEXT)}`;
  const sound = `data:audio/mp3;base64,${TEXT}`;
  const csv = { type: "base64", media_type: "text/csv", data: base64(TEXT) };
  const document = (source: object, more: object = {}) => [{ type: "document", source, ...more }];
  const blocks = [{ type: "text", text: TEXT }];
  test.each<[string, unknown]>([
    ["a document with a member text", document({ type: "text", data: TEXT }, { text: "x" })],
    ["a document's content", document({ type: "content", content: TEXT })],
    ["a document's blocks", document({ type: "content", content: blocks })],
    ["a document's context", document({ type: "text", data: "x" }, { context: TEXT })],
    ["a document's title", document({ type: "text", data: "x" }, { title: TEXT })],
    ["a text document in base64", document(csv)],
    ["a tool result with a member text", [{ type: "tool_result", text: "x", content: TEXT }]],
    ["a tool result's blocks", [{ type: "tool_result", content: blocks }]],
    ["a search result", [{ type: "search_result", title: "t", source: "s", content: blocks }]],
    ["a tool call with a member text", [{ type: "tool_use", text: "x", name: "f", input: { TEXT } }]],
    ["a text file", [{ type: "file", file: { filename: "a.txt", file_data: dataUrl } }]],
    ["a file's name", [{ type: "file", file: { filename: TEXT } }]],
    ["a refusal", [{ type: "refusal", refusal: TEXT }]],
    ["a part of an unknown type", [{ type: "mystery", deep: { text: TEXT } }]],
    ["a part without a type", [{ text: TEXT }]],
    ["a text that looks like a file", [{ type: "text", text: sound }]],
    ["a call's argument that looks like a file", [{ type: "tool_use", input: sound }]],
    ["content that is an object", { any: TEXT }],
    ["bare strings", [TEXT]],
  ])("%s", (_name, content) => {
    expect(estimate(content)).toBeGreaterThan(plain * 0.99);
  });

  test("a role", () => {
    expect(estimateInput({ messages: [{ role: TEXT, content: "x" }] })).toBeGreaterThan(plain * 0.99);
  });
});

describe("media count by their size, never by their base64", () => {
  const data = "A".repeat(400_000);
  test.each<[string, unknown, number]>([
    ["a picture", { type: "image", source: { type: "base64", media_type: "image/png", data } }, 1_600],
    ["a picture's address", { type: "image_url", image_url: { url: "https://example.com/a.png" } }, 1_600],
    ["a picture's data", { type: "image_url", image_url: { url: `data:image/png;base64,${data}` } }, 1_600],
    ["a PDF", { type: "document", source: { type: "base64", media_type: "application/pdf", data } }, 4_000],
    ["a PDF file", { type: "file", file: { file_data: `data:application/pdf;base64,${data}` } }, 4_000],
    ["a PDF's base64 alone", { type: "file", file: { file_data: `JVBERi0${data}` } }, 4_000],
    ["sound", { type: "input_audio", input_audio: { data, format: "wav" } }, 4_000],
  ])("%s", (_name, part, tokens) => {
    expect(estimate([part])).toBeGreaterThanOrEqual(tokens);
    expect(estimate([part])).toBeLessThan(tokens + 40);
  });

  test("a picture does not hide the text of its tool result", () => {
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
    const content = [image, { type: "text", text: TEXT }];
    expect(estimate([{ type: "tool_result", content }])).toBeGreaterThan(plain + 1_500);
  });
});

test("marks for the cache and signatures of thinking add no tokens", () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "s".repeat(4_000) };
  const marked = { type: "text", text: "hello", cache_control: { type: "ephemeral", ttl: "1h" } };
  expect(estimate([thinking, marked])).toBeLessThan(15);
});

test("members that throw when they are made a string are counted", () => {
  const evil = { toString: 1, valueOf: 1 };
  expect(estimate([{ type: evil, name: evil, source: evil, content: evil }])).toBeGreaterThan(10);
});

test.each([
  // A hold is 1.3 times the estimate; the counts are those of OpenAI's older tokenizer.
  ["words of one letter", "a b c d e f ".repeat(200), 1_201],
  ["short words", "the cat sat on the mat and it was a big one so we let it be ".repeat(20), 341],
  ["Hindi", "यह एक परीक्षण वाक्य है जिसमें कई शब्द हैं। ".repeat(20), 901],
  ["Hebrew", "זהו משפט בדיקה עם כמה מילים. ".repeat(20), 581],
  ["Thai", "นี่คือประโยคทดสอบที่มีหลายคำ ".repeat(20), 540],
  ["Russian", "Это тестовое предложение с несколькими словами. ".repeat(20), 381],
  ["Chinese", "这是一个包含多个词语的测试句子。".repeat(20), 320],
])("a hold for %s covers what a tokenizer counts", (_name, text, tokens) => {
  expect(countTokens(text) * 1.3).toBeGreaterThanOrEqual(tokens * 0.99);
});

test("each of many small parts counts at least one token", () => {
  expect(estimate(Array(1_000).fill({ type: "text", text: "a" }))).toBeGreaterThanOrEqual(1_000);
});

test("a text in pieces counts as much as the whole text, within a token for each piece", () => {
  const words = "Hello there, this is a text that comes in pieces".split(/(?= )/);
  const pieces = words.reduce((sum, word) => sum + countTokens(word), 0);
  expect(Math.abs(pieces - countTokens(words.join("")))).toBeLessThan(1);
  const letters = [...words.join("")].reduce((sum, letter) => sum + countTokens(letter), 0);
  expect(letters).toBeLessThan(pieces);
});

test("estimating takes time in proportion to the text", () => {
  const started = cpuTimeMs();
  for (const unit of ["a", " ", "data:", ";base64", "é"]) {
    countTokens(unit.repeat(1_000_000));
    estimate([{ type: "file", file: { file_data: `data:${unit.repeat(1_000_000)}` } }]);
  }
  expect(cpuTimeMs() - started).toBeLessThan(2_000);
});

describe("media that the upstream fetches itself count a fixed high number of tokens", () => {
  const film = "https://a.example/film.mp4";
  test.each<[unknown, number]>([
    [{ type: "video_url", video_url: { url: film } }, 100_000],
    [{ type: "video_url", video_url: film }, 100_000],
    [{ type: "audio_url", audio_url: { url: "https://a.example/talk.mp3" } }, 30_000],
    [{ type: "input_file", file_url: "https://a.example/book.pdf" }, 30_000],
  ])("%j", (part, least) => {
    expect(estimate([part])).toBeGreaterThan(least);
    expect(estimate([part])).toBeLessThan(least + 100);
  });

  test("media inside the request count by their length", () => {
    const url = `data:video/mp4;base64,${"A".repeat(10_000)}`;
    expect(estimate([{ type: "video_url", video_url: { url } }])).toBeLessThan(200);
  });
});

test("a long text from an upstream is estimated by its beginning, in less than 100 ms", async () => {
  const long = "wörd 的 \n".repeat(4_000_000);
  const { result: tokens, ms } = await timed(() => countSaid(long));
  // Counting all of it takes 400 ms.
  expect(ms).toBeLessThan(100);
  expect(tokens / (countTokens("wörd 的 \n".repeat(1_000)) * 4_000)).toBeCloseTo(1, 3);
});
