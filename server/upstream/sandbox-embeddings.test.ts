import { describe, expect, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { encodeFloats } from "@/server/protocol/embeddings/encoding";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { readText } from "./body";
import { embedInSandbox } from "./sandbox-embeddings";

type SandboxAnswer = {
  data: { index: number; embedding: number[] }[];
  usage: { prompt_tokens: number; total_tokens: number };
  error?: { message: string };
};

async function ask(fields: object, cancellation = new CancellationSource()) {
  const body = JSON.stringify({ model: "sandbox-embedding", ...fields });
  const reply = await embedInSandbox({ owner: "a", baseUrl: "", secret: "", body, cancellation });
  return { status: reply.status, answer: JSON.parse(await readText(reply.body, 1e8)) as SandboxAnswer };
}

const vectors = async (fields: object) => (await ask(fields)).answer.data.map((item) => item.embedding);
const likeness = (left: number[] = [], right: number[] = []) =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);

describe("the sandbox's embeddings", { timeout: 60_000 }, () => {
  test("are closer for sentences of the same meaning than for unrelated ones", async () => {
    const [password, login, recipe] = await vectors({
      input: ["How do I reset my password?", "I forgot my login credentials", "The recipe needs two eggs"],
    });
    expect(likeness(password, login)).toBeGreaterThan(likeness(password, recipe) + 0.2);
    expect(password).toHaveLength(512);
    expect(likeness(password, password)).toBeCloseTo(1, 4);
  });

  test("do not depend on the rest of the batch, and are in order", async () => {
    const input = Array.from({ length: 20 }, (_, index) => `sentence number ${index}`);
    const together = await vectors({ input });
    const [alone] = await vectors({ input: input[13] });
    expect(together).toHaveLength(20);
    expect(likeness(together[13], alone)).toBeCloseTo(1, 5);
    expect(likeness(together[12], alone)).toBeLessThan(0.9999);
  });

  test("have the requested dimensions, and length 1", async () => {
    const [short] = await vectors({ input: "hello", dimensions: 64 });
    expect(short).toHaveLength(64);
    expect(likeness(short, short)).toBeCloseTo(1, 5);
  });

  test("are base64 if the client asks for it", async () => {
    const [numbers = []] = await vectors({ input: "hello" });
    expect(await vectors({ input: "hello", encoding_format: "base64" })).toEqual([encodeFloats(numbers)]);
  });

  test("accept tokens, as one text or several, and count them", async () => {
    const { answer } = await ask({ input: [[9906, 1917], [220]] });
    expect(answer.data).toHaveLength(2);
    expect(answer.usage.prompt_tokens).toBe(3);
    const reply = await ask({ input: [9906, 1917] });
    expect(reply.answer.data).toHaveLength(1);
    expect(likeness(reply.answer.data[0]?.embedding, answer.data[0]?.embedding)).toBeCloseTo(1, 5);
  });

  test("have the same count twice in the usage", async () => {
    const { answer } = await ask({ input: ["hello world", "again"] });
    expect(answer.usage.prompt_tokens).toBeGreaterThan(0);
    expect(answer.usage.total_tokens).toBe(answer.usage.prompt_tokens);
  });

  test.each([
    ["more dimensions than the model has", { input: "x", dimensions: 513 }, /dimensions/],
    ["an input that is neither text nor tokens", { input: [1.5] }, /tokens/],
    ["no tokens", { input: [[1], []] }, /empty/],
    ["an empty text", { input: ["x", ""] }, /empty/],
    ["another encoding", { input: "x", encoding_format: "int8" }, /encoding_format/],
  ])("refuse %s in an upstream's words", async (_name, fields, message) => {
    const { status, answer } = await ask(fields);
    expect(status).toBe(400);
    expect(answer.error?.message).toMatch(message);
  });

  test("stop if the caller leaves", async () => {
    const client = new CancellationSource();
    const call = ask({ input: Array.from({ length: 50 }, () => "some words") }, client);
    client.cancel(new Error("gone"));
    await expect(call).rejects.toThrow("gone");
    await expect(ask({ input: "x" }, client)).rejects.toThrow("gone");
  });

  test("leave the event loop free while the model works", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const started = cpuTimeMs();
    await ask({ input: Array.from({ length: 40 }, () => "word ".repeat(200)) });
    clearInterval(timer);
    // A blocked loop would take one turn for each batch.
    expect(turns).toBeGreaterThan((cpuTimeMs() - started) / 50);
  });
});
