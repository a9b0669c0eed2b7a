import { expect, test } from "vitest";
import { SYNTHETIC_SIGNATURE } from "../signed-thinking";
import { withoutUnsignedThinking } from "./history";

const thinking = (signature: unknown) => ({ type: "thinking", thinking: "hm", signature });
const call = { type: "tool_use", id: "t", name: "f", input: {} };
const request = (content: unknown[], more: object = {}) => ({
  messages: [
    { role: "user", content: "hi" },
    { role: "assistant", content },
  ],
  ...more,
});

test("a history with thinking that the vendor signed stays as it is", () => {
  expect(withoutUnsignedThinking(request([thinking("Eq8="), call]))).toEqual({});
  expect(withoutUnsignedThinking({ messages: [{ role: "user", content: "hi" }] })).toEqual({});
});

test.each([[SYNTHETIC_SIGNATURE], [""], [null], [undefined]])(
  "CLIProxyAPI#1584: thinking with the signature %j is removed before a vendor that checks signatures gets it",
  (signature) => {
    expect(withoutUnsignedThinking(request([thinking(signature), { type: "text", text: "a" }]))).toEqual(
      request([{ type: "text", text: "a" }]),
    );
  },
);

test("a turn with nothing but unsigned thinking is removed as a whole", () => {
  expect(withoutUnsignedThinking(request([thinking("")])).messages).toEqual([
    { role: "user", content: "hi" },
  ]);
});

const budget = { thinking: { type: "enabled", budget_tokens: 2_000 } };
const answered = (...more: object[]) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }, ...more],
});
const assistantTurn = (...content: object[]) => ({ role: "assistant", content });
const text = { type: "text", text: "a" };

test("a finished turn with unsigned thinking does not switch off the thinking of the open turn", () => {
  const question = { role: "user", content: "next" };
  const finishedTurns = [assistantTurn(thinking(""), call), answered(), assistantTurn(text), question];
  const open = [assistantTurn(thinking("Eq8="), call), answered()];
  const history = (first: object) => [question, first, ...finishedTurns.slice(1)];
  const { messages, thinking: switched } = withoutUnsignedThinking({
    messages: [question, ...finishedTurns, ...open],
    ...budget,
  });
  expect([messages, switched]).toEqual([[...history(assistantTurn(call)), ...open], undefined]);
  expect(withoutUnsignedThinking({ messages: [question, ...finishedTurns], ...budget })).toEqual({
    messages: history(assistantTurn(call)),
  });
});

test("a tool loop that began with signed thinking keeps its budget", () => {
  const loop = [
    assistantTurn(thinking("Eq8="), call),
    answered(),
    assistantTurn(thinking(""), call),
    answered(),
  ];
  const messages = [{ role: "user", content: "hi" }, ...loop];
  expect(withoutUnsignedThinking({ messages, ...budget })).not.toHaveProperty("thinking");
});

test("a call whose thinking is switched off sends no earlier thinking back, signed or not", () => {
  const messages = [
    { role: "user", content: "hi" },
    assistantTurn(thinking("Eq8="), text),
    { role: "user", content: "go on" },
    assistantTurn(thinking(""), call),
    { role: "system", content: "reminder" },
    answered(text),
  ];
  expect(withoutUnsignedThinking({ messages, ...budget })).toEqual({
    messages: [messages[0], assistantTurn(text), messages[2], assistantTurn(call), ...messages.slice(4)],
    thinking: { type: "disabled" },
  });
});

test("litellm#15601: a tool turn without its thinking switches a thinking budget off", () => {
  expect(withoutUnsignedThinking(request([thinking(""), call], budget))).toEqual(
    request([call], { thinking: { type: "disabled" } }),
  );
  const adaptive = { thinking: { type: "adaptive" } };
  expect(withoutUnsignedThinking(request([thinking(""), call], adaptive))).toEqual(request([call]));
});
