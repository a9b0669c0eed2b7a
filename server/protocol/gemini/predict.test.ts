import { describe, expect, test } from "vitest";
import { parsePrediction, predictionBody, toPredictions } from "./predict";

const read = (body: object) => parsePrediction(JSON.stringify(body), "m");
const instances = [{ prompt: "a boat" }];

describe("a prediction", () => {
  test.each<[object, string, object]>([
    [{ instances }, "dall-e-3", { prompt: "a boat", response_format: "b64_json" }],
    [{ instances: instances[0] }, "gpt-image-1", { prompt: "a boat" }],
    [
      { instances, parameters: { sampleCount: 2, aspectRatio: "9:16", seed: 1 } },
      "openai/gpt-image-1",
      { prompt: "a boat", n: 2, size: "1024x1536" },
    ],
    [
      { instances, parameters: { sample_count: 1, aspect_ratio: "1:1" } },
      "gpt-image-1",
      { prompt: "a boat", n: 1, size: "1024x1024" },
    ],
  ])("%j asks %s for pictures", (body, name, expected) => {
    expect(JSON.parse(predictionBody(read(body), name))).toEqual({ ...expected, model: name });
  });

  test.each([
    [{}, "prompt"],
    [{ instances: [...instances, ...instances] }, "instances"],
    [{ instances: [{ prompt: "a", image: { bytesBase64Encoded: "AA" } }] }, "instances[0].image"],
    [{ instances, parameters: { sampleCount: 11 } }, "n"],
    [{ instances, parameters: { aspectRatio: "2:1" } }, "parameters.aspectRatio"],
    [{ instances, parameters: { aspectRatio: "constructor" } }, "parameters.aspectRatio"],
    [{ instances, parameters: [] }, "parameters"],
  ])("%j is refused, and the refusal names the wrong member", (body, field) => {
    expect(() => read(body)).toThrow(field);
  });

  test.each([
    [
      { data: [{ b64_json: "iVBORw0" }, { b64_json: "/9j/4AAQ", revised_prompt: "a ship" }] },
      [
        { mimeType: "image/png", bytesBase64Encoded: "iVBORw0" },
        { mimeType: "image/jpeg", bytesBase64Encoded: "/9j/4AAQ", prompt: "a ship" },
      ],
    ],
    [{ data: [] }, []],
  ])("is answered with the pictures of %j", (answer, predictions) => {
    expect(toPredictions(answer)).toEqual({ predictions });
  });

  test("cannot be answered with the address of a picture", () => {
    expect(toPredictions({ data: [{ url: "https://a.example/1" }] })).toBeNull();
  });
});
