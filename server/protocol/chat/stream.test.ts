import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinStream } from "../answers/client-answer";
import { readEventData } from "../answers/sse";
import { type JsonObject, objects, textOf } from "../fields";
import type { AnswerStream } from "../upstream-plan";
import { ChatReader } from "./reader";
import { ChatWriter } from "./writer";

const stream = (wantsUsage = false) =>
  joinStream(
    new ChatReader({ model: "public", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) }),
    new ChatWriter({ wantsUsage }),
  );

const head = { id: "c", object: "chat.completion.chunk", created: 1, model: "vendor" };
const chunk = (choice: object, more: object = {}) =>
  JSON.stringify({ ...head, choices: [{ index: 0, ...choice }], ...more });

function forward(answer: AnswerStream, data: string): Record<string, unknown> {
  const step = answer.push(data);
  expect(step.kind).toBe("frames");
  const text = step.kind === "frames" ? step.text : "";
  return text === "" ? {} : JSON.parse(text.slice("data: ".length));
}

test("the first delta of a choice has a role, whatever the vendor sends", () => {
  expect(forward(stream(), chunk({ delta: { content: "a" } }))).toMatchObject({
    choices: [{ delta: { role: "assistant", content: "a" } }],
  });
});

test("identity fields that a vendor leaves empty are filled and stay the same", () => {
  const answer = stream();
  const bare = JSON.stringify({ id: "", created: 0, choices: [{ delta: { content: "a" } }] });
  const [first, second] = [forward(answer, bare), forward(answer, bare)];
  const { object } = head;
  expect(first).toMatchObject({ id: "chatcmpl_1", created: 5, object, model: "public" });
  expect(second).toMatchObject({ id: "chatcmpl_1", created: 5 });
});

test.each([
  [{ reasoning: "hm" }, "hm"],
  [{ reasoning_details: [{ type: "reasoning.text", text: "h" }, { text: "m" }] }, "hm"],
  [{ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }, "hm"],
])("%j is reasoning_content", (delta, text) => {
  const body = forward(stream(), chunk({ delta })) as { choices: { delta: Record<string, unknown> }[] };
  expect(body.choices[0]?.delta.reasoning_content).toBe(text);
  expect(body.choices[0]?.delta.reasoning).toBeUndefined();
});

type CallDelta = { index: number; id?: string; function: { arguments: string } };

/** The calls that a client gets for these fragments, each in a separate chunk. */
function callsOf(fragments: object[]): (CallDelta | undefined)[] {
  const answer = stream();
  return fragments.map((fragment) => {
    const body = forward(answer, chunk({ delta: { tool_calls: [fragment] } }));
    return (body as { choices: { delta: { tool_calls: CallDelta[] } }[] }).choices[0]?.delta.tool_calls[0];
  });
}

const callStart = (id: string) => ({ id, function: { name: "f", arguments: { a: 1 } } });
const more = { function: { arguments: "{}" } };

test.each<[string, object[], number[]]>([
  [
    "that are all numbered 0 get a number each, and a piece with neither id nor name continues the last one",
    [callStart("x"), more, callStart("y"), more, callStart("y")].map((call) => ({ index: 0, ...call })),
    [0, 0, 1, 1, 1],
  ],
  [
    "that are numbered from 1 and interleaved become numbered from 0",
    [
      ...[1, 2].map((index) => ({ index, ...callStart(`call_${index}`) })),
      ...[1, 2].map((index) => ({ index, ...more })),
    ],
    [0, 1, 0, 1],
  ],
])("tool calls %s", (_name, fragments, places) => {
  const calls = callsOf(fragments);
  expect(calls.map((call) => call?.index)).toEqual(places);
  expect(calls[0]?.function.arguments).toBe('{"a":1}');
});

test("each call without an id gets its own, which the client gets once", () => {
  const [first, rest, second] = callsOf([
    { index: 0, id: "", function: { name: "f", arguments: "{" } },
    { index: 0, function: { arguments: "}" } },
    { index: 1, function: { name: "f", arguments: "{}" } },
  ]).map((call) => call?.id);
  expect(first).toMatch(/^call_[0-9a-f]{24}$/);
  expect(rest).toBeUndefined();
  expect(second).toMatch(/^call_[0-9a-f]{24}$/);
  expect(second).not.toBe(first);
});

