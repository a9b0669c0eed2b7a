import { expect, test } from "vitest";
import { UpstreamFault } from "@/server/channels";
import { startOf } from "./answer-start";

async function* bodyOf(pieces: Iterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield Buffer.from(piece);
  }
}

const read = async (pieces: Iterable<string | Uint8Array>) => {
  const { isJson, body } = await startOf(bodyOf(pieces));
  const rest: Uint8Array[] = [];
  for await (const piece of body) {
    rest.push(piece);
  }
  return { isJson, text: Buffer.concat(rest).toString() };
};

const blanks = "\n ".repeat(1_000);

test.each<[string, (string | Uint8Array)[], { isJson: boolean; text: string }]>([
  ["an empty answer", [], { isJson: false, text: "" }],
  ["nothing but blanks", ["", " ", blanks], { isJson: false, text: "" }],
  ["an object", ['{"a":', "1}"], { isJson: true, text: '{"a":1}' }],
  ["a list after many blanks", [`${blanks}${blanks}[1`, "]"], { isJson: true, text: "[1]" }],
  ["an object after many pieces of blanks", [...Array(3_000).fill("\n"), "{}"], { isJson: true, text: "{}" }],
  [
    "a byte order mark in two pieces",
    [Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf), "{}"],
    { isJson: true, text: "{}" },
  ],
  ["events", ["data: {}\n\n", "data: 1\n\n"], { isJson: false, text: "data: {}\n\ndata: 1\n\n" }],
  ["JSON of several lines", ['{\n "a":', " {}\n}"], { isJson: true, text: '{\n "a": {}\n}' }],
  ["lines of JSON", ['{"a":1}', "\n", '\n{"b', '":2}'], { isJson: false, text: '{"a":1}\n\n{"b":2}' }],
  ["one line of JSON", ['{"a":1}\n', "\n"], { isJson: true, text: '{"a":1}\n\n' }],
  ["events after blanks", [blanks, "\n: wait\n\n"], { isJson: false, text: ": wait\n\n" }],
])("the beginning of an answer is found: %s", async (_name, pieces, expected) => {
  expect(await read(pieces)).toEqual(expected);
});

test("a stream of lines of JSON has begun before it ends", async () => {
  let isRead = false;
  const lines = (function* () {
    yield '{"a":1}\n{';
    isRead = true;
    yield '"b":2}\n';
  })();
  const { isJson } = await startOf(bodyOf(lines));
  expect([isJson, isRead]).toEqual([false, false]);
});

test.each([
  ["in large pieces", 64 * 1024],
  ["in empty pieces", 0],
])("an answer of endless blanks is given up as the upstream's fault: %s", async (_name, size) => {
  let pieceCount = 0;
  const forever = (function* () {
    for (; ; pieceCount++) {
      yield " ".repeat(size);
    }
  })();
  await expect(startOf(bodyOf(forever))).rejects.toThrow(UpstreamFault);
  expect(pieceCount * Math.max(64, size)).toBeLessThanOrEqual(1024 * 1024 + 64 * 1024);
});
