import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { terms } from "@/tests/support/terms";
import { callOf, planFor, upstreamRequestOf } from "@/tests/support/upstream-request";
import { usualCapabilities } from "../capabilities";
import type { CallTerms } from "../upstream-plan";
import { parseGeminiConversation } from "./conversation";
import { NO_SIGNATURE, writeSignature } from "./signatures";

const contents = [{ role: "user", parts: [{ text: "hi" }] }];

/** The body for Google. */
const googleBody = (fields: object, more: Partial<CallTerms> = {}) => {
  const call = parseGeminiConversation(JSON.stringify({ contents, ...fields }), {
    model: "m",
    delivery: "whole",
  });
  const upstream = { dialect: "gemini", name: "g", capabilities: usualCapabilities.gemini } as const;
  return JSON.parse(String(atOnce(call.planFor(upstream, terms(100, more))).body));
};

const refused = expect.objectContaining({ kind: "cannotConvert" });

test("members that the gateway need not change go out character by character", () => {
  const raw =
    '{"contents": [{"parts":[{"text":"hi"}]}], "safety_settings":[],"generationConfig":{"seed":12345678901234567890}}';
  const call = parseGeminiConversation(raw, { model: "m", delivery: "whole" });
  expect(planFor(call, "gemini").body).toBe(raw);
});

describe("a member that costs more than the model's price", () => {
  test.each([
    { generationConfig: { responseModalities: ["IMAGE"] } },
    { generationConfig: { responseModalities: ["TEXT", "AUDIO"] } },
    // Google accepts a single word instead of a list.
    { generationConfig: { responseModalities: "IMAGE" } },
    { generation_config: { response_modalities: "audio" } },
    { generationConfig: { responseModalities: 2 } },
    { cached_content: "cachedContents/x" },
    { tools: [{ googleMaps: {} }] },
    { tools: { google_maps: {} } },
  ])("is refused: %j", (fields) => {
    expect(() => googleBody(fields)).toThrow(refused);
  });

  test.each([
    [{ serviceTier: "priority" }, { contents }],
    [{ service_tier: "priority", model: "dearer" }, { contents }],
    [
      { tools: [{ googleSearch: {} }, { functionDeclarations: [] }] },
      { contents, tools: [{ functionDeclarations: [] }] },
    ],
    [{ generationConfig: { responseModalities: "TEXT" } }, undefined],
  ])("is left out: %j", (fields, expected) => {
    expect(googleBody(fields)).toEqual(expected ?? { contents, ...fields });
  });

  test("may be a search if the operator has allowed it", () => {
    const body = { contents, tools: [{ google_search: {} }, { functionDeclarations: [{ name: "f" }] }] };
    expect(upstreamRequestOf(callOf.gemini(body), "gemini", { webSearch: true })).toEqual(body);
  });
});

test.each([
  [{ generation_config: { max_output_tokens: 500, top_k: 3 } }],
  [{ generationConfig: { maxOutputTokens: 500, topK: 3 } }],
])("a limit above what was frozen is lowered, in either spelling: %j", (fields) => {
  expect(googleBody(fields, { maxOutputTokens: 100, isCapped: true })).toEqual({
    contents,
    generationConfig: { maxOutputTokens: 100, topK: 3 },
  });
});

describe("thinking of other vendors that a client carries as a signature", () => {
  const signature = writeSignature([{ type: "thinking", text: "hm", seal: { origin: "openai", data: "x" } }]);
  const call = { functionCall: { name: "f", args: {} } };
  const clean = { ...call, thoughtSignature: NO_SIGNATURE };

  test.each([
    [[{ ...call, thoughtSignature: signature }], [clean]],
    [[{ ...call, thought_signature: signature }], [clean]],
    [[{ text: "", thoughtSignature: signature }], [{ text: "" }]],
    // A single part instead of a list.
    [{ ...call, thoughtSignature: signature }, [clean]],
  ])("never reaches Google: %j", (parts, expected) => {
    const turn = { role: "model", parts };
    expect(googleBody({ contents: [...contents, turn] }).contents[1]).toEqual({
      role: "model",
      parts: expected,
    });
  });

  test("does not change Google's own signatures", () => {
    const turn = { role: "model", parts: { ...call, thoughtSignature: "R29vZ2xl" } };
    expect(googleBody({ contents: [...contents, turn] }).contents[1]).toEqual(turn);
  });
});

test.each([
  [{ fileUri: "https://www.youtube.com/watch?v=9hE5-98ZeCg" }, 100_000],
  [{ file_uri: "https://youtu.be/9hE5-98ZeCg", mime_type: "video/*" }, 100_000],
  [{ fileUri: "https://a.example/film", mimeType: "video/mp4" }, 100_000],
  [{ fileUri: "https://a.example/talk", mimeType: "audio/mpeg" }, 30_000],
  [{ fileUri: "https://a.example/book.pdf", mimeType: "application/pdf" }, 30_000],
])("the estimate has room for what Google fetches: %j", (fileData, least) => {
  const body = JSON.stringify({ contents: [{ parts: [{ fileData }] }] });
  const { inputTokens } = parseGeminiConversation(body, { model: "m", delivery: "whole" });
  expect(inputTokens).toBeGreaterThan(least);
  expect(inputTokens).toBeLessThan(least + 100);
});
