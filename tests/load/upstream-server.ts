/** The fake upstream, in a process of its own: fixed answers, as long as `max_tokens` says, and nothing else. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveBench } from "./messages";

type Asked = { max_tokens?: number; stream?: boolean };

const head = { id: "chatcmpl-bench", created: 1_700_000_000, model: "bench" };
const PROMPT_TOKENS = 120;
const usage = (output: number) => ({
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: output,
  total_tokens: PROMPT_TOKENS + output,
});
const frame = (value: object) =>
  Buffer.from(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...value })}\n\n`);
const delta = (fields: object, finishReason: string | null = null) =>
  frame({ choices: [{ index: 0, delta: fields, finish_reason: finishReason }] });

const ROLE = delta({ role: "assistant", content: "" });
const WORD = delta({ content: " lorem" });
const END = delta({}, "stop");
const DONE = Buffer.from("data: [DONE]\n\n");

/** One write an event and one event a turn, as a model delivers them; a reader that is slow is waited for. */
async function stream(response: ServerResponse, words: number): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(ROLE);
  for (let sent = 0; sent < words; sent++) {
    await new Promise(setImmediate);
    if (response.closed) {
      return;
    }
    if (!response.write(WORD)) {
      await Promise.race([once(response, "drain"), once(response, "close")]);
    }
  }
  response.write(END);
  response.write(frame({ choices: [], usage: usage(words) }));
  response.end(DONE);
}

const answers = new Map<number, Buffer>();

function answerOf(words: number): Buffer {
  const message = { role: "assistant", content: " lorem".repeat(words) };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const answer =
    answers.get(words) ??
    Buffer.from(JSON.stringify({ ...head, object: "chat.completion", choices, usage: usage(words) }));
  answers.set(words, answer);
  return answer;
}

const server = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    const asked = JSON.parse(text) as Asked;
    const words = asked.max_tokens ?? 50;
    if (asked.stream === true) {
      stream(response, words).catch(() => response.destroy());
      return;
    }
    const answer = answerOf(words);
    response.writeHead(200, { "content-type": "application/json", "content-length": answer.length });
    response.end(answer);
  });
});
server.keepAliveTimeout = 75_000;
server.listen(0, "127.0.0.1");
await once(server, "listening");
serveBench((server.address() as AddressInfo).port, async () => null);
