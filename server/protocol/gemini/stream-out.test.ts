import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { answerOf, anyAnswer, eventsOf } from "@/tests/support/answer-events";
import { sampleUsage } from "@/tests/support/sample-usage";
import { type JsonObject, objects } from "../fields";
import type { Answer } from "../pivot/answer";
import { writeResponse } from "./answer-out";
import { readHistory } from "./history-in";
import { asArray, asEvents, GeminiOut } from "./stream-out";

const context = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };
const withThoughts = { showsThoughts: true, context };
const withoutThoughts = { showsThoughts: false, context };

const whole = (answer: Answer, form = withThoughts) =>
  JSON.parse(JSON.stringify(atOnce(writeResponse(answer, sampleUsage, form)))) as JsonObject;

function streamedText(answer: Answer, form = withThoughts, isArray = false): string {
  const writer = new GeminiOut(form, isArray ? asArray() : asEvents);
  const text = eventsOf(answer)
    .map((event) => writer.write(event))
    .join("");
  return text + writer.end(sampleUsage);
}

function streamed(answer: Answer, form = withThoughts): JsonObject[] {
  const frames = streamedText(answer, form).split("\n\n").slice(0, -1);
  return frames.map((frame) => {
    // Google's clients require the space.
    expect(frame.startsWith("data: ")).toBe(true);
    return JSON.parse(frame.slice("data: ".length)) as JsonObject;
  });
}

const candidateOf = (frame: JsonObject): JsonObject => objects(frame.candidates)[0] ?? {};
const partsOf = (frame: JsonObject): JsonObject[] =>
  objects((candidateOf(frame).content as JsonObject).parts);

/** Joins the pieces of one text, and drops empty ones. */
function merged(parts: JsonObject[]): JsonObject[] {
  const all: JsonObject[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    const isText = (each: JsonObject | undefined) => typeof each?.text === "string" && !each.thoughtSignature;
    if (last && isText(last) && isText(part) && last.thought === part.thought) {
      all.splice(-1, 1, { ...last, text: `${last.text}${part.text}` });
    } else if (part.text !== "" || part.thoughtSignature) {
      all.push(part);
    }
  }
  return all;
}

const call = fc.record({
  type: fc.constant("call" as const),
  id: fc.constantFrom("call_1", "call_2", ""),
  name: fc.constantFrom("f", "g"),
  arguments: fc.constantFrom('{"a":1}', "", '{\n "a": [1.50, 12345678901234567890]\n}', '{"a":', "[]"),
});
const answers = anyAnswer({
  ...{ call, id: ["msg_1", ""], origins: ["anthropic", "openai"] },
  reasons: ["end", "length", "stop_sequence", "refusal"],
});

test("a stream has the content of the whole answer, as events and as an array, with thoughts and without", () => {
  fc.assert(
    fc.property(answers, fc.constantFrom(withThoughts, withoutThoughts), (answer, form) => {
      const response = whole(answer, form);
      const frames = streamed(answer, form);
      const last = frames.at(-1) ?? {};
      expect(merged(frames.flatMap(partsOf))).toEqual(merged(partsOf(response)));
      expect(candidateOf(last).finishReason).toBe(candidateOf(response).finishReason);
      expect(last.usageMetadata).toEqual(response.usageMetadata);
      expect(frames.slice(0, -1).every((frame) => candidateOf(frame).finishReason === undefined)).toBe(true);
      expect(new Set(frames.map(({ responseId }) => responseId))).toEqual(new Set([response.responseId]));
      expect(JSON.parse(streamedText(answer, form, true))).toEqual(frames);
    }),
  );
});

test("every answer has a finish reason and a text or a call, because Gemini CLI repeats one that has not", () => {
  fc.assert(
    fc.property(answers, fc.constantFrom(withThoughts, withoutThoughts), (answer, form) => {
      const parts = partsOf(whole(answer, form));
      const hasText = parts.some(({ text, thought }) => thought !== true && String(text ?? "").trim() !== "");
      expect(hasText || parts.some(({ functionCall }) => functionCall !== undefined)).toBe(true);
      expect(String(candidateOf(whole(answer, form)).finishReason)).toMatch(/^[A-Z_]+$/);
    }),
  );
});

test("an answer's thinking, text and calls come back in the next turn unchanged", () => {
  const answer = answerOf([
    { type: "thinking", text: "hm", seal: { origin: "anthropic", data: "sig" } },
    { type: "redacted", data: "closed" },
    { type: "text", text: "so" },
    { type: "call", id: "toolu_1", name: "f", arguments: '{"a":1}' },
    { type: "thinking", text: "and", seal: { origin: "anthropic", data: "sig2" } },
    { type: "call", id: "toolu_2", name: "g", arguments: "{}" },
  ]);
  for (const form of [withThoughts, withoutThoughts]) {
    const contents = streamed(answer, form).map((frame) => candidateOf(frame).content as JsonObject);
    expect(atOnce(readHistory(contents))).toEqual([{ role: "assistant", blocks: answer.blocks }]);
  }
});

