/**
 * The reading of Google's official client for an answer of another dialect, whole or streamed, and the expected one.
 */
import { GoogleGenAI } from "@google/genai";
import { expect } from "vitest";
import type { JsonObject, Recording } from "./corpus";
import type { AnswerContent, Crossed } from "./crossed-oracle";
import { toolsOf } from "./crossed-request";
import { numbered } from "./gemini-oracle";
import { fields, list, string } from "./json";
import type { RecordedUsage } from "./usage";

export type GeminiRead = {
  /** The pieces as they were sent; a whole answer is one piece. */
  pieces: JsonObject[];
  error: { status: unknown; message: string } | null;
};

type GeminiAccess = { url: string; secret: string; apiVersion: "v1" | "v1beta" };

/** A request of one of Google's clients, with the tools of a recording. */
export function asGeminiRequest(recording: Recording, model: string): JsonObject {
  const functionDeclarations = toolsOf(recording).map(({ name, description, schema }) => ({
    name,
    ...(description ? { description } : {}),
    parametersJsonSchema: schema ?? { type: "object", properties: {} },
  }));
  const tools = functionDeclarations.length > 0 ? { tools: [{ functionDeclarations }] } : {};
  const thinkingConfig = { includeThoughts: true };
  const config = { maxOutputTokens: 1_000, thinkingConfig, ...tools };
  return { model, contents: "Say something.", config };
}

export async function askGemini(
  { url, secret, apiVersion }: GeminiAccess,
  request: JsonObject,
  isStream: boolean,
): Promise<GeminiRead> {
  const client = new GoogleGenAI({ apiKey: secret, httpOptions: { baseUrl: url, apiVersion } });
  const params = request as unknown as Parameters<typeof client.models.generateContent>[0];
  const pieces: JsonObject[] = [];
  try {
    if (isStream) {
      for await (const piece of await client.models.generateContentStream(params)) {
        pieces.push(fields(piece));
      }
    } else {
      pieces.push(fields(await client.models.generateContent(params)));
    }
    return { pieces, error: null };
  } catch (error) {
    const { status, message } = error as { status?: unknown; message: string };
    return { pieces, error: { status, message } };
  }
}

const candidateOf = (piece: JsonObject): JsonObject => list(piece.candidates)[0] ?? {};
const partsOf = (piece: JsonObject): JsonObject[] => list(fields(candidateOf(piece).content).parts);

const finishes: Record<string, string> = {
  length: "MAX_TOKENS",
  max_tokens: "MAX_TOKENS",
  model_context_window_exceeded: "MAX_TOKENS",
  content_filter: "SAFETY",
  refusal: "SAFETY",
};

const join = (parts: JsonObject[]) => parts.map(({ text }) => string(text)).join("");

const callsIn = (parts: JsonObject[]) =>
  parts.map((part) => fields(part.functionCall)).filter(({ name }) => name !== undefined);

/** Checks the text, the thinking, and the calls with their arguments. */
function checkParts(parts: JsonObject[], { text, thinking, tools }: AnswerContent): void {
  expect({
    text: join(parts.filter((part) => part.thought !== true)),
    thinking: join(parts.filter((part) => part.thought === true)),
    tools: callsIn(parts).map(({ name, args }) => ({ name, input: args ?? {} })),
  }).toEqual({ text, thinking, tools: tools.map(({ name, input }) => ({ name, input })) });
}

function checkSays(pieces: JsonObject[], content: AnswerContent): void {
  const parts = pieces.flatMap(partsOf);
  const calls = parts.filter((part) => part.functionCall).map((part) => fields(part.functionCall));
  const isSilent = content.text.trim() === "" && content.tools.length === 0;
  // Gemini CLI repeats a call whose answer has no text, so the gateway adds one.
  checkParts(parts, { ...content, text: isSilent ? `${content.text}...` : content.text });
  expect(calls.every(({ name, args }) => name !== undefined && args !== undefined)).toBe(true);
  const reasons = pieces.map((piece) => candidateOf(piece).finishReason);
  expect(reasons.slice(0, -1).every((reason) => reason === undefined)).toBe(true);
  expect(reasons.at(-1)).toBe(finishes[content.stop] ?? "STOP");
  const ids = calls.map(({ id }) => string(id));
  expect(ids.every((id) => id !== "")).toBe(true);
  // Signed thinking is in the signature of the call that followed it, or of a last text.
  const signatures = parts.filter((part) => string(part.thoughtSignature) !== "");
  expect(signatures.length > 0).toBe(
    content.signed.length > 0 || (content.thinking !== "" && calls.length > 0),
  );
}

function checkCounts(clientUsage: JsonObject, usage: RecordedUsage | null): void {
  const output = Number(clientUsage.candidatesTokenCount) + Number(clientUsage.thoughtsTokenCount ?? 0);
  expect(clientUsage.totalTokenCount).toBe(Number(clientUsage.promptTokenCount) + output);
  if (!usage) {
    expect(clientUsage.promptTokenCount, "estimated input").toBeGreaterThan(0);
    return;
  }
  expect(clientUsage.promptTokenCount).toBe(usage.prompt ?? clientUsage.promptTokenCount);
  expect(output).toBe(usage.completion);
  expect(Number(clientUsage.cachedContentTokenCount ?? 0)).toBe(usage.cacheRead);
}

/** Checks the SDK's reading of a recording in another dialect. */
export function checkGemini(
  { crossed, model }: { crossed: Crossed; model: string },
  { pieces, error }: GeminiRead,
): void {
  if (crossed.kind === "refused") {
    const { status, message } = crossed.refused;
    const anyMessage: unknown = expect.any(String);
    expect(error?.status).toBe(status);
    const refusal = { code: status, message: message ?? anyMessage, data: null };
    expect(JSON.parse(error?.message ?? "")).toMatchObject(refusal);
    return;
  }
  if (crossed.kind === "broken") {
    expect(error?.message).toContain(crossed.words);
    return;
  }
  expect(error).toBeNull();
  expect(new Set(pieces.map(({ modelVersion }) => modelVersion))).toEqual(new Set([model]));
  expect(new Set(pieces.map(({ responseId }) => responseId)).size).toBe(1);
  checkSays(pieces, crossed.content);
  checkCounts(fields(pieces.at(-1)?.usageMetadata), crossed.usage);
}

/** Checks the SDK's reading of a recording in its own dialect. `finish`: the recorded one. */
export function checkForwarded(
  { crossed, model, finish }: { crossed: Crossed; model: string; finish: string },
  read: GeminiRead,
): void {
  const { pieces, error } = read;
  if (crossed.kind !== "answer") {
    checkGemini({ crossed, model }, read);
    return;
  }
  expect(error).toBeNull();
  expect(new Set(pieces.map(({ modelVersion }) => modelVersion))).toEqual(new Set([model]));
  checkParts(pieces.flatMap(partsOf), crossed.content);
  const reason = pieces.map((piece) => candidateOf(piece).finishReason).find((each) => each !== undefined);
  expect(typeof reason === "number" ? numbered[reason] : string(reason)).toBe(finish);
}
