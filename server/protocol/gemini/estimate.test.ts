import { expect, test } from "vitest";
import { call, model, result, signed, tools, user } from "@/tests/support/gemini-turns";
import { callOf, upstreamRequestOf } from "@/tests/support/upstream-request";
import { type JsonObject, objects } from "../fields";
import { estimateGemini } from "./estimate";
import { parseGeminiCount } from "./request";

const estimate = (body: JsonObject) => estimateGemini(parseGeminiCount(JSON.stringify(body)));

test("an estimate counts a picture as a picture, and carried thinking as its text", () => {
  const data = "A".repeat(1_000_000);
  expect(estimate({ contents: [user({ inlineData: { mimeType: "image/png", data } })] })).toBeLessThan(2_000);
  const plain = estimate({ contents: [user({ text: "a" }), model(call("f", {}))] });
  const carrying = { ...call("f", {}), thoughtSignature: signed };
  const carried = estimate({ contents: [user({ text: "a" }), model(carrying)] });
  expect(carried).toBeLessThan(plain + 10);
  const whole = { contents: [user({ text: "hello there" })] };
  expect(estimate({ generateContentRequest: { model: "models/x", ...whole } })).toBe(estimate(whole));
});

test.each([
  [{ inlineData: { mimeType: "image/png", data: "A".repeat(1_000_000) } }],
  [{ inline_data: { mime_type: "image/png", data: "A".repeat(1_000_000) } }],
])("a picture in a tool's result is estimated and sent as a picture (%#)", (picture) => {
  const answered = result("f", { output: "see" }, { parts: [picture] });
  const contents = [user({ text: "a" }), model(call("f", {})), user(answered)];
  expect(estimate({ contents, tools })).toBeLessThan(2_000);
  const [, , shown] = objects(upstreamRequestOf(callOf.gemini({ contents, tools }), "messages").messages);
  expect(objects(objects(shown?.content)[0]?.content)).toMatchObject([
    { type: "text", text: "see" },
    { type: "image", source: { type: "base64", media_type: "image/png" } },
  ]);
});

test("the text of a part with media is counted, too", () => {
  const picture = { inlineData: { mimeType: "image/png", data: "" } };
  const more = estimate({ contents: [user({ ...picture, text: "word ".repeat(5_000) })] });
  expect(more).toBeGreaterThan(estimate({ contents: [user(picture)] }) + 4_000);
});
