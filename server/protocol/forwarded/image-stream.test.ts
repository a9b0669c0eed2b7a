import { expect, test } from "vitest";
import { sheetOf } from "@/tests/support/price-sheet";
import { parseForwarded } from "./forwarded";
import { ImageStream, imageEvents } from "./image-stream";
import { imageReader } from "./images";

const byToken = { prices: sheetOf({ input: 5n, output: 40n }), maxOutputTokens: 8_192 };
const byPiece = { prices: sheetOf({ image: 9n }), maxOutputTokens: 0 };
const request = (fields: object = {}) =>
  parseForwarded(JSON.stringify({ model: "m", prompt: "a boat", stream: true, ...fields }), imageReader.read);

const sketch = { type: "image_generation.partial_image", b64_json: "AA", partial_image_index: 0 };
const usage = { input_tokens: 50, output_tokens: 372, input_tokens_details: { image_tokens: 0 } };
const done = { type: "image_generation.completed", b64_json: "AAAA", size: "1024x1024", quality: "low" };
const ofSeries = { type: "image_generation.partial_succeeded", url: "https://a.example/1", image_index: 0 };
const failed = {
  type: "image_generation.partial_failed",
  error: { code: "x", message: "no" },
  image_index: 1,
};
const seriesEnd = { type: "image_generation.completed", usage: { output_tokens: 4 } };

/** The charge for these events: input, output, pieces. */
function chargedFor(events: object[]) {
  return [byToken, byPiece].map((sold) => {
    const stream = new ImageStream(request(), sold);
    for (const event of events) {
      expect(stream.push(JSON.stringify(event)).kind).toBe("frames");
    }
    const { usage: used, source } = stream.settled();
    return sold === byToken
      ? [used.inputTokens, used.outputTokens, source]
      : Object.values(used.units ?? {}).reduce((sum, count) => sum + count, 0);
  });
}

test.each([
  ["a picture that its vendor counts", [sketch, { ...done, usage }], [[50, 372, "upstream"], 1]],
  ["a picture without counts", [done], [[2, 272, "estimated"], 1]],
  // The last sketch is as good as the picture.
  ["a sketch without a picture after it", [sketch, sketch], [[2, 6_240, "estimated"], 1]],
  ["a second picture of which only a sketch came", [{ ...done, usage }, sketch], [[2, 544, "estimated"], 2]],
  ["a series", [ofSeries, failed, ofSeries, seriesEnd], [[2, 4, "partial"], 2]],
] as const)("the client pays for %s", (_name, events, charged) => {
  expect(chargedFor([...events])).toEqual(charged);
});

test("events are forwarded unchanged under their names, except for the model's name", () => {
  const stream = new ImageStream(request(), byPiece);
  const event = '{"type":"image_generation.partial_image","b64_json":"AA","x":1.0}';
  expect(stream.push(event)).toMatchObject({
    text: `event: image_generation.partial_image\ndata: ${event}\n\n`,
  });
  expect(stream.isFinished).toBe(false);
  const named = stream.push(JSON.stringify({ ...done, model: "vendors-own" }));
  expect(named).toMatchObject({ text: expect.stringContaining('"model":"m"') });
  expect(stream.isFinished).toBe(true);
  expect(stream.push(JSON.stringify({ error: { message: "gone", code: 500 } })).kind).toBe("error");
});

test("a whole answer becomes one event for each picture", () => {
  expect(imageEvents({ created: 1, data: [{ b64_json: "A" }, { b64_json: "B" }], usage })).toEqual([
    { type: "image_generation.completed", created: 1, b64_json: "A" },
    { type: "image_generation.completed", created: 1, b64_json: "B", usage },
  ]);
});

test.each([[{ partial_images: 4 }], [{ partial_images: "2" }], [{ partial_images: -1 }]])(
  "%j is refused",
  (fields) => {
    expect(() => request(fields)).toThrow(expect.objectContaining({ kind: "invalidParameters" }));
  },
);

test("the hold for sketches is one picture more", () => {
  expect(imageReader.ceiling(request({ n: 2, partial_images: 3 }), byToken).choices).toBe(3);
  expect(imageReader.ceiling(request({ n: 2 }), byToken).choices).toBe(2);
});
