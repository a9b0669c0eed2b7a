import OpenAI7 from "openai";
import OpenAI6 from "openai-6";
import { describe, expect, test } from "vitest";
import { perFile, servedModel } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { type Answer, answerWith, sendJson, sseChunk, startUpstream, usage } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const model = servedModel({ gateway, upstream });
const customer = perFile(() => gateway.customer());

const messages = [{ role: "user" as const, content: "hi" }];
const weather = {
  name: "weather",
  description: "tells it",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};
const toolCall = {
  id: "call_1",
  type: "function",
  function: { name: "weather", arguments: '{"city":"Bern"}' },
};

const withTool: Answer = (asked, response) => {
  if (asked.body.stream !== true) {
    const message = { role: "assistant", content: null, tool_calls: [toolCall] };
    sendJson(response, 200, {
      id: "x",
      choices: [{ index: 0, message, finish_reason: "tool_calls" }],
      usage: usage(20, 9),
    });
    return;
  }
  const chunk = (delta: object, finish: string | null = null) =>
    sseChunk({
      id: "x",
      object: "chat.completion.chunk",
      created: 1,
      model: "m",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const piece = (text: string) => chunk({ tool_calls: [{ index: 0, function: { arguments: text } }] });
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(
    chunk({
      role: "assistant",
      tool_calls: [{ ...toolCall, index: 0, function: { name: "weather", arguments: "" } }],
    }),
  );
  response.end(
    `${piece('{"ci')}${piece('ty":"Bern"}')}${chunk({}, "tool_calls")}${sseChunk({ id: "x", choices: [], usage: usage(20, 9) })}data: [DONE]\n\n`,
  );
};

describe.each([
  ["openai 7", OpenAI7 as unknown as typeof OpenAI6],
  ["openai 6", OpenAI6],
])("the official client %s", (_name, OpenAI) => {
  const client = (options: { apiKey?: string; maxRetries?: number } = {}) =>
    new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: customer.secret, maxRetries: 0, ...options });

  test("lists the models", async () => {
    const ids = [];
    for await (const entry of client().models.list()) {
      ids.push(entry.id);
    }
    expect(ids).toContain(model);
  });

  test("chats", async () => {
    upstream.answer(answerWith("Hello there"));
    const completion = await client().chat.completions.create({ model, messages });
    expect(completion.choices[0]?.message.content).toBe("Hello there");
    expect(completion.usage).toMatchObject(usage(10, 5));
    expect(completion._request_id).toMatch(/^req_/);
  });

  test("streams", async () => {
    upstream.answer(answerWith("Hello there"));
    const stream = client().chat.completions.stream({
      model,
      messages,
      stream_options: { include_usage: true },
    });
    const completion = await stream.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      message: { content: "Hello there" },
      finish_reason: "stop",
    });
    expect(completion.usage).toMatchObject(usage(10, 5));
  });

  test("calls tools, streamed or not, and hands their results back", async () => {
    upstream.answer(withTool);
    const tools = [{ type: "function" as const, function: weather }];
    const whole = await client().chat.completions.create({ model, messages, tools });
    expect(whole.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: { content: null, tool_calls: [toolCall] },
    });
    const streamed = await client().chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject([toolCall]);
    upstream.answer(answerWith("Sunny in Bern"));
    const call = whole.choices[0]?.message;
    const last = await client().chat.completions.create({
      model,
      tools,
      messages: [
        ...messages,
        ...(call ? [call] : []),
        { role: "tool", tool_call_id: "call_1", content: "sunny" },
      ],
    });
    expect(last.choices[0]?.message.content).toBe("Sunny in Bern");
    expect(upstream.asked.at(-1)?.body.messages).toMatchObject([
      messages[0],
      { tool_calls: [toolCall] },
      { role: "tool", tool_call_id: "call_1" },
    ]);
  });

  test("gets the class and the slug of each refusal", async () => {
    const broke = await gateway.customer({ quota: "0.000001" });
    const wrongKey = client({ apiKey: "sk-wrong" }).chat.completions.create({ model, messages });
    await expect(wrongKey).rejects.toMatchObject({ name: "Error", status: 401 });
    await expect(wrongKey).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(client().chat.completions.create({ model: "nope", messages })).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    const refused = await client({ apiKey: broke.secret })
      .chat.completions.create({ model, messages })
      .catch((error: InstanceType<typeof OpenAI.APIError>) => error);
    expect(refused).toMatchObject({ status: 402 });
    expect(refused instanceof OpenAI.APIError && refused.headers?.get("x-error-code")).toBe(
      "insufficient_quota",
    );
  });

  test("throws when a stream breaks off", async () => {
    upstream.answer((_asked, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(
        sseChunk({ id: "x", choices: [{ index: 0, delta: { role: "assistant", content: "one" } }] }),
      );
    });
    const read = async () => {
      for await (const _chunk of await client().chat.completions.create({ model, messages, stream: true })) {
        // Only its end matters.
      }
    };
    await expect(read()).rejects.toThrow(/上游响应格式异常/);
  });

  test("does not repeat a call that may have been bought", async () => {
    const own = await gateway.model();
    const failing = await startUpstream((_asked, response) => void response.end("<html>"));
    await gateway.channel({ model: own, baseUrl: failing.baseUrl });
    await expect(
      client({ maxRetries: 2 }).chat.completions.create({ model: own, messages }),
    ).rejects.toMatchObject({ status: 502 });
    expect(failing.asked.length).toBe(1);
    await failing.close();
  });
});
