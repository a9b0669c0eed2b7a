import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusalOf } from "@/tests/support/refusal";
import { parseVideoRequest } from "./request";

const parse = (fields: object) => parseVideoRequest(JSON.stringify({ model: "m", prompt: "p", ...fields }));

describe("a video request", () => {
  test("that names a model and a prompt only gets 5 seconds, 720p, and no aspect ratio", () => {
    const defaults = { durationSeconds: 5, resolution: "720p", aspectRatio: null };
    expect(parse({})).toMatchObject({ model: "m", prompt: "p", ...defaults });
    expect(parse({ duration: null, resolution: null, aspect_ratio: null })).toMatchObject(defaults);
  });

  test.each([
    [{ duration: 10 }, { durationSeconds: 10 }],
    [{ duration: 15.0 }, { durationSeconds: 15 }],
    [{ resolution: "1080p" }, { resolution: "1080p" }],
    [{ aspect_ratio: "9:16" }, { aspectRatio: "9:16" }],
    [{ seed: 7 }, { prompt: "p" }],
  ])("accepts %j", (fields, expected) => {
    expect(parse(fields)).toMatchObject(expected);
  });

  test("may have 2000 characters of prompt, with an emoji as one", () => {
    for (const prompt of ["字".repeat(2_000), "🎬".repeat(2_000), " x "]) {
      expect(parse({ prompt }).prompt).toBe(prompt);
    }
  });

  test.each([
    ["model not a string", { model: 7 }, /^model /],
    ["prompt missing", { prompt: undefined }, /^prompt .*2000/],
    ["prompt null", { prompt: null }, /^prompt /],
    ["prompt empty", { prompt: "" }, /^prompt /],
    ["prompt blank", { prompt: " \n" }, /^prompt /],
    ["prompt not a string", { prompt: ["p"] }, /^prompt /],
    ["prompt with a NUL", { prompt: "a\0b" }, /^prompt /],
    ["prompt of 2001 characters", { prompt: "字".repeat(2_001) }, /^prompt /],
    ["prompt of 2001 emoji", { prompt: "🎬".repeat(2_001) }, /^prompt /],
    ["a duration between two allowed ones", { duration: 7 }, /^duration .*5、10、15/],
    ["new-api#5923: a negative duration", { duration: -5 }, /^duration /],
    ["new-api#5923: a duration of zero", { duration: 0 }, /^duration /],
    ["a fraction", { duration: 5.5 }, /^duration /],
    ["a duration as text", { duration: "5" }, /^duration /],
    ["an unknown resolution", { resolution: "4k" }, /^resolution .*480p、720p、1080p/],
    ["a resolution in capitals", { resolution: "720P" }, /^resolution /],
    ["a resolution as number", { resolution: 720 }, /^resolution /],
    ["an unknown aspect ratio", { aspect_ratio: "21:9" }, /^aspect_ratio .*16:9/],
    ["an aspect ratio as list", { aspect_ratio: ["16:9"] }, /^aspect_ratio /],
  ])("with %s is refused, and the refusal names the member", (_name, fields, message) => {
    const error = refusalOf(() => parse(fields));
    expect(error.kind).toBe("invalidParameters");
    expect(error.message).toMatch(message);
  });

  test("without a model is refused before its other members are read", () => {
    for (const model of [undefined, null, ""]) {
      expect(refusalOf(() => parse({ model, prompt: 7 })).message).toBe("缺少 model 参数");
    }
    expect(refusalOf(() => parseVideoRequest("[]")).kind).toBe("invalidJson");
  });
});

describe("the canonical text of a body", () => {
  // No known field's name in another case: those are refused.
  const name = fc.string().map((text) => `x${text}`);
  const body = fc.dictionary(name, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 20 });
  const canonical = (fields: object) =>
    parseVideoRequest(JSON.stringify({ ...fields, model: "m", prompt: "p", ...closed })).canonical;
  const closed = { duration: 5, resolution: "720p", aspect_ratio: "1:1" };

  const reversed = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) {
      return value;
    }
    return Array.isArray(value)
      ? value.map(reversed)
      : Object.fromEntries(
          Object.entries(value)
            .reverse()
            .map(([name, member]) => [name, reversed(member)]),
        );
  };

  test("does not depend on the order of members", () => {
    fc.assert(fc.property(body, (fields) => canonical(reversed(fields) as object) === canonical(fields)));
  });

  test("differs if the body differs", () => {
    const texts = [{}, { a: [] }, { a: {} }, { a: [{ name: "b", member: 1 }] }, { a: { b: 1 } }, { a: "1" }];
    expect(new Set(texts.map(canonical)).size).toBe(texts.length);
    expect(canonical({ list: [1, 2] })).not.toBe(canonical({ list: [2, 1] }));
  });

  test("is the same for blanks and other spellings of a number", () => {
    const request = parseVideoRequest('{"model":"m","prompt":"p","duration":5}');
    expect(parseVideoRequest('{ "duration": 5.0, "prompt": "p", "model": "m" }').canonical).toBe(
      request.canonical,
    );
  });
});
