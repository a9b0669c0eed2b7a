import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Units } from "@/server/domain/units";
import { cost, eachCount, type PriceSheet } from "@/server/pricing";
import { sheetOf } from "@/tests/support/price-sheet";
import { parseForwarded } from "./forwarded";
import { imageReader } from "./images";

const sold = (prices: Record<string, bigint>, tokens = { input: 0n, output: 0n }) => ({
  prices: sheetOf({ ...tokens, ...prices }),
  maxOutputTokens: 8_192,
});

const read = (fields: object) =>
  parseForwarded(JSON.stringify({ model: "m", prompt: "a boat", ...fields }), imageReader.read);

/** The units of the hold, and those charged for an answer with these members. */
const unitsOf = (fields: object, prices: Record<string, bigint>, answerFields: object = {}) => {
  const request = read(fields);
  const answer = { data: [{ url: "https://a.example/1" }], ...answerFields };
  return [
    imageReader.ceiling(request, sold(prices)).units,
    imageReader.readAnswer(answer, request, sold(prices))?.usage.units ?? {},
  ];
};

describe("a picture's price", () => {
  const prices = { image: 90n, "image:1024x1024": 40n, "image:1024x1024:high": 60n, "image:512x512": 10n };

  test.each([
    // Without a quality: the dearest of its size, and never the price of any size.
    [{ size: "1024x1024" }, {}, "image:1024x1024:high"],
    [{ size: "512x512" }, {}, "image:512x512"],
    [{ size: "512x512" }, { size: "512x512", quality: "high" }, "image:512x512:high"],
    [{ size: "2048x2048" }, {}, "image"],
    // Without a size: the dearest of all.
    [{}, {}, "image"],
    [{ quality: "low" }, {}, "image"],
    [{ quality: "low" }, { size: "1024x1024" }, "image:1024x1024:low"],
  ])("of %j with an answer of %j is the nearest: %s", (fields, answerFields, unit) => {
    const [, charged] = unitsOf(fields, prices, answerFields);
    expect(charged).toEqual({ [unit]: 1 });
  });

  test("without a size is never the price under a name with conditions", () => {
    const conditional = { "image:1024x1024@flex": 95n, "image:1024x1024@200k": 99n };
    expect(unitsOf({}, { "image:1024x1024": 40n, ...conditional })).toEqual([
      { "image:1024x1024": 1 },
      { "image:1024x1024": 1 },
    ]);
  });

  test("is frozen as the highest that it can become", () => {
    const [frozen] = unitsOf({ size: "1024x1024" }, prices);
    expect(frozen).toEqual({ "image:1024x1024:high": 1 });
  });

  test.each([
    [{ size: "__proto__", quality: "constructor" }, { "image:__proto__:constructor": 1 }],
    [{ size: "1024*1024" }, { image: 1 }],
    [{ size: { width: 1 }, quality: 7 }, { image: 1 }],
  ])("has any text for a size: %j", (fields, units) => {
    expect(unitsOf(fields, { image: 1n })).toEqual([units, units]);
  });

  test("refuses a size that is not sold", () => {
    const refusal = expect.objectContaining({ kind: "invalidParameters" });
    expect(() => unitsOf({ size: "2048x2048" }, { "image:1024x1024": 1n })).toThrow(refusal);
    expect(() => unitsOf({ quality: "low" }, { "image:1024x1024:high": 1n })).toThrow(refusal);
  });

  test("counts for each picture that was made, and not for the reasons of missing ones", () => {
    const failed = { error: { code: "OutputImageSensitiveContentDetected", message: "no" }, url: "" };
    const data = [{ b64_json: "A" }, failed, {}, { revised_prompt: "a boat" }];
    expect(unitsOf({ n: 4 }, { image: 1n }, { data })).toEqual([{ image: 4 }, { image: 1 }]);
  });
});

describe("the number of pictures", () => {
  test.each([
    [{ n: 10 }, 10],
    [{ batch_size: 4 }, 4],
    [{ num_images: 4 }, 4],
    [{ sequential_image_generation: "auto", sequential_image_generation_options: { max_images: 4 } }, 4],
    [{ sequential_image_generation: "auto" }, 15],
  ])("is the highest that %j may ask for, in any vendor's words: %s", (fields, count) => {
    expect(unitsOf(fields, { image: 1n })[0]).toEqual({ image: count });
    expect(imageReader.ceiling(read(fields), sold({}, { input: 0n, output: 1n })).choices).toBe(count);
  });

  test.each([
    { batch_size: 0 },
    { batch_size: "4" },
    { num_images: 1e300 },
    { stream: "true" },
    { stream: 1 },
  ])("is refused if it is wrong in any vendor's words: %j", (fields) => {
    expect(() => read(fields)).toThrow(expect.objectContaining({ kind: "invalidParameters" }));
  });
});

