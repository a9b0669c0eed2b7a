import { expect, test } from "vitest";
import { SYNTHETIC_SIGNATURE } from "../synthetic-thinking";
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

test("litellm#15601: a tool turn without its thinking switches a thinking budget off", () => {
  const budget = { thinking: { type: "enabled", budget_tokens: 2_000 } };
  expect(withoutUnsignedThinking(request([thinking(""), call], budget))).toEqual(
    request([call], { thinking: { type: "disabled" } }),
  );
  const adaptive = { thinking: { type: "adaptive" } };
  expect(withoutUnsignedThinking(request([thinking(""), call], adaptive))).toEqual(request([call]));
});
