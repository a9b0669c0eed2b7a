import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aspectRatios, resolutions } from "@/server/domain/enums";
import { field, fileField, formOf } from "@/tests/support/sound";
import { parseForm } from "../multipart/form";
import { parseOpenaiVideo, parseOpenaiVideoForm } from "./openai-request";
import { knownSizes, shapeOf, sizeOf } from "./sizes";

const parse = (fields: object) => parseOpenaiVideo(JSON.stringify({ model: "m", prompt: "p", ...fields }));
const form = (...fields: [string, string | Buffer][]) =>
  parseOpenaiVideoForm(
    parseForm(
      formOf(
        fields.map(([name, value]) =>
          typeof value === "string" ? field(name, value) : fileField(name, value),
        ),
      ),
      "b0undary",
    ),
  );

test("a size becomes a resolution and a ratio, and the same size again", () => {
  expect(knownSizes).toHaveLength(resolutions.length * aspectRatios.length);
  for (const resolution of resolutions) {
    for (const aspectRatio of aspectRatios) {
      const shape = { resolution, aspectRatio };
      const size = sizeOf(shape);
      expect(shapeOf(size)).toEqual(shape);
      const [width = 0, height = 0] = size.split("x").map(Number);
      expect(Math.min(width, height)).toBe(Number.parseInt(resolution, 10));
      const [left = 1, right = 1] = aspectRatio.split(":").map(Number);
      expect(Math.abs(width / height - left / right)).toBeLessThan(0.01);
    }
    expect(sizeOf({ resolution, aspectRatio: null })).toBe(sizeOf({ resolution, aspectRatio: "16:9" }));
  }
});

describe("an order in OpenAI's form", () => {
  test("that names only a model and a prompt gets 5 seconds, 720p and no aspect ratio", () => {
    const usual = { model: "m", prompt: "p", durationSeconds: 5, resolution: "720p", aspectRatio: null };
    expect(parse({})).toMatchObject(usual);
    expect(parse({ seconds: null, size: null, input_reference: null })).toMatchObject(usual);
  });

  test.each([
    [{ seconds: "4" }, { durationSeconds: 4 }],
    [{ seconds: 12 }, { durationSeconds: 12 }],
    [{ size: "1080x1920" }, { resolution: "1080p", aspectRatio: "9:16" }],
    [{ size: "640x480" }, { resolution: "480p", aspectRatio: "4:3" }],
  ])("with %j means %j, in JSON and in a form", (fields, meant) => {
    expect(parse(fields)).toMatchObject(meant);
    const more = Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]);
    expect(form(["model", "m"], ["prompt", "p"], ...more)).toEqual(parse(fields));
  });

  test.each([
    { seconds: "4.5" },
    { seconds: 4.5 },
    { seconds: "-4" },
    { seconds: 0 },
    { seconds: "10000" },
    { seconds: true },
    { size: "720p" },
    { size: "1024x1792" },
    { size: "1280X720" },
    { size: "__proto__" },
    { prompt: "" },
    { prompt: "x".repeat(2_001) },
    { model: 7 },
    { input_reference: "" },
    { input_reference: false },
  ])("with %j is refused, and the refusal names the member", (fields) => {
    const [name = ""] = Object.keys(fields);
    expect(() => parse(fields)).toThrow(expect.objectContaining({ status: 400 }));
    expect(() => parse(fields)).toThrow(name);
  });

  test("never has other seconds than the client wrote", () => {
    fc.assert(
      fc.property(fc.string(), (seconds) => {
        try {
          return String(parse({ seconds }).durationSeconds) === String(Number(seconds));
        } catch {
          return !/^0*[1-9]\d{0,3}$/.test(seconds) || seconds.length > 4;
        }
      }),
    );
  });
});

describe("a form", () => {
  const order: [string, string][] = [
    ["model", "m"],
    ["prompt", "p"],
  ];

  test.each<[string, [string, string | Buffer], string]>([
    ["a repeated field", ["model", "n"], "model"],
    ["a field in another case", ["Seconds", "5"], "seconds"],
    ["a file in place of a text", ["size", Buffer.from("1280x720")], "size"],
    ["a picture", ["input_reference", Buffer.from("x")], "input_reference"],
    ["a picture in another case", ["Input_Reference", Buffer.from("x")], "input_reference"],
    ["a picture's address", ["input_reference[image_url]", "https://x.test"], "input_reference"],
  ])("with %s is refused, and the refusal names the field", (_what, more, name) => {
    expect(() => form(...order, more)).toThrow(name);
  });

  test("may have unknown fields", () => {
    expect(form(...order, ["user", "u"], ["__proto__", "x"])).toMatchObject({ model: "m" });
    expect(() => form(["prompt", "p"])).toThrow(expect.objectContaining({ kind: "missingModel" }));
  });
});
