import { expect, test } from "vitest";
import { append, beginExchange, historyOf } from "./exchange";

const exchange = (id: number, text = "") => ({
  ...beginExchange({ id, prompt: `q${id}`, model: "m" }),
  text,
});

test("an answer is the sum of its events, and its first word is timed once", () => {
  const begun = exchange(1);
  const counted = append(begun, { usage: { input: 7 } }, 5);
  expect(counted).toMatchObject({ firstWordMs: null, usage: { input: 7 } });
  const thought = append(counted, { reasoning: "hm" }, 10);
  const answer = append(append(thought, { text: "a" }, 20), { text: "b", finish: "stop" }, 30);
  expect(append(answer, { usage: { output: 2 } }, 40)).toEqual({
    ...begun,
    ...{ text: "ab", reasoning: "hm", finish: "stop", usage: { input: 7, output: 2 }, firstWordMs: 10 },
  });
});

test("a question without an answer is not sent again with the next question", () => {
  expect(historyOf([exchange(1, "a1"), exchange(2), exchange(3, "a3")])).toEqual([
    { role: "user", content: "q1" },
    { role: "assistant", content: "a1" },
    { role: "user", content: "q3" },
    { role: "assistant", content: "a3" },
  ]);
});
