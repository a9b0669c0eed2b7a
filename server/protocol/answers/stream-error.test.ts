import { expect, test } from "vitest";
import { chatErrorFrame } from "../chat/writer";
import { isJsonObject } from "../fields";
import { googleError } from "../gemini/error-out";
import { messagesErrorFrame } from "../messages/writer";
import type { StreamError } from "../upstream-plan";
import { eventsIn } from "./sse";

const broken = { code: 502, message: "上游响应格式异常", data: null };

test.each<[string, (error: StreamError) => string, isEnveloped: boolean]>([
  ["chat", chatErrorFrame, true],
  ["messages", messagesErrorFrame, true],
  ["gemini", (error) => `data: ${googleError(error)}\n\n`, false],
])(
  "the last frame of a %s stream has the sentence where SDKs look for it, and the envelope unchanged",
  (_dialect, frame, isEnveloped) => {
    const partsOf = (error: StreamError) => {
      const event: unknown = JSON.parse([...eventsIn(frame(error))][0] ?? "");
      const { error: shown, ...envelope } = isJsonObject(event) ? event : {};
      return { shown: isJsonObject(shown) && shown.message, envelope };
    };
    const envelope = isEnveloped ? expect.objectContaining(broken) : {};
    expect(partsOf({ ...broken, sentence: "It broke off" })).toEqual({ shown: "It broke off", envelope });
    expect(partsOf(broken)).toEqual({ shown: broken.message, envelope });
    expect(partsOf({ ...broken, sentence: "It broke off" }).envelope).not.toHaveProperty("sentence");
  },
);
