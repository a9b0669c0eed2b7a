import { expect, test } from "vitest";
import { timed } from "@/tests/support/work-time";
import { countPrompt, countTokens, estimateInput } from "./estimate";
import { countFromSamples } from "./sampled-count";

const KB = 1024;
const fill = (text: string, length: number) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
const latin = "The quick brown fox jumps over the lazy dog, and then it sleeps until 7 in the morning.\n";
const chinese = "这是一个包含多个词语的测试句子。";
const code =
  "export const sum = (list: number[]) =>\n    list.reduce((all, each) => all + each, 0); // 0x1F\n";
const numbers = "3.14159, 2.71828;\t1024 65536\n";
const base64 = Buffer.from(Uint8Array.from({ length: 3_000 }, (_, at) => (at * 7919) % 251)).toString(
  "base64",
);

/** Pieces of all kinds, in an order without a pattern. */
function mixed(pieceLength: number, length: number): string {
  const kinds = [latin, chinese, code, numbers, base64];
  let text = "";
  for (let at = 1; text.length < length; at = (at * 48_271) % 2_147_483_647) {
    text += fill(kinds[at % kinds.length] ?? "", pieceLength);
  }
  return text;
}

const texts: [what: string, text: string][] = [
  ["Latin text", fill(latin, 300 * KB)],
  ["Chinese text", fill(chinese, 300 * KB)],
  ["code", fill(code, 300 * KB)],
  ["base64", fill(base64, 300 * KB)],
  ["numbers", fill(numbers, 300 * KB)],
  ["one word", "a".repeat(300 * KB)],
  ["blanks", " ".repeat(300 * KB)],
  ["short pieces of all", mixed(200, 300 * KB)],
  ["long pieces of all", mixed(20 * KB, 600 * KB)],
  ["two different halves", fill(latin, 500 * KB) + fill(chinese, 500 * KB)],
  ["text after blanks", " ".repeat(900 * KB) + fill(chinese, 100 * KB)],
];

test.each(texts)(
  "a sampled count of a prompt of %s differs from a full count by less than 18 percent",
  (_name, text) => {
    const full = countTokens(text);
    for (let times = 0; times < 50; times++) {
      // Six standard errors; the hold has a margin of 30 percent.
      expect(Math.abs(countPrompt([text]) / full - 1)).toBeLessThan(0.18);
    }
  },
);

test("repeated counts of one prompt are right on average, so that no client can gain by placing its text", () => {
  const text = mixed(3 * KB, 300 * KB);
  const counts = Array.from({ length: 300 }, () => countPrompt([text]));
  const mean = counts.reduce((sum, tokens) => sum + tokens, 0) / counts.length;
  expect(Math.abs(mean / countTokens(text) - 1)).toBeLessThan(0.01);
});

test("a prompt in many texts counts as much as its texts", () => {
  const turns = Array.from({ length: 200 }, (_, at) => fill(at % 2 ? latin : code, 2_000));
  const full = turns.reduce((sum, text) => sum + countTokens(text) + 4, 3);
  const messages = turns.map((content) => ({ role: "user", content }));
  expect(Math.abs(estimateInput({ messages }) / full - 1)).toBeLessThan(0.06);
});

test.each([1_000, 2_000, 8_000])(
  "dense words of %d characters among blanks are found by the samples",
  (length) => {
    // A tenth of the text, in places that the client chose at random.
    let text = "";
    for (let at = 1; text.length < 600 * KB; at = (at * 48_271) % 2_147_483_647) {
      text += at % 10 === 0 ? fill(chinese, length) : " ".repeat(length);
    }
    const full = countTokens(text);
    const counts = Array.from({ length: 100 }, () => countPrompt([text]));
    // The margin of a hold covers each of them.
    expect(Math.min(...counts) * 1.3).toBeGreaterThan(full);
  },
);

test("rare dense words among blanks are counted", () => {
  const length = 640 * KB;
  // One of 128 samples would hit them, if any does.
  const words = fill("ქართული", length / 128);
  const text = `${" ".repeat(length / 2)}${words}${" ".repeat(length / 2)}`;
  for (let times = 0; times < 50; times++) {
    expect(countPrompt([text])).toBeCloseTo(countTokens(text), 3);
  }
});

test("samples that are too cheap give no count", () => {
  expect(countFromSamples(1_000_000, () => 512 / 8 - 1)).toBeNull();
  expect(countFromSamples(1_000_000, () => 512 / 8)).toBe(125_000);
});

test("samples that differ too much give no count", () => {
  const isDense = (from: number) => Math.floor(from / 8_000) % 10 === 0;
  expect(countFromSamples(1_000_000, (from) => (isDense(from) ? 400 : 10))).toBeNull();
  expect(countFromSamples(1_000_000, (from) => (from < 500_000 ? 400 : 100))).not.toBeNull();
});

test("a prompt of 20 MB is counted in less than 20 ms", async () => {
  const text = fill(latin, 20 * KB * KB);
  const messages = [{ role: "user", content: text }];
  estimateInput({ messages });
  const { result: tokens, ms } = await timed(() => estimateInput({ messages }));
  // A full count takes 130 ms.
  expect(ms).toBeLessThan(20);
  expect(Math.abs(tokens / (countTokens(fill(latin, KB * KB)) * 20) - 1)).toBeLessThan(0.05);
});
