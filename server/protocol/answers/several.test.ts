import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { timed } from "@/tests/support/work-time";
import type { JsonObject } from "../fields";
import { parseExact } from "../json/exact-numbers";

import { JoinedChoices, silentChoices } from "./several";

const pieceOf = (joined: JoinedChoices, place: number, text: string) => atOnce(joined.piece(place, text));

const error = { code: 502, message: "gone", data: null };
const usage = (more: object = {}) => ({
  prompt_tokens: 10,
  completion_tokens: 5,
  completion_tokens_details: { reasoning_tokens: 2 },
  ...more,
});
const body = (id: string, more: object = {}) =>
  `{"id":"${id}","model":"m","choices":[{"index":0,"message":{"content":"${id}"},"x":1.0,"finish_reason":"stop"}],"usage":${JSON.stringify(usage(more))}}`;

test("whole answers become one, each in its place, with the sum of their counts and the errors of failed ones", () => {
  const joined = new JoinedChoices(silentChoices.chat);
  const answers = [body("a", { cost: 0.1 }), error, body("b")].map((each) =>
    typeof each === "string" ? { body: parseExact(each) as JsonObject } : { failure: each },
  );
  const whole = JSON.stringify(joined.whole(answers, 0.3));
  expect(whole).toContain('"x":1.0');
  expect(JSON.parse(whole)).toMatchObject({
    id: "a",
    choices: [
      { index: 0, message: { content: "a" }, finish_reason: "stop" },
      {
        ...{ index: 1, message: { role: "assistant", content: "" }, finish_reason: "error" },
        error: { code: 502, message: "gone" },
      },
      { index: 2, message: { content: "b" } },
    ],
    usage: {
      ...{ prompt_tokens: 20, completion_tokens: 10, cost: 0.3 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
  });
});

const frame = (value: object | string) =>
  `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
const chunk = (id: string, choices: object[], counts: object | null = null) =>
  frame({ id, created: id === "a" ? 1 : 2, model: "m", choices, usage: counts });

test("streams become one with the first stream's identity, and the counts and [DONE] wait for all", () => {
  const joined = new JoinedChoices(silentChoices.completions);
  const failed = (index: number) =>
    frame({
      ...{ id: "a", created: 1, model: "m" },
      choices: [
        {
          ...{ index, text: "", logprobs: null, finish_reason: "error" },
          error: { code: 502, message: "gone" },
        },
      ],
    });
  const pieces = [
    // Sent as soon as there is a stream to send it in.
    joined.failure(2, error),
    pieceOf(joined, 1, ": keep-alive\n\n"),
    pieceOf(joined, 1, chunk("a", [{ index: 0, text: "one" }])),
    pieceOf(joined, 0, `: keep-alive\n\n${chunk("b", [{ index: 0, text: "two" }], usage())}`),
    pieceOf(joined, 1, chunk("a", [], usage()) + frame("[DONE]")),
    joined.failure(3, error),
    // The end of an answer that the client's dialect cannot express.
    pieceOf(joined, 4, frame({ error: { code: 502, message: "gone", type: "upstream_error" } })),
    joined.end(),
  ];
  expect(pieces).toEqual([
    "",
    ": keep-alive\n\n",
    chunk("a", [{ index: 1, text: "one" }]) + failed(2),
    `: keep-alive\n\n${frame({ id: "a", created: 1, model: "m", choices: [{ index: 0, text: "two" }], usage: null })}`,
    "",
    failed(3),
    failed(4),
    frame({
      ...{ id: "a", created: 1, model: "m", choices: [] },
      usage: { prompt_tokens: 20, completion_tokens: 10, completion_tokens_details: { reasoning_tokens: 4 } },
    }) + frame("[DONE]"),
  ]);
});

test("long answers are joined without a look at their content", async () => {
  const tokens = Array.from({ length: 500_000 }, () => ({ token: "a", logprob: -0.125 }));
  const body: JsonObject = { choices: [{ index: 0, logprobs: tokens }], usage: {} };
  const joined = new JoinedChoices(silentChoices.chat);
  const { result: whole, ms } = await timed(() => joined.whole([{ body }, { body }]));
  expect(ms).toBeLessThan(20);
  expect(whole).toMatchObject({ choices: [{ index: 0 }, { index: 1 }] });
});