const call = (more: object, index = 0) => ({ index, function: more });
test.each<
  [what: string, chunks: [delta: object | null, finish?: string, message?: object][], expectedCall: string]
>([
  [
    "a name that grows",
    [[call({ name: "get" })], [call({ name: "get_weather", arguments: "{}" })]],
    "get_weather {}",
  ],
  [
    "a name in two pieces",
    [[call({ name: "get_" })], [call({ name: "weather" })], [call({ arguments: "{}" })]],
    "get_weather {}",
  ],
  ["a call without arguments", [[call({ name: "f" })], [null, "tool_calls"]], "f {}"],
  ["a call that is cut off", [[call({ name: "f" })], [null, "content_filter"]], "f "],
  [
    "arguments after the end",
    [[call({ name: "f" }), "tool_calls"], [call({ arguments: '{"a":1}' })]],
    'f {"a":1}',
  ],
  ["free text that is empty", [[{ index: 0, custom: { name: "f", input: "" } }], [null, "tool_calls"]], "f "],
])("the client gets %s once", (_, chunks, expected) => {
  const reader = new ChatReader(
    { model: "m", inputTokens: 9, fallbackId: "chatcmpl_1", now: new Date(5_000) },
    { isTool: (name) => name === "f" },
  );
  const events = chunks.flatMap(([part, finish_reason = null]) => {
    const delta = part === null ? {} : { tool_calls: [part] };
    const step = reader.read(JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason }] }));
    return step.kind === "events" ? step.events : [];
  });
  const calls = [...events, ...reader.owed()].flatMap(({ choices }) =>
    objects(choices).flatMap(({ delta }) => objects((delta as JsonObject).tool_calls)),
  );
  const all = (member: "name" | "arguments" | "input") =>
    calls
      .map((toolCall) =>
        textOf(
          (toolCall.function as JsonObject | undefined)?.[member] ??
            (toolCall.custom as JsonObject | undefined)?.[member],
        ),
      )
      .join("");
  expect(`${all("name")} ${all("arguments")}${all("input")}`).toBe(expected);
});

test("a message after deltas repeats no text, and messages without deltas are read as text", () => {
  const contentOf = (...choices: object[]) => {
    const answer = stream();
    return choices
      .map((choice) => {
        const [read] = objects(forward(answer, chunk(choice)).choices);
        return (read?.delta as JsonObject | undefined)?.content ?? "";
      })
      .join("");
  };
  expect(contentOf({ delta: { content: "Hi" } }, { message: { content: "Hi" }, finish_reason: "stop" })).toBe(
    "Hi",
  );
  expect(contentOf({ message: { content: "H" } }, { message: { content: "i" } })).toBe("Hi");
});

test("the id and the time of the first chunk stay those of the stream", () => {
  const answer = stream();
  forward(answer, chunk({ delta: { content: "a" } }));
  const last = forward(answer, chunk({ delta: {} }, { id: "stub", created: 2 }));
  expect(last).toMatchObject({ id: "c", created: 1 });
});

test.each([
  ["", null],
  ["eos", "stop"],
  ["TOOL_CALLS", "tool_calls"],
])("the finish reason %j becomes %j", (reason, standard) => {
  const delta = standard === "tool_calls" ? { tool_calls: [{ id: "x", function: { name: "f" } }] } : {};
  expect(forward(stream(), chunk({ delta, finish_reason: reason }))).toMatchObject({
    choices: [{ finish_reason: standard }],
  });
});

