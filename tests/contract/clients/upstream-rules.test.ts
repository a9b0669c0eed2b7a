import { describe, expect, test } from "vitest";
import { findGeminiFault, signThought } from "@/tests/support/gemini-rules";
import { findResponsesFault, seal } from "@/tests/support/responses-rules";

// What the vendors of `tests/clients` refuse, as the real ones do.

const thought = "Two numbers, so a product.";

describe("the vendor of the responses dialect", () => {
  const faultOf = (body: object) =>
    findResponsesFault(
      {
        path: "/v1/responses",
        headers: { authorization: "Bearer sk" },
        body: { model: "m", input: "hello", store: false, ...body },
      },
      [thought],
    );
  const hello = { role: "user", content: "hello" };
  const reasoning = { type: "reasoning", summary: [], encrypted_content: seal(thought) };
  const call = { type: "function_call", call_id: "call_1", name: "look", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "call_1", output: "seen" };
  const look = { type: "function", name: "look", parameters: { type: "object", properties: { a: {} } } };

  test("takes a plain conversation, and one with tools and thinking", () => {
    expect(faultOf({})).toBeNull();
    expect(
      faultOf({ tools: [{ ...look, strict: false }], input: [hello, reasoning, call, output] }),
    ).toBeNull();
  });

  test.each<[string, object, RegExp]>([
    ["an unknown key", { client_metadata: {} }, /client_metadata/],
    ["what it was to store", { store: true }, /store/],
    ["an identifier of another kind", { input: [{ ...call, id: "toolu_1" }, output] }, /fc_/],
    ["a call without its output", { input: [hello, call] }, /No tool output/],
    ["an output without its call", { input: [hello, output] }, /No tool call/],
    [
      "a user's text as an answer's",
      { input: [{ ...hello, content: [{ type: "output_text", text: "a" }] }] },
      /./,
    ],
    ["thinking that nothing follows", { input: [reasoning, hello] }, /required following item/],
    ["another's thinking", { input: [{ ...reasoning, encrypted_content: "x" }, call, output] }, /verified/],
    [
      "thinking by its name alone",
      { input: [{ type: "reasoning", id: "rs_1", summary: [] }, call, output] },
      /not found/,
    ],
    ["a limit below its least", { max_output_tokens: 8 }, /16/],
    ["a strict tool with a loose schema", { tools: [{ ...look, strict: true }] }, /additionalProperties/],
  ])("refuses %s", (_what, body, words) => {
    expect(faultOf(body)).toMatch(words);
  });
});

describe("the vendor of the gemini dialect", () => {
  const faultOf = (body: object) =>
    findGeminiFault(
      {
        path: "/v1beta/models/m:streamGenerateContent?alt=sse",
        headers: { "x-goog-api-key": "k" },
        body: { contents: [hello], ...body },
      },
      [thought],
    );
  const hello = { role: "user", parts: [{ text: "hello" }] };
  const functionCall = { name: "look", args: {} };
  const calling = { role: "model", parts: [{ functionCall, thoughtSignature: signThought(thought) }] };
  const result = {
    role: "user",
    parts: [{ functionResponse: { name: "look", response: { output: "seen" } } }],
  };
  const declared = (declaration: object) => [{ functionDeclarations: [{ name: "look", ...declaration }] }];

  test("takes a plain conversation, and one with tools and thinking", () => {
    expect(faultOf({})).toBeNull();
    const parametersJsonSchema = { type: "object", properties: {}, additionalProperties: false };
    expect(
      faultOf({ tools: declared({ parametersJsonSchema }), contents: [hello, calling, result] }),
    ).toBeNull();
  });

  test.each<[string, object, RegExp]>([
    ["an unknown key", { model: "m" }, /model/],
    [
      "JSON Schema where it knows OpenAPI's",
      { tools: declared({ parameters: { additionalProperties: false } }) },
      /additional/,
    ],
    ["a call without its response", { contents: [hello, calling] }, /no function response turn/],
    ["fewer responses than calls", { contents: [hello, calling, hello] }, /not equal/],
    ["a response without its call", { contents: [hello, result] }, /not equal/],
    [
      "a call that nothing signed",
      { contents: [hello, { role: "model", parts: [{ functionCall }] }, result] },
      /missing/,
    ],
    [
      "another's signature",
      { contents: [hello, { role: "model", parts: [{ functionCall, thoughtSignature: "x" }] }, result] },
      /not valid/,
    ],
    [
      "a conversation that the model begins",
      { contents: [{ role: "model", parts: [{ text: "a" }] }, hello] },
      /start/,
    ],
    ["no parts", { contents: [{ role: "user", parts: [] }] }, /parts/],
  ])("refuses %s", (_what, body, words) => {
    expect(faultOf(body)).toMatch(words);
  });
});
