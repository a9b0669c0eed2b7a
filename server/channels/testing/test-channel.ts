import { fromSignal } from "@/server/base/cancellation";
import { withoutSecrets } from "@/server/base/redactor";
import { atOnce } from "@/server/base/turns";
import type { ModelKind } from "@/server/domain/enums";
import type { Dialect } from "@/server/protocol/capabilities";
import { parseChatConversation } from "@/server/protocol/chat/conversation";
import { parseGeminiConversation } from "@/server/protocol/gemini/conversation";
import { parseMessagesConversation } from "@/server/protocol/messages/conversation";
import { responsesConversation } from "@/server/protocol/responses/conversation";
import { estimateItems } from "@/server/protocol/responses/estimate";
import { mintResponseId } from "@/server/protocol/responses/ids";
import { parseResponsesRequest } from "@/server/protocol/responses/request";
import { describeErrorBody } from "@/server/protocol/upstream-error";
import type { AnswerStream, ConversationRequest, UpstreamPlan } from "@/server/protocol/upstream-plan";
import { type Operation, readText, type Upstream, type VideoUpstream } from "@/server/upstream";
import type { Route } from "../routing/routes";
import { judgeEmbeddings, judgeStream } from "./test-answer";

export type TestResult = {
  ok: boolean;
  /** null: no answer, or the answer of a video vendor. */
  status: number | null;
  latencyMs: number;
  /** The upstream's text, or the reason for the failure: at most 2,000 characters, without the credential. */
  message: string;
  modelId: string;
  upstreamName: string;
  /** The usage that the answer reports. null: it reports none, and such calls are charged by our estimate. */
  usage: { inputTokens: number; outputTokens: number } | null;
  /**
   * The test asked for a stream, as it does for every conversation: an upstream may report usage for whole answers
   * only.
   */
  isStream: boolean;
};

/** An operator's choice of what to test. */
export type TestOptions = {
  /** The public name. Default: the first model that the channel serves. */
  modelId?: string | undefined;
  /**
   * The catalog's kind of the model. If absent, the upstream name shows whether it is an embedding model, and the
   * dialect shows videos.
   */
  kind?: ModelKind | undefined;
  /** The index of the credential. */
  credential?: number | undefined;
};

export type TestCall = Pick<Route, "api" | "dialect" | "baseUrl" | "upstreamName" | "capabilities"> & {
  secret: string;
  kind: TestOptions["kind"];
};

type TestOutcome = Pick<TestResult, "ok" | "status" | "message" | "usage" | "isStream">;

const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_MESSAGE_CHARACTERS = 2_000;

/** A thinking model answers 400 to a limit that its thinking would fill; other models stop long before this limit. */
const MAX_OUTPUT_TOKENS = 1_024;

type TinyCall = {
  operation: Operation;
  /** See `UpstreamPlan`. */
  path?: string;
  headers: Record<string, string>;
  body: UpstreamPlan["body"];
  /** Reads the answer. null: the answer is no stream. */
  stream: AnswerStream | null;
};

const messages = [{ role: "user", content: "ping" }];

/** The smallest conversation of each dialect, with this upstream model name. */
const conversations: Record<Dialect, (model: string) => ConversationRequest> = {
  chat: (model) => parseChatConversation(JSON.stringify({ model, messages, stream: true })),
  messages: (model) =>
    parseMessagesConversation(
      JSON.stringify({ model, messages, stream: true, max_tokens: MAX_OUTPUT_TOKENS }),
      { headers: { "anthropic-version": "2023-06-01" } },
    ),
  gemini: (model) =>
    parseGeminiConversation(JSON.stringify({ contents: [{ role: "user", parts: [{ text: "ping" }] }] }), {
      model,
      delivery: "events",
    }),
  responses: (model) => {
    const request = parseResponsesRequest(
      JSON.stringify({ model, input: "ping", stream: true, store: false }),
    );
    const { input: items } = request;
    return responsesConversation(
      { id: mintResponseId(), request, items, keep: () => {} },
      estimateItems(items),
    );
  },
};

