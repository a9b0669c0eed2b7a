import { expect, test } from "vitest";
import { JoinedChoices, silentChoices } from "./several";

const error = { code: 502, message: "gone", data: null };
const usage = (more: object = {}) => ({
  prompt_tokens: 10,
  completion_tokens: 5,
  completion_tokens_details: { reasoning_tokens: 2 },
  ...more,
});
const body = (id: string, more: object = {}) =>
  `{"id":"${id}","model":"m","choices":[{"index":0,"message":{"content":"${id}"},"x":1.0,"finish_reason":"stop"}],"usage":${JSON.stringify(usage(more))}}`;

test("whole answers are one, each in its place, with the counts of all and what is wrong with others", () => {
  const whole = new JoinedChoices(silentChoices.chat).whole(
    [body("a", { cost: 0.1 }), error, body("b")],
    0.3,
  );
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

test("streams are one under the first one's identity, whose last words wait for all", () => {
  const joined = new JoinedChoices(silentChoices.completions);
  const sent = [
    joined.failure(2, error),
    joined.piece(1, chunk("a", [{ index: 0, text: "one" }])),
    joined.piece(0, `: keep-alive\n\n${chunk("b", [{ index: 0, text: "two" }], usage())}`),
    joined.piece(1, chunk("a", [], usage()) + frame("[DONE]")),
    joined.failure(2, error),
    joined.end(),
  ];
  expect(sent).toEqual([
    "",
    chunk("a", [{ index: 1, text: "one" }]),
    `: keep-alive\n\n${frame({ id: "a", created: 1, model: "m", choices: [{ index: 0, text: "two" }], usage: null })}`,
    "",
    frame({
      ...{ id: "a", created: 1, model: "m" },
      choices: [
        {
          ...{ index: 2, text: "", logprobs: null, finish_reason: "error" },
          error: { code: 502, message: "gone" },
        },
      ],
    }),
    frame({
      ...{ id: "a", created: 1, model: "m", choices: [] },
      usage: { prompt_tokens: 20, completion_tokens: 10, completion_tokens_details: { reasoning_tokens: 4 } },
    }) + frame("[DONE]"),
  ]);
});
