/** Which counts of upstreams the gateway believes, whole or streamed, in both dialects. */

import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import {
  assistantMessage,
  blocks,
  chatCounts,
  chunk,
  context,
  counted,
  feed,
  finish,
  finished,
  messagesCounts,
  start,
  TEXT,
} from "@/tests/support/counted-answers";
import { readChatAnswer } from "../chat/answer";
import { ChatReader } from "../chat/reader";
import { MessagesReader } from "../messages/reader";

describe("usage of zero makes no answer free", () => {
  test.each([
    ["chat", () => chatCounts({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 })],
    ["messages", () => messagesCounts({ input_tokens: 0, output_tokens: 0 }, {})],
  ])(
    "%s: the gateway estimates the charge of an answer with content, whole and streamed",
    (_dialect, count) => {
      const { whole, streamed } = count();
      expect(whole).toMatchObject({ source: "estimated", usage: { inputTokens: 9 } });
      expect(whole.usage?.outputTokens).toBeGreaterThan(4);
      expect(streamed).toEqual(whole);
    },
  );

  test("a prompt of zero tokens is no count, and only the prompt is estimated", () => {
    const usage = { prompt_tokens: 0, completion_tokens: 26, total_tokens: 26 };
    const half = { source: "partial", usage: { inputTokens: 9, outputTokens: 26 } };
    expect(chatCounts(usage).whole).toMatchObject(half);
    expect(messagesCounts({ input_tokens: 0, output_tokens: 26 }).whole).toMatchObject(half);
  });

  test("an empty answer may have an output of zero tokens", () => {
    const { whole } = chatCounts({ ...counted, completion_tokens: 0, total_tokens: 20 }, { text: "" });
    expect(whole).toMatchObject({ source: "upstream", usage: { inputTokens: 20, outputTokens: 0 } });
  });

  test("chat: a late zero overwrites no count", () => {
    const settled = feed(new ChatReader(context), [
      chunk({ choices: [{ index: 0, delta: assistantMessage(TEXT) }] }),
      chunk({ choices: [finished], usage: { ...counted, prompt_tokens_details: { cached_tokens: 8 } } }),
      chunk({ usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0, cached_tokens: 0 } }),
    ]);
    expect(settled).toMatchObject({
      source: "upstream",
      usage: { inputTokens: 12, cacheReadTokens: 8, outputTokens: 50 },
    });
  });

  test("messages: a late zero overwrites no count, and the client does not see it", () => {
    const reader = new MessagesReader(context);
    const events = [start({ input_tokens: 20, output_tokens: 1 }), ...blocks(TEXT)];
    feed(reader, [...events, finish({ output_tokens: 50 })]);
    const late = reader.read(JSON.stringify(finish({ input_tokens: 0, output_tokens: 0 })));
    expect(late).toMatchObject({ events: [{ usage: { input_tokens: 20, output_tokens: 50 } }] });
    expect(reader.settled(true)).toMatchObject({
      source: "upstream",
      usage: { inputTokens: 20, outputTokens: 50 },
    });
  });
});

describe("usage that comes before the content is not final", () => {
  const early = { prompt_tokens: 20, completion_tokens: 1, total_tokens: 21 };
  const long = TEXT.repeat(4);

  test("chat: a late zero and a late count of the prompt are no counts of the content either", () => {
    for (const late of [{}, { prompt_tokens: 0, completion_tokens: 0 }, { prompt_tokens: 20 }]) {
      const events = [
        chunk({ usage: early }),
        chunk({ choices: [{ ...finished, delta: assistantMessage(long) }] }),
      ];
      const settled = feed(new ChatReader(context), [...events, chunk({ usage: late })]);
      expect(settled).toMatchObject({ source: "partial", usage: { inputTokens: 20 } });
      expect(settled.usage.outputTokens).toBeGreaterThan(20);
    }
  });

  test("messages", () => {
    const events = [start({ input_tokens: 20 }), finish({ output_tokens: 1 }), ...blocks(long)];
    const settled = feed(new MessagesReader(context), events);
    expect(settled).toMatchObject({ source: "partial", usage: { inputTokens: 20 } });
    expect(settled.usage.outputTokens).toBeGreaterThan(20);
  });
});

describe("a count is read in every place and form that vendors use, whole and streamed", () => {
  test("digits in quotes are a count", () => {
    const usage = { prompt_tokens: "20", completion_tokens: "50", total_tokens: "70" };
    const expected = { source: "upstream", usage: { inputTokens: 20, outputTokens: 50 } };
    for (const counts of [chatCounts(usage), messagesCounts({ input_tokens: "20", output_tokens: "50" })]) {
      expect(counts).toMatchObject({ whole: expected, streamed: expected });
    }
  });

  test.each(["-5", "5.5", "1e3", "0x10", "", " 5", "9".repeat(40)])("%j is no count", (text) => {
    const { whole, streamed } = chatCounts({ prompt_tokens: 20, completion_tokens: text });
    expect([whole.source, streamed.source]).toEqual(["partial", "partial"]);
  });

  test.each([
    ["in a choice", { usage: counted }, {}],
    ["in Groq's x_groq", {}, { x_groq: { usage: counted } }],
  ])("usage %s counts", (_name, inChoice, onTop) => {
    const expected = { source: "upstream", usage: { inputTokens: 20, outputTokens: 50 } };
    const message = { message: assistantMessage(TEXT), finish_reason: "stop" };
    const whole = atOnce(
      readChatAnswer({ id: "c", choices: [{ ...message, ...inChoice }], ...onTop }, context),
    );
    expect(whole).toMatchObject({ ...expected, answer: { usage: counted } });
    const streamed = feed(new ChatReader(context), [
      chunk({ choices: [{ index: 0, delta: assistantMessage(TEXT) }] }),
      chunk({ choices: [{ ...finished, ...inChoice }], ...onTop }),
    ]);
    expect(streamed).toMatchObject(expected);
  });
});
