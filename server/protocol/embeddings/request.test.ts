import { describe, expect, test } from "vitest";
import { refusalOf } from "@/tests/support/refusal";
import { parseEmbeddingsRequest } from "./request";

const parse = (fields: object) => parseEmbeddingsRequest(JSON.stringify({ model: "m", ...fields }));

describe("an embeddings request", () => {
  test.each([
    { input: "hello", items: 1, inputTokens: 1 },
    { input: ["hello", "world"], items: 2, inputTokens: 2 },
    { input: [1, 2, 3], items: 1, inputTokens: 3 },
    { input: [[1, 2, 3], [4]], items: 2, inputTokens: 4 },
  ])("may hold $input", ({ input, ...counts }) => {
    expect(parse({ input })).toMatchObject(counts);
  });

  test("is forwarded as it came", () => {
    const raw = '{ "model":"m", "input":"x", "seed":12345678901234567890 }';
    expect(parseEmbeddingsRequest(raw).raw).toBe(raw);
  });

  test("that names no encoding, or null, asks for numbers", () => {
    expect(parse({ input: "x" }).encoding).toBe("float");
    expect(parse({ input: "x", encoding_format: null }).encoding).toBe("float");
    expect(parse({ input: "x", encoding_format: "base64" }).encoding).toBe("base64");
  });

  test("names the length of a vector and the type of its numbers in OpenAI's words or Voyage's", () => {
    expect(parse({ input: "x", dimensions: 256 })).toMatchObject({ dimensions: 256, isQuantized: false });
    expect(parse({ input: "x", output_dimension: 256, output_dtype: "float" })).toMatchObject({
      dimensions: 256,
      isQuantized: false,
    });
    expect(parse({ input: "x", output_dimension: null, output_dtype: "int8" })).toMatchObject({
      dimensions: null,
      isQuantized: true,
    });
  });

  test.each([
    ["no input", {}, "input 必须是字符串或数组"],
    ["null", { input: null }, "input 必须是字符串或数组"],
    ["an object", { input: { text: "x" } }, "input 必须是字符串或数组"],
    ["an empty text", { input: "" }, "input 不能为空"],
    ["an empty array", { input: [] }, "input 不能为空"],
    ["an empty text among others", { input: ["a", ""] }, "input 的第 2 项不能为空"],
    ["an empty token array among others", { input: [[1], []] }, "input 的第 2 项不能为空"],
    ["only an empty token array", { input: [[]] }, "input 的第 1 项不能为空"],
    ["texts and tokens mixed", { input: ["a", 1] }, /必须全部是/],
    ["tokens and texts mixed", { input: [1, "a"] }, /必须全部是/],
    ["a fraction for a token", { input: [1.5] }, /必须全部是/],
    ["a negative token", { input: [[-1]] }, /必须全部是/],
    ["too many texts", { input: Array(2_049).fill("a") }, "input 最多 2048 项"],
    ...["hex", "base64_int8", "base64_binary"].map((encoding_format): [string, object, string] => [
      `the encoding ${encoding_format}, which the dialect does not have`,
      { input: "x", encoding_format },
      "encoding_format 必须是 float、base64 之一",
    ]),
  ])("with %s is refused, and the refusal names the member", (_name, fields, message) => {
    const error = refusalOf(() => parse(fields));
    expect(error.kind).toBe("invalidParameters");
    expect(error.message).toMatch(message);
  });

  test("may hold more than 2,048 tokens in one list", () => {
    expect(parse({ input: Array(5_000).fill(7) })).toMatchObject({ items: 1, inputTokens: 5_000 });
  });

  test("without a model is refused before its input is read", () => {
    expect(refusalOf(() => parseEmbeddingsRequest("{}")).kind).toBe("missingModel");
    expect(refusalOf(() => parseEmbeddingsRequest('{"model":7,"input":""}')).message).toMatch("model");
    expect(refusalOf(() => parseEmbeddingsRequest("[")).kind).toBe("invalidJson");
  });
});