describe("usage of a stream", () => {
  const counts = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

  test("is cumulative if every chunk has it: the last one counts", () => {
    const answer = stream();
    const early = { ...counts, completion_tokens: 1, total_tokens: 11 };
    forward(answer, chunk({ delta: { content: "a" } }, { usage: early }));
    forward(answer, chunk({ delta: {}, finish_reason: "stop" }, { usage: counts }));
    const usage = { inputTokens: 10, outputTokens: 5 };
    expect(answer.settled(true)).toMatchObject({ source: "upstream", usage });
  });

  test("is found inside a choice, and removed from it", () => {
    const answer = stream(true);
    const last = forward(answer, chunk({ delta: {}, finish_reason: "stop", usage: counts }));
    expect(last).toMatchObject({ usage: null });
    expect(answer.settled(true).usage).toMatchObject({ outputTokens: 5 });
    expect(answer.ending()).toContain('"total_tokens":15');
  });

  test("is partial if it counts only the prompt before the stream breaks: the output so far is estimated", () => {
    const answer = stream();
    const usage = { prompt_tokens: 22, completion_tokens: null };
    forward(answer, chunk({ delta: { content: "four score and seven years ago" } }, { usage }));
    const settled = answer.settled(false);
    expect(settled).toMatchObject({ source: "partial", usage: { inputTokens: 22 } });
    expect(settled.usage.outputTokens).toBeGreaterThan(4);
  });
});

test.each([
  ["stop", { content: "a" }],
  ["tool_calls", { tool_calls: [{ index: 0, id: "x", function: { name: "f" } }] }],
])("a stream that is done without a finish reason ends with %s", (reason, delta) => {
  const answer = stream();
  forward(answer, chunk({ delta }));
  expect(answer.ending()).toContain(`"finish_reason":"${reason}"`);
});

test("any cut of the same upstream bytes gives the same client bytes", async () => {
  const body = new TextEncoder().encode(
    `\uFEFF: hello\r\n\r\ndata:${chunk({ delta: { content: "你好 🌍" } })}\r\n\r\nevent: x\ndata: ${chunk({ delta: {}, finish_reason: "stop" })}\n\ndata: [DONE]`,
  );
  const read = async (pieces: Uint8Array[]) => {
    const answer = stream();
    let text = "";
    const source = (async function* () {
      yield* pieces;
    })();
    for await (const { events: group } of readEventData(source)) {
      for (const data of group) {
        const step = answer.push(data);
        text += step.kind === "frames" ? step.text : step.kind;
      }
    }
    return text;
  };
  const whole = await read([body]);
  expect(whole).toContain("你好 🌍");
  expect(whole.endsWith("done")).toBe(true);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(body.length), { maxLength: 12 }), async (cuts) => {
      const places = [0, ...cuts.sort((left, right) => left - right), body.length];
      expect(await read(places.slice(1).map((end, index) => body.subarray(places[index], end)))).toBe(whole);
    }),
  );
});

const said = { delta: { content: "a" } };
const called = { delta: { tool_calls: [{ index: 0, id: "x", function: { name: "f", arguments: "{}" } }] } };
const blank = { delta: { tool_calls: [{ index: 0, id: "", function: { name: "", arguments: "" } }] } };
const end = (finish_reason: string) => ({ delta: {}, finish_reason });

test.each([
  ["a call without name and arguments", [said, blank, end("tool_calls")], ["stop"]],
  ["such a call before a plain one", [blank, said, end("stop")], ["stop"]],
  ["no calls", [said, end("tool_calls")], ["stop"]],
  ["no calls, twice", [said, end("function_call"), end("stop")], ["stop"]],
  ["calls before it", [called, end("tool_calls")], ["tool_calls"]],
  ["calls in its piece", [{ ...called, ...{ finish_reason: "tool_calls" } }], ["tool_calls"]],
  ["calls after it", [said, end("tool_calls"), called], ["tool_calls"]],
  ["calls before a plain one", [called, end("stop")], ["tool_calls"]],
])("an end for calls with %s is the end that the calls imply", (_what, choices, ends) => {
  const answer = stream();
  const text =
    choices.map((choice) => JSON.stringify(forward(answer, chunk(choice)))).join("\n") + answer.ending();
  expect([...text.matchAll(/"finish_reason":"(\w+)"/g)].map(([, word]) => word)).toEqual(ends);
});

