import { describe, expect, test } from "vitest";
import { tools, user } from "@/tests/support/gemini-turns";
import { callOf, upstreamRequestOf } from "@/tests/support/upstream-request";
import { isJsonObject, type JsonObject, objects } from "../fields";

const requestOf = (body: JsonObject, more: object = {}) =>
  upstreamRequestOf(callOf.gemini(body), "chat", more);
const hello = { contents: [user({ text: "a" })] };

describe("the two spellings", () => {
  test("of members are read alike", () => {
    const camel = {
      systemInstruction: { parts: [{ text: "Be brief" }] },
      contents: [user({ inlineData: { mimeType: "image/png", data: "aGk=" } })],
      generationConfig: { topP: 0.5, stopSequences: ["x"], responseMimeType: "application/json" },
      toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
      tools: [{ functionDeclarations: [{ name: "f", parametersJsonSchema: { type: "object" } }] }],
    };
    const snake = {
      system_instruction: { parts: [{ text: "Be brief" }] },
      contents: [user({ inline_data: { mime_type: "image/png", data: "aGk=" } })],
      generation_config: { top_p: 0.5, stop_sequences: ["x"], response_mime_type: "application/json" },
      tool_config: { function_calling_config: { mode: "any", allowed_function_names: ["f"] } },
      tools: { function_declarations: [{ name: "f", parameters_json_schema: { type: "object" } }] },
    };
    expect(requestOf(snake)).toEqual(requestOf(camel));
    expect(requestOf(camel)).toMatchObject({
      messages: [{ role: "system", content: "Be brief" }, { role: "user" }],
      top_p: 0.5,
      stop: ["x"],
      tool_choice: { type: "function", function: { name: "f" } },
    });
  });

  test("of one member in the same request are refused, because either could be meant", () => {
    const generationConfig = { maxOutputTokens: 1, max_output_tokens: 9_000 };
    expect(() => requestOf({ ...hello, generationConfig })).toThrow("maxOutputTokens");
  });
});

describe("tools", () => {
  const parametersOf = (parameters: JsonObject) => {
    const own = [{ functionDeclarations: [{ name: "f", parameters }] }];
    const [tool] = objects(requestOf({ ...hello, tools: own }).tools);
    return isJsonObject(tool?.function) ? tool.function.parameters : null;
  };

  test("a schema of Google's becomes a JSON schema, without members that other vendors refuse (9router#3018)", () => {
    expect(
      parametersOf({
        type: "OBJECT",
        propertyOrdering: ["type", "list"],
        required: ["type"],
        properties: {
          type: { type: "STRING", format: "enum", enum: ["a"], nullable: true },
          list: { type: "ARRAY", minItems: "1", items: { anyOf: [{ type: "INTEGER" }, { type: "NULL" }] } },
        },
      }),
    ).toEqual({
      type: "object",
      required: ["type"],
      properties: {
        type: { type: ["string", "null"], enum: ["a", null] },
        list: { type: "array", minItems: 1, items: { anyOf: [{ type: "integer" }, { type: "null" }] } },
      },
    });
  });

  test.each([
    ["googleSearch", false],
    ["urlContext", false],
    ["codeExecution", true],
    ["fileSearch", true],
  ])("%s is refused: %s", (name, isRefused) => {
    const ask = () => requestOf({ ...hello, tools: [...tools, { [name]: {} }] });
    if (isRefused) {
      expect(ask).toThrow(name);
    } else {
      expect(objects(ask().tools)).toHaveLength(2);
    }
  });

  test.each([
    [{ mode: "NONE" }, "none", 2],
    [{ mode: "VALIDATED", allowedFunctionNames: ["g"] }, "auto", 1],
    [{ mode: "ANY" }, "required", 2],
    [{ mode: "AUTO", allowedFunctionNames: ["g"] }, "auto", 2],
  ])("the choice %j becomes %s with %i tools", (functionCallingConfig, choice, offered) => {
    const body = requestOf({ ...hello, tools, toolConfig: { functionCallingConfig } });
    expect([body.tool_choice, objects(body.tools).length]).toEqual([choice, offered]);
  });
});

const refused: [string, JsonObject][] = [
  ["generationConfig.candidateCount", { generationConfig: { candidateCount: 2 } }],
  ["cachedContent", { cachedContent: "cachedContents/1" }],
  ["generationConfig.responseModalities", { generationConfig: { responseModalities: ["TEXT", "IMAGE"] } }],
  ["contents[0].role", { contents: [{ role: "system", parts: [] }] }],
  ["fileData.fileUri", { contents: [user({ fileData: { fileUri: "gs://a/b", mimeType: "image/png" } })] }],
  ["generationConfig.temperature", { generationConfig: { temperature: 3 } }],
  ["contents", { contents: [] }],
];

test.each(refused)("%s is refused by its name", (words, body) => {
  expect(() => requestOf({ ...hello, ...body })).toThrow(words);
});

test("thinking is asked for in the upstream's words", () => {
  const effort = { thinking: "effort", effortLevels: ["none", "low", "high"] };
  const wish = (thinkingConfig: JsonObject) =>
    requestOf({ ...hello, generationConfig: { thinkingConfig } }, effort).reasoning_effort;
  expect(wish({ thinkingBudget: 0 })).toBe("none");
  expect(wish({ thinkingBudget: 500 })).toBe("low");
  expect(wish({ thinkingLevel: "HIGH" })).toBe("high");
  expect(wish({})).toBeUndefined();
});
