import { expect, test } from "vitest";
import { callOf } from "@/tests/support/upstream-request";

const messages = [{ role: "user", content: "hi" }];

test.each([{ tools: "all" }, { tools: ["f"] }, { functions: {} }])(
  "a chat call with %j is refused before an upstream is chosen",
  (fields) => {
    expect(() => callOf.chat({ messages, ...fields })).toThrow(
      expect.objectContaining({ kind: "cannotConvert" }),
    );
  },
);