test("what follows the reason for an end breaks nothing off, and a stream without a choice is none", () => {
  const answer = stream();
  forward(answer, chunk(said));
  expect(answer.push("<html>")).toEqual({ kind: "malformed" });
  forward(answer, chunk(end("stop")));
  expect(answer.push("<html>").kind).toBe("frames");
  expect(answer.push("[DONE]")).toEqual({ kind: "done" });
  const other = stream();
  other.push(JSON.stringify({ id: "c", unknown: "answer" }));
  expect(other.push("[DONE]")).toEqual({ kind: "malformed" });
});

test("an event that is nested too deeply to be printed is malformed", () => {
  const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
  const data = chunk({ delta: { content: "a" } }).replace(/\}$/, `,"logprobs":${deep}}`);
  expect(stream().push(data)).toEqual({ kind: "malformed" });
});

test.each([
  [
    "tool calls",
    (at: number) => ({ delta: { tool_calls: [{ index: at, id: `c${at}`, function: { name: "f" } }] } }),
  ],
  ["choices", (at: number) => ({ index: at, delta: { content: "a" } })],
])("a stream of more %s than any model makes is malformed, and is refused early", (_what, part) => {
  const answer = stream();
  let pushed = 0;
  while (pushed < 5_000 && answer.push(chunk(part(pushed))).kind === "frames") {
    pushed++;
  }
  expect(pushed).toBeGreaterThan(128);
  expect(pushed).toBeLessThan(1_000);
});

describe("a stream of several choices", () => {
  const end = (index: number, finish_reason: string | null) => ({ index, delta: {}, finish_reason });
  const reader = (choices: number) =>
    new ChatReader({ model: "m", inputTokens: 9, fallbackId: "c", now: new Date(0) }, { choices });

  test.each<[string, number, ReturnType<typeof end>[][], string[]]>([
    [
      "goes on while one choice fails and another continues",
      2,
      [[end(0, null), end(1, "abort")]],
      ["events"],
    ],
    ["fails when all choices have failed", 2, [[end(0, "error")], [end(1, "error")]], ["events", "error"]],
    [
      "does not fail with a choice that the client did not ask for",
      1,
      [[end(0, "stop")], [end(1, "error")]],
      ["events", "events"],
    ],
  ])("%s", (_name, ...[choiceCount, chunks, kinds]) => {
    const chatReader = reader(choiceCount);
    expect(chunks.map((choices) => chatReader.read(JSON.stringify({ ...head, choices })).kind)).toEqual(
      kinds,
    );
  });

  test("goes on while one choice has an error, and fails with the error of the last one", () => {
    const chatReader = reader(2);
    const broken = (index: number, finish_reason: string | null) =>
      chatReader.read(
        JSON.stringify({
          ...head,
          choices: [{ ...end(index, finish_reason), error: { message: "broke", code: 502 } }],
        }),
      );
    expect(broken(1, null)).toMatchObject({ events: [{ choices: [{ index: 1, finish_reason: "error" }] }] });
    expect(broken(0, "error")).toEqual({ kind: "error", words: { message: "broke", status: 502 } });
  });

  test("passes on its vendor's word for a choice that fails, and ends when the others have ended", () => {
    const chatReader = reader(2);
    const failed = chatReader.read(JSON.stringify({ ...head, choices: [end(1, "network_error")] }));
    expect(failed).toMatchObject({ events: [{ choices: [{ index: 1, finish_reason: "network_error" }] }] });
    chatReader.read(JSON.stringify({ ...head, choices: [end(0, "stop")] }));
    expect(chatReader.isFinished).toBe(true);
  });
});

test("a client waits for its end only after an end for calls that did not come, and their counts", () => {
  const counts = { prompt_tokens: 1, completion_tokens: 1 };
  const bare = (usage: unknown) => JSON.stringify({ id: "c", choices: [], usage });
  const answer = stream();
  const seen = [
    ...[bare(counts), chunk(said), chunk(end("tool_calls")), bare({}), bare(counts), bare(null)],
    ...[chunk(said), bare(counts)],
  ].map((data) => {
    answer.push(data);
    return answer.isCounted;
  });
  expect(seen).toEqual([false, false, false, false, true, true, false, true]);
  const usual = stream();
  for (const data of [chunk(said), chunk(end("stop")), bare(counts)]) {
    usual.push(data);
  }
  expect(usual.isCounted).toBe(false);
});
