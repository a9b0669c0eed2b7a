import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { call, model, result, signed, tools, user } from "@/tests/support/gemini-turns";
import { callOf, upstreamRequestOf } from "@/tests/support/upstream-request";
import { type JsonObject, objects } from "../fields";

const requestFor = (dialect: "chat" | "messages", body: JsonObject, more: object = {}) =>
  upstreamRequestOf(callOf.gemini(body), dialect, more);

/** One turn of a tool loop: the model's contents, and the result of its call. */
const loop = (...turns: JsonObject[]) => ({
  ...{ contents: [user({ text: "hi" }), ...turns, user(result("f", { output: "42" }))], tools },
});

/** The call of each result, by the call's arguments and the result's text. */
function pairs(contents: JsonObject[]): [unknown, unknown][] {
  const messages = objects(requestFor("chat", { contents, tools }).messages);
  const calls = messages.flatMap((message) => objects(message.tool_calls));
  const results = new Map(
    messages.filter(({ role }) => role === "tool").map((message) => [message.tool_call_id, message.content]),
  );
  return calls.map(({ id, function: target }) => [(target as JsonObject).arguments, results.get(id)]);
}

describe("a history without identifiers", () => {
  const hi = user({ text: "hi" });

  test.each<[string, JsonObject[], [unknown, unknown][]]>([
    [
      "calls of one name get their results in order (langchain#620)",
      [
        model(call("f", { n: 1 }), call("g", { n: 2 }), call("f", { n: 3 })),
        user(...["two", "one", "three"].map((output, at) => result(at === 0 ? "g" : "f", { output }))),
      ],
      [
        ['{"n":1}', "one"],
        ['{"n":2}', "two"],
        ['{"n":3}', "three"],
      ],
    ],
    [
      "results with identifiers are paired by them, whatever their order (CLIProxyAPI#5199, #3878)",
      [
        model(call("f", { n: 1 }, { id: "a" }), call("f", { n: 2 }, { id: "b" })),
        user(result("f", { output: "b" }, { id: "b" }), result("f", { output: "a" }, { id: "a" })),
      ],
      [
        ['{"n":1}', "a"],
        ['{"n":2}', "b"],
      ],
    ],
    [
      "a call keeps its result if only the call has an identifier (OmniRoute#13334)",
      [model(call("f", { n: 1 }, { id: "a" })), user(result("f", {}))],
      [['{"n":1}', "{}"]],
    ],
    [
      "a call keeps its result if only the result has an identifier",
      [model(call("f", { n: 1 })), user(result("f", { output: "x" }, { id: "f-123" }))],
      [['{"n":1}', "x"]],
    ],
    [
      "the member that the AI SDK puts next to the tool's name is the result",
      [
        model(call("f", { n: 1 }), call("g", { n: 2 })),
        user(result("f", { name: "f", content: "one\n" }), result("g", { name: "g", content: [2] })),
      ],
      [
        ['{"n":1}', "one\n"],
        ['{"n":2}', "[2]"],
      ],
    ],
    [
      "Google's libraries in Python put a result under `result`",
      [model(call("f", { n: 1 })), user(result("f", { result: "one\ntwo" }))],
      [['{"n":1}', "one\ntwo"]],
    ],
    [
      "a tool's own members stay together",
      [
        model(call("f", { n: 1 }), call("f", { n: 2 }), call("f", { n: 3 })),
        user(
          result("f", { name: "Ann", content: "one" }),
          result("f", { content: "two" }),
          result("f", { name: "f", content: "three", size: 3 }),
        ),
      ],
      [
        ['{"n":1}', '{"name":"Ann","content":"one"}'],
        ['{"n":2}', '{"content":"two"}'],
        ['{"n":3}', '{"name":"f","content":"three","size":3}'],
      ],
    ],
    [
      "a call without a result does not take the result of the next turn",
      [
        ...[model(call("f", { n: 1 })), user({ text: "never mind" })],
        ...[model(call("f", { n: 2 })), user(result("f", { output: "two" }))],
      ],
      [
        ['{"n":1}', "[no result]"],
        ['{"n":2}', "two"],
      ],
    ],
  ])("%s", (_name, turns, expected) => {
    expect(pairs([hi, ...turns])).toEqual(expected);
  });

  test("becomes the same bytes when the client sends it again with more turns (CLIProxyAPI#4939)", () => {
    const firstTurns = [user({ text: "hi" }), model(call("f", { n: 1 })), user(result("f", { output: 1 }))];
    const first = objects(requestFor("chat", { contents: firstTurns, tools }).messages);
    const later = objects(
      requestFor("chat", { contents: [...firstTurns, model({ text: "so" }), user({ text: "and?" })], tools })
        .messages,
    );
    expect(later.slice(0, first.length)).toEqual(first);
  });

  test("with 10,000 calls of one name and as many results is read in less than 3 s", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => index);
    const calls = model(...many.map((n) => call("f", { n })));
    const results = user(...many.map((n) => result("f", { output: n })));
    const before = cpuTimeMs();
    expect(pairs([hi, calls, results])).toHaveLength(many.length);
    expect(cpuTimeMs() - before).toBeLessThan(3_000);
  });
});

describe("a tool's result", () => {
  test.each([
    [{ output: "done" }, "done"],
    [{ output: { a: 1 } }, '{"a":1}'],
    [{ error: "no such file" }, "[tool_error] no such file"],
    [{ result: 1, more: 2 }, '{"result":1,"more":2}'],
  ])("%j becomes %j", (response, text) => {
    const contents = [user({ text: "hi" }), model(call("f", {})), user(result("f", response))];
    expect(pairs(contents)).toEqual([["{}", text]]);
  });
});

const thinking = { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } };

describe("a tool loop over Claude", () => {
  test("gets its thinking back signed and first, once, from the call that the client kept (Portkey#1442)", () => {
    const body = loop(
      model({ text: "h", thought: true }, { text: "m", thought: true }),
      model({ text: "so" }),
      model({ ...call("f", { n: 1 }), thoughtSignature: signed }),
    );
    const { messages } = requestFor("messages", { ...body, ...thinking }, { thinking: "adaptive" });
    expect(objects(messages)[1]?.content).toMatchObject([
      { type: "thinking", thinking: "hm", signature: "sig" },
      { type: "text", text: "so" },
      { type: "tool_use", name: "f", input: { n: 1 } },
    ]);
  });

  test("gets no signatures of Google's and no placeholders for lost ones, and neither does another vendor", () => {
    for (const thoughtSignature of [
      "skip_thought_signature_validator",
      "CiQBVKhc7v0=",
      "skip-thought-signature-validator",
    ]) {
      const request = { ...loop(model({ ...call("f", {}), thoughtSignature })), ...thinking };
      for (const dialect of ["chat", "messages"] as const) {
        const body = JSON.stringify(requestFor(dialect, request, { thinking: "adaptive" }));
        expect(body).not.toContain(thoughtSignature);
        expect(body).not.toContain('"thinking","thinking"');
      }
    }
  });

  test("gets its thinking back as text, joined from its pieces, if its model wants that", () => {
    const thoughts = ["a", " "].map((text) => model({ text, thought: true }));
    const body = loop(...thoughts, model({ text: "b", thought: true }, call("f", {})));
    const { messages } = requestFor("chat", body, { echoesThinking: true });
    expect(objects(messages)[1]?.reasoning_content).toBe("a b");
  });
});
