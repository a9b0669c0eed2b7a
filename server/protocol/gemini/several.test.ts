import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import type { JsonObject } from "../fields";
import { parseExact } from "../json/exact-numbers";

import { JoinedCandidates } from "./several";
import { asArray, asEvents } from "./stream-out";

const pieceOf = (joined: JoinedCandidates, place: number, text: string) => atOnce(joined.piece(place, text));

const error = { code: 502, message: "没有", sentence: "gone" };
const head = { modelVersion: "m", responseId: "r1" };
const counts = (output: number) => ({
  ...{ promptTokenCount: 10, candidatesTokenCount: output, totalTokenCount: 10 + output },
  promptTokensDetails: [{ modality: "TEXT", tokenCount: 10 }],
});
const candidate = (index: number, text: string, more: object = {}) => ({
  ...{ content: { parts: [{ text }], role: "model" }, ...more },
  index,
});
const failed = (index: number) => ({
  ...{ index, content: { parts: [], role: "model" } },
  ...{ finishReason: "OTHER", finishMessage: "gone" },
});
const response = (candidates: object[], more: object = {}) => ({ candidates, ...more, ...head });

test("whole answers become one, each in its place, with the sum of their counts", () => {
  const answerText = (text: string) =>
    `{"candidates":[{"content":{"parts":[{"text":"${text}","x":1.0}]},"index":0}],"usageMetadata":${JSON.stringify(counts(5))},"modelVersion":"m","responseId":"${text}"}`;
  const bodyOf = (text: string) => ({ body: parseExact(answerText(text)) as JsonObject });
  const answers = [bodyOf("a"), { failure: error }, bodyOf("b")];
  const whole = JSON.stringify(new JoinedCandidates(asEvents).whole(answers));
  expect(whole).toContain('"x":1.0');
  expect(JSON.parse(whole)).toMatchObject({
    candidates: [{ index: 0 }, failed(1), { index: 2, content: { parts: [{ text: "b" }] } }],
    usageMetadata: { promptTokenCount: 20, candidatesTokenCount: 10, totalTokenCount: 30 },
    responseId: "a",
  });
});

test.each([
  ["events", { framing: asEvents, frame: (json: string) => `data: ${json}\n\n`, last: "" }],
  [
    "an array",
    {
      framing: asArray(),
      frame: (json: string, at: number) => (at === 0 ? "[" : "\n,\n") + json,
      last: "\n]\n",
    },
  ],
] as const)(
  "streams become one, as %s, and its last piece has the sum of their counts",
  (_name, { framing, frame, last }) => {
    const joined = new JoinedCandidates(framing);
    const piece = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
    const output = [
      // Sent as soon as there is a stream to send it in.
      joined.failure(2, error),
      pieceOf(joined, 1, piece(response([candidate(0, "one")], { usageMetadata: counts(1) }))),
      pieceOf(
        joined,
        0,
        piece({ ...response([candidate(0, "two", { finishReason: "STOP" })]), responseId: "r2" }),
      ),
      pieceOf(
        joined,
        1,
        piece(response([candidate(0, "", { finishReason: "STOP" })], { usageMetadata: counts(4) })),
      ),
      pieceOf(joined, 3, piece({ error: { code: 502, message: "gone", status: "UNAVAILABLE" } })),
      joined.end(),
    ].join("");
    const usageMetadata = counts(4);
    const pieces = [
      response([candidate(1, "one")]),
      response([failed(2)]),
      response([candidate(0, "two", { finishReason: "STOP" })]),
      response([candidate(1, "", { finishReason: "STOP" })]),
      response([failed(3)]),
      response([{ index: 0, content: { parts: [{ text: "" }], role: "model" } }], { usageMetadata }),
    ];
    expect(output).toBe(pieces.map((each, at) => frame(JSON.stringify(each), at)).join("") + last);
    expect(joined.broken(piece({ error: {} }))).toBe(frame('{"error":{}}', pieces.length) + last);
  },
);
