import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { readEmbeddings } from "./answer";
import { encodeFloats } from "./encoding";
import { parseEmbeddingsRequest } from "./request";

const request = (fields: object = {}) =>
  parseEmbeddingsRequest(JSON.stringify({ model: "public", input: ["a", "b"], ...fields }));

const usage = { prompt_tokens: 8, total_tokens: 8 };
const answer = (first: unknown, second: unknown = first) => ({
  object: "list",
  model: "upstream",
  data: [
    { object: "embedding", index: 0, embedding: first },
    { object: "embedding", index: 1, embedding: second },
  ],
  usage,
});

function read(value: unknown, fields: object = {}) {
  const result = atOnce(readEmbeddings(value, request(fields)));
  return result && { ...result, body: JSON.parse([...result.body].join("")) };
}
const vectors = (value: unknown, fields: object = {}) =>
  read(value, fields)?.body.data.map((item: { embedding: unknown }) => item.embedding);

const numbers = [0.5, -1.25, 3];
const text = encodeFloats(numbers);

describe("an embeddings answer", () => {
  test.each([
    { fields: {}, expected: numbers },
    { fields: { encoding_format: "float" }, expected: numbers },
    { fields: { encoding_format: "base64" }, expected: text },
  ])(
    "aisix#397, anything-llm#5794, docs-mcp-server#471: has numbers or base64 as a client asks with $fields, whichever the upstream sends",
    ({ fields, expected }) => {
      expect(vectors(answer(numbers), fields)).toEqual([expected, expected]);
      expect(vectors(answer(text), fields)).toEqual([expected, expected]);
    },
  );

  test("has the fields of spec 2.4 and the public name, even if the upstream left them out", () => {
    expect(read({ data: [{ embedding: [1] }, { embedding: [2] }], usage })?.body).toEqual({
      object: "list",
      data: [
        { object: "embedding", index: 0, embedding: [1] },
        { object: "embedding", index: 1, embedding: [2] },
      ],
      model: "public",
      usage,
    });
  });

  test("keeps a vendor's own fields", () => {
    const upstreamAnswer = answer([1]);
    const body = read({ ...upstreamAnswer, id: "e-1", usage: { ...usage, completion_tokens: 0 } })?.body;
    expect(body).toMatchObject({ id: "e-1", usage: { ...usage, completion_tokens: 0 } });
  });

  test("is in the order of the input", () => {
    const item = (index: number | undefined, value: number) => ({ index, embedding: [value] });
    const three = { input: ["a", "b", "c"] };
    expect(vectors({ data: [item(2, 3), item(0, 1), item(1, 2)] }, three)).toEqual([[1], [2], [3]]);
    // Google's JSON leaves out a 0; other vendors give all items the same index.
    expect(vectors({ data: [item(1, 2), item(undefined, 1)] })).toEqual([[1], [2]]);
    expect(vectors({ data: [item(0, 1), item(0, 2)] })).toEqual([[1], [2]]);
    expect(read({ data: [item(0, 1), item(1, 2), item(1, 3)] }, three)).toBeNull();
    expect(read({ data: [item(0, 1), item(7, 2)] })).toBeNull();
  });

  test.each([
    ["no object", "nope"],
    ["no data", { object: "list" }],
    ["a single vector outside of a list (Ollama's older endpoint)", { embedding: [1, 2] }],
    ["too few vectors", { data: [{ index: 0, embedding: [1] }] }],
    ["an item that is no object", { data: [1, 2] }],
    ["no embedding", answer(undefined)],
    ["an empty vector", answer([])],
    ["an empty string", answer("")],
    ["a vector with a hole", answer([1, null])],
    ["a vector with a text in it", answer([1, "2"])],
    ["half a float", answer("AAAA")],
    ["base64 of NaN", answer(encodeFloats([Number.NaN]))],
  ])("with %s is malformed", (_name, value) => {
    expect(read(value)).toBeNull();
    expect(read(value, { encoding_format: "base64" })).toBeNull();
  });

  test("has numbers if the upstream sends int8 in base64 that the client did not ask for (Perplexity)", () => {
    const values = Array.from({ length: 256 }, (_, index) => Math.round(Math.sin(index + 1) * 90));
    const base64 = Buffer.from(Int8Array.from(values).buffer).toString("base64");
    expect(vectors(answer(base64), { dimensions: 256 })).toEqual([values, values]);
    expect(vectors(answer(base64))).toEqual([values, values]);
  });

  test("stays as it is if the client named the type of its numbers", () => {
    const fields = { output_dtype: "int8", encoding_format: "base64" };
    expect(vectors(answer("AQID"), fields)).toEqual(["AQID", "AQID"]);
    expect(vectors(answer([1, -2, 3]), fields)).toEqual([
      [1, -2, 3],
      [1, -2, 3],
    ]);
  });
});

describe("the usage of an embeddings answer", () => {
  test("counts the upstream's input, and no output", () => {
    expect(read(answer([1]))).toMatchObject({
      source: "upstream",
      usage: { inputTokens: 8, outputTokens: 0, cacheReadTokens: 0 },
    });
  });

  test("is the total if the upstream sends nothing else", () => {
    const upstreamAnswer = { ...answer([1]), usage: { total_tokens: 12 } };
    expect(read(upstreamAnswer)).toMatchObject({ source: "upstream", usage: { inputTokens: 12 } });
    expect(read(upstreamAnswer)?.body.usage).toEqual({ prompt_tokens: 12, total_tokens: 12 });
  });

  test.each([
    [undefined],
    [null],
    [{}],
    [{ prompt_tokens: 0, total_tokens: 0 }],
    [{ prompt_tokens: "many" }],
  ])("is estimated if the upstream sends %j", (counts) => {
    const result = read({ ...answer([1]), usage: counts }, { input: [[1, 2, 3], [4]] });
    expect(result).toMatchObject({ source: "estimated", usage: { inputTokens: 4 } });
    expect(result?.body.usage).toMatchObject({ prompt_tokens: 4, total_tokens: 4 });
  });
});