describe("tokens of pictures, if the vendor does not count them", () => {
  const tokens = { input: 5n, output: 40n };
  const counted = (usage: unknown, answerFields: object = {}) => {
    const answer = { data: [{ b64_json: "A" }], usage, ...answerFields };
    const { usage: read_, source } = imageReader.readAnswer(answer, read({}), sold({}, tokens)) ?? {};
    return [read_?.inputTokens, read_?.outputTokens, source];
  };

  test.each([
    [undefined, {}, [2, 6_240, "estimated"]],
    [undefined, { quality: "medium", size: "1024x1024" }, [2, 1_056, "estimated"]],
    // At most the model's limit.
    [undefined, { quality: "high", size: "4096x4096" }, [2, 8_192, "estimated"]],
    [{ input_tokens: 50 }, { quality: "low", size: "1024x1536" }, [50, 408, "partial"]],
    [{ output_tokens: 100 }, {}, [2, 100, "partial"]],
    [{ input_tokens: 50, output_tokens: 100 }, {}, [50, 100, "upstream"]],
    [{ input_tokens: -1, output_tokens: 1.5 }, {}, [2, 6_240, "estimated"]],
    ["many", {}, [2, 6_240, "estimated"]],
  ])("usage of %j with %j is charged as %j", (usage, answerFields, expected) => {
    expect(counted(usage, answerFields)).toEqual(expected);
  });

  test("are none if a picture has a price", () => {
    const answer = imageReader.readAnswer(
      { data: [{ b64_json: "A" }] },
      read({}),
      sold({ image: 1n }, tokens),
    );
    expect(answer).toMatchObject({ usage: { inputTokens: 2, outputTokens: 0, units: { image: 1 } } });
  });

  test("are none if they have no price", () => {
    const answer = imageReader.readAnswer({ data: [{ b64_json: "A" }] }, read({}), sold({ image: 1n }));
    expect(answer).toMatchObject({ usage: { inputTokens: 0, outputTokens: 0 }, source: "upstream" });
  });
});

const costOf = (units: Units, prices: PriceSheet) => cost({ ...eachCount(() => 0), units }, prices);

test("pictures as they were asked for cost no more than was frozen for them, whatever the prices are", () => {
  const sizes = fc.constantFrom("auto", "512x512", "1024x1024", "2048x2048");
  const qualities = fc.constantFrom("auto", "low", "high");
  const names = ["image", "image:512x512", "image:1024x1024", "image:1024x1024:low", "image:1024x1024:high"];
  const prices = fc
    .uniqueArray(fc.constantFrom(...names), { minLength: 1 })
    .chain((units) =>
      fc
        .array(fc.bigInt({ min: 0n, max: 1_000n }), { minLength: units.length, maxLength: units.length })
        .map((amounts) => Object.fromEntries(units.map((unit, at) => [unit, amounts[at] ?? 0n]))),
    );
  const kinds = fc.record({ size: sizes, quality: qualities });
  fc.assert(
    fc.property(prices, kinds, kinds, (priced, requestKind, made) => {
      const shop = sold(priced);
      const request = read({ ...requestKind, n: 3 });
      let ceiling: ReturnType<typeof imageReader.ceiling>;
      try {
        ceiling = imageReader.ceiling(request, shop);
      } catch {
        return;
      }
      // The pictures keep the named size and quality; the vendor chooses the rest.
      const size = requestKind.size === "auto" ? made.size : requestKind.size;
      const quality = requestKind.quality === "auto" ? made.quality : requestKind.quality;
      const answer = { data: Array(3).fill({ url: "u" }), size, quality };
      const units = imageReader.readAnswer(answer, request, shop)?.usage.units ?? {};
      expect(costOf(units, shop.prices)).toBeLessThanOrEqual(costOf(ceiling.units, shop.prices));
    }),
    { numRuns: 2_000 },
  );
});
