import { describe, expect, test } from "vitest";
import { findChatFault } from "@/tests/support/chat-rules";
import { findMessagesFault } from "@/tests/support/messages-rules";
import { startUpstream } from "@/tests/support/upstream";
import { clients } from "./clients";
import { heardBy, toolTurns, usesOn } from "./conversation";
import { ways } from "./stage";

// The vendors of the other tests in this folder, without the gateway: their own clients please them, and what the real
// ones refuse they refuse.

describe.each(clients)("$name", (client) => {
  test.each([
    ["in a stream", true],
    ["as a whole", false],
  ])("pleases a vendor of its own dialect, %s", async (_how, isStream) => {
    const way = ways.find(({ dialect }) => dialect === client.dialect);
    if (!way) {
      throw new Error(`no vendor speaks ${client.dialect}`);
    }
    const upstream = await startUpstream(way.speak(toolTurns));
    const target = { url: upstream.baseUrl.replace("/v1", ""), secret: "sk-vendor", model: "vendor-model" };
    const heard = await client.toolLoop(target, { isStream }).finally(upstream.close);
    expect(heard).toEqual(heardBy(client, { isStream }));
    expect(way.readToolUses(upstream.asked.at(-1)?.body)).toEqual(usesOn(way, client));
  });
});

const call = (id = "call_1", name = "look") => ({
  id,
  type: "function",
  function: { name, arguments: "{}" },
});
const calling = { role: "assistant", content: null, tool_calls: [call()] };
const result = { role: "tool", tool_call_id: "call_1", content: "seen" };
const hello = { role: "user", content: "hello" };
const look = { type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } };

describe("the vendor of the chat dialect", () => {
  const faultOf = (body: object) =>
    findChatFault(
      {
        path: "/v1/chat/completions",
        headers: { authorization: "Bearer sk" },
        body: { model: "m", messages: [hello], ...body },
      },
      { turns: toolTurns },
    );

  test("takes a plain conversation, and one with tools", () => {
    expect(faultOf({})).toBeNull();
    expect(faultOf({ tools: [look], messages: [hello, calling, result, hello] })).toBeNull();
  });

  test.each<[string, object, RegExp]>([
    ["an unknown key", { top_k: 3 }, /top_k/],
    [
      "cache_control on a part",
      { messages: [{ role: "user", content: [{ type: "text", text: "a", cache_control: {} }] }] },
      /cache_control/,
    ],
    ["a key of its own on a message", { messages: [{ ...hello, cache_control: {} }] }, /cache_control/],
    ["a call without its result", { messages: [hello, calling, hello] }, /must be followed/],
    ["a call without anything after it", { messages: [hello, calling] }, /must be followed/],
    ["a result without its call", { messages: [hello, result] }, /answers no call/],
    [
      "a result with a picture",
      {
        messages: [
          hello,
          calling,
          { ...result, content: [{ type: "image_url", image_url: { url: "https://a.b/c" } }] },
        ],
      },
      /content/,
    ],
    [
      "an identifier of 41 characters",
      { messages: [hello, { ...calling, tool_calls: [call("x".repeat(41))] }] },
      /40/,
    ],
    [
      "a tool name of 65 characters",
      { tools: [{ type: "function", function: { name: "x".repeat(65) } }] },
      /name/,
    ],
    ["a choice of tool without tools", { tool_choice: "auto" }, /needs tools/],
    ["options of a stream without a stream", { stream_options: { include_usage: true } }, /needs stream/],
    [
      "thinking that is not its own",
      { messages: [hello, { ...calling, reasoning_content: "mine" }, result] },
      /not what this model thought/,
    ],
    [
      "an assistant who says nothing",
      { messages: [hello, { role: "assistant", content: null }] },
      /needs content/,
    ],
  ])("refuses %s", (_what, body, words) => {
    expect(faultOf(body)).toMatch(words);
  });

  test("refuses a tool call without its thinking, if it wants that back", () => {
    const asked = {
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer sk" },
      body: { model: "m", messages: [hello, calling, result] },
    };
    expect(findChatFault(asked, { turns: toolTurns, wantsThinkingBack: true })).toMatch(/is missing/);
  });
});

const using = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "look", input: {} }] };
const used = { type: "tool_result", tool_use_id: "toolu_1", content: "seen" };
const user = (...content: object[]) => ({ role: "user", content });
const text = { type: "text", text: "so" };
const lookTool = { name: "look", input_schema: { type: "object" } };

describe("the vendor of the messages dialect", () => {
  const faultOf = (body: object, headers = {}) =>
    findMessagesFault({
      path: "/v1/messages?beta=true",
      headers: { "x-api-key": "sk", "anthropic-version": "2023-06-01", ...headers },
      body: { model: "m", max_tokens: 2_048, messages: [hello], ...body },
    });

  test("takes a plain conversation, and one with tools", () => {
    expect(faultOf({})).toBeNull();
    expect(faultOf({ tools: [lookTool], messages: [hello, hello, using, user(used, text)] })).toBeNull();
  });

  test.each<[string, object, RegExp]>([
    ["an unknown key", { stream_options: {} }, /stream_options/],
    ["no max_tokens", { max_tokens: undefined }, /max_tokens/],
    ["an answer at the start", { messages: [{ role: "assistant", content: "a" }, hello] }, /first message/],
    ["an empty text", { messages: [user({ type: "text", text: "" })] }, /non-empty/],
    ["an empty message", { messages: [{ role: "user", content: "" }] }, /non-empty/],
    ["a call without its result", { messages: [hello, using, hello] }, /tool_use ids/],
    ["a call without anything after it", { messages: [hello, using] }, /without `tool_result`/],
    ["a result without its call", { messages: [user(used)] }, /tool_use ids/],
    ["a result behind a text", { messages: [hello, using, user(text, used)] }, /come first/],
    [
      "a result of another call",
      { messages: [hello, using, user({ ...used, tool_use_id: "toolu_2" })] },
      /toolu_2/,
    ],
    ["an identifier with a dot", { messages: [user({ ...used, tool_use_id: "a.b" })] }, /tool_use_id/],
    ["a tool without a schema", { tools: [{ name: "look" }] }, /tools/],
    ["a schema that is not an object's", { tools: [{ ...lookTool, input_schema: {} }] }, /tools/],
    ["a choice of tool without tools", { tool_choice: { type: "auto" } }, /needs tools/],
    [
      "a signature that is not its own",
      {
        messages: [
          hello,
          { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "x" }, text] },
        ],
      },
      /signature/,
    ],
    [
      "a call without thinking under a budget",
      { thinking: { type: "enabled", budget_tokens: 1_024 }, messages: [hello, using, user(used)] },
      /Expected `thinking`/,
    ],
    ["temperature beside top_p", { temperature: 1, top_p: 1 }, /cannot both/],
    [
      "a fifth mark for the cache",
      { messages: [user(...Array(5).fill({ ...text, cache_control: { type: "ephemeral" } }))] },
      /maximum of 4/,
    ],
    ["a beta's key without the beta", { context_management: { edits: [] } }, /Extra inputs/],
  ])("refuses %s", (_what, body, words) => {
    expect(faultOf(body)).toMatch(words);
  });

  test("refuses sampling parameters in the newer version", () => {
    expect(faultOf({ temperature: 1 }, { "anthropic-version": "2026-10-21" })).toMatch(/sampling/);
  });
});