/** One tiny call in the channel's own dialect. A conversation is streamed, and sent and read as clients' calls are. */
function tinyCall(call: TestCall): TinyCall {
  const { upstreamName: name, dialect, capabilities } = call;
  const isEmbedding = call.kind ? call.kind === "embedding" : /embed/i.test(name);
  if (isEmbedding) {
    const body = JSON.stringify({ model: name, input: "ping" });
    return { operation: "embeddings", headers: {}, body, stream: null };
  }
  const conversation = conversations[dialect](name);
  const terms = { maxOutputTokens: MAX_OUTPUT_TOKENS, isCapped: true, inputTokens: 0, isPromptCached: false };
  const plan = atOnce(conversation.planFor({ dialect, name, capabilities }, terms));
  const { inputTokens } = conversation;
  const context = { model: name, inputTokens, fallbackId: "test", now: new Date() };
  const { operation, path, headers, body } = plan;
  return { operation, headers, body, stream: plan.openStream(context), ...(path !== undefined && { path }) };
}

const failed = (message: string, status: number | null = null): TestOutcome => ({
  ok: false,
  status,
  message,
  usage: null,
  isStream: false,
});

/** A task identifier that no vendor has issued. */
const NO_TASK = "00000000-0000-0000-0000-000000000000";

/**
 * A video costs money, so the test asks a video upstream for a task that does not exist: the upstream must say exactly
 * that.
 */
async function testVideos({ poll }: VideoUpstream, { baseUrl, secret }: TestCall): Promise<TestOutcome> {
  const polled = await poll({ baseUrl, secret, signal: AbortSignal.timeout(TIMEOUT_MS) }, NO_TASK);
  if (polled.kind === "lost") {
    const message = "it answers and takes the credential; no video was bought";
    return { ok: true, status: null, message, usage: null, isStream: false };
  }
  return failed(polled.kind === "transient" ? polled.message : `"${polled.kind}" about a task that is none`);
}

async function testConversation(upstream: Upstream, call: TestCall): Promise<TestOutcome> {
  const { operation, stream, ...request } = tinyCall(call);
  const send = upstream[operation];
  if (!send) {
    return failed(`an upstream of dialect ${call.api} has no ${operation}`);
  }
  const reply = await send({
    owner: "operator",
    baseUrl: call.baseUrl,
    secret: call.secret,
    ...request,
    cancellation: fromSignal(AbortSignal.timeout(TIMEOUT_MS)),
  });
  const text = withoutSecrets(await readText(reply.body, MAX_ANSWER_BYTES), [call.secret]);
  if (reply.status < 200 || reply.status >= 300) {
    return failed(describeErrorBody(text), reply.status);
  }
  const judged = await (stream
    ? judgeStream(stream, text)
    : judgeEmbeddings({ body: String(request.body), text }));
  return { status: reply.status, isStream: stream !== null, ...judged };
}

async function makeCall(upstream: Upstream, call: TestCall): Promise<TestOutcome> {
  const converses = upstream.chat ?? upstream.messages ?? upstream.responses ?? upstream.gemini;
  const isOfVideos = call.kind === "video" || !converses;
  if (!isOfVideos) {
    return await testConversation(upstream, call);
  }
  return upstream.videos
    ? await testVideos(upstream.videos, call)
    : failed(`an upstream of dialect ${call.api} has no videos`);
}

/** Makes one small call. Never throws: a failure is in the result. */
export async function testChannel(
  upstream: Upstream,
  call: TestCall,
): Promise<Omit<TestResult, "modelId" | "upstreamName">> {
  const started = performance.now();
  const outcome = await makeCall(upstream, call).catch((error: unknown) =>
    failed(error instanceof Error ? error.message : String(error)),
  );
  return {
    ...outcome,
    message: withoutSecrets(outcome.message, [call.secret]).slice(0, MAX_MESSAGE_CHARACTERS),
    latencyMs: Math.round(performance.now() - started),
  };
}