test("a signature is bytes in base64, as the SDK for Python reads it", () => {
  const thinking = { type: "thinking", text: "né", seal: { origin: "anthropic", data: "sig" } } as const;
  const answer = answerOf([thinking], "length");
  const [text, signed] = partsOf(whole(answer, withoutThoughts));
  expect(text).toEqual({ text: "..." });
  const signature = String(signed?.thoughtSignature);
  expect(Buffer.from(signature, "base64").toString("base64")).toBe(signature);
  expect(candidateOf(whole(answer, withoutThoughts)).finishReason).toBe("MAX_TOKENS");
});

describe("a call", () => {
  const answer = (text: string, reason: "end" | "length" = "end") =>
    answerOf([{ type: "call", id: "", name: "f", arguments: text }], reason);

  test("keeps the spelling of its numbers", () => {
    const big = '{"n":12345678901234567890,"m":1.50}';
    expect(JSON.stringify(atOnce(writeResponse(answer(big), sampleUsage, withThoughts)))).toContain(
      `"args":${big}`,
    );
    expect(streamedText(answer(big))).toContain(`"args":${big}`);
  });

  test("with broken arguments is left out, and the finish reason says so", () => {
    expect(candidateOf(whole(answer('{"a":')))).toMatchObject({ finishReason: "MALFORMED_FUNCTION_CALL" });
    expect(candidateOf(whole(answer('{"a":', "length")))).toMatchObject({ finishReason: "MAX_TOKENS" });
    expect(partsOf(whole(answer('{"a":')))).toEqual([{ text: "..." }]);
  });

  test("gets an identifier if its vendor gave none", () => {
    const [part] = partsOf(whole(answer("")));
    expect(part?.functionCall).toMatchObject({ name: "f", args: {}, id: expect.stringMatching(/^call_/) });
  });
});

test("thoughts are counted apart from the text, and both in the total (CLIProxyAPI#5744)", () => {
  expect(whole(answerOf([])).usageMetadata).toEqual({
    ...{ promptTokenCount: 14, cachedContentTokenCount: 2, candidatesTokenCount: 5 },
    ...{ thoughtsTokenCount: 1, totalTokenCount: 20 },
  });
});

test("a keep-alive is a piece with content, and an error is a piece that the SDKs throw", () => {
  const events = new GeminiOut(withThoughts, asEvents);
  const life = JSON.parse(events.keepAlive().slice("data: ".length)) as JsonObject;
  expect(partsOf(life)).toEqual([{ text: "" }]);
  const array = new GeminiOut(withThoughts, asArray());
  expect(array.keepAlive()).toBe("");
  const text = eventsOf(answerOf([{ type: "text", text: "hi" }])).map(
    (event) => array.write(event) + array.keepAlive(),
  );
  const all = JSON.parse(text.join("") + array.fail({ code: 502, message: "broken" })) as JsonObject[];
  expect(all.at(-1)).toEqual({ error: { code: 502, message: "broken", status: "UNAVAILABLE", details: [] } });
});

test.each([false, true])(
  "a long call is written in its place, whenever its text is taken (array: %s)",
  (isArray) => {
    const text = `{"a":"${"w".repeat(300_000)}"}`;
    const answer = answerOf([
      { type: "thinking", text: "hm", seal: { origin: "anthropic", data: "S" } },
      { type: "call", id: "c1", name: "first", arguments: text },
      { type: "call", id: "c2", name: "second", arguments: "{}" },
      { type: "text", text: "done" },
    ]);
    const takenAt = (isTaken: (index: number) => boolean): string => {
      const writer = new GeminiOut(withoutThoughts, isArray ? asArray() : asEvents);
      const takenText = () => [...(writer.rest() ?? [])].join("");
      const pieces = eventsOf(answer).map((event, index) => {
        const text = writer.write(event);
        return text + (isTaken(index) ? takenText() : "");
      });
      return pieces.join("") + writer.end(sampleUsage) + takenText();
    };
    const atOnceTaken = takenAt(() => true);
    expect(takenAt(() => false)).toBe(atOnceTaken);
    expect(takenAt((index) => index % 3 === 0)).toBe(atOnceTaken);
    expect(atOnceTaken.match(/thoughtSignature|"name":"\w+"/g)).toEqual([
      ...['"name":"first"', "thoughtSignature", '"name":"second"'],
    ]);
  },
);
