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

test("a history whose thinking the vendor signed stays as it is", () => {
  expect(withoutUnsignedThinking(request([thinking("Eq8="), call]))).toEqual({});
  expect(withoutUnsignedThinking({ messages: [{ role: "user", content: "hi" }] })).toEqual({});
});

test.each([[SYNTHETIC_SIGNATURE], [""], [null], [undefined]])(
  "CLIProxyAPI#1584: thinking signed %j goes before a vendor who checks sees it",
  (signature) => {
    expect(withoutUnsignedThinking(request([thinking(signature), { type: "text", text: "a" }]))).toEqual(
      request([{ type: "text", text: "a" }]),
    );
  },
);

test("a turn of nothing else goes with it", () => {
  expect(withoutUnsignedThinking(request([thinking("")])).messages).toEqual([
    { role: "user", content: "hi" },
  ]);
});

const budget = { thinking: { type: "enabled", budget_tokens: 2_000 } };
const answered = (...more: object[]) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }, ...more],
});
const says = (...content: object[]) => ({ role: "assistant", content });
const text = { type: "text", text: "a" };

test("a turn that is over does not switch off the thinking of the one that is going on", () => {
  const question = { role: "user", content: "next" };
  const over = [says(thinking(""), call), answered(), says(text), question];
  const open = [says(thinking("Eq8="), call), answered()];
  const history = (first: object) => [question, first, ...over.slice(1)];
  const { messages, thinking: switched } = withoutUnsignedThinking({
    messages: [question, ...over, ...open],
    ...budget,
  });
  expect([messages, switched]).toEqual([[...history(says(call)), ...open], undefined]);
  expect(withoutUnsignedThinking({ messages: [question, ...over], ...budget })).toEqual({
    messages: history(says(call)),
  });
});

test("a tool loop that began with signed thinking keeps its budget", () => {
  const loop = [says(thinking("Eq8="), call), answered(), says(thinking(""), call), answered()];
  const messages = [{ role: "user", content: "hi" }, ...loop];
  expect(withoutUnsignedThinking({ messages, ...budget })).not.toHaveProperty("thinking");
});

test("a call that goes without a budget takes no thinking back, signed or not", () => {
  const messages = [
    { role: "user", content: "hi" },
    says(thinking("Eq8="), text),
    { role: "user", content: "go on" },
    says(thinking(""), call),
    { role: "system", content: "reminder" },
    answered(text),
  ];
  expect(withoutUnsignedThinking({ messages, ...budget })).toEqual({
    messages: [messages[0], says(text), messages[2], says(call), ...messages.slice(4)],
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
