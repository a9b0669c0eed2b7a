/**
 * Metrics of calls by model and channel. Names follow OpenTelemetry's conventions for generative AI where those have
 * one, in Prometheus spelling.
 */
import type { Registry } from "prom-client";
import { boundedLabels, boundedNames, boundedPairs } from "@/server/base/bounded-names";
import { Counter, Histogram, type LabelValues } from "@/server/base/tallies";

/** The buckets of the conventions; streams have larger ones. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const STREAM_SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800];
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** The names of operations in the GenAI conventions: similar ones share a name. */
const OPERATIONS: Record<string, string> = {
  messages: "chat",
  responses: "chat",
  gemini: "generate_content",
  countTokens: "count_tokens",
};
/** The names of providers there. */
const PROVIDERS: Record<string, string> = { "openai-responses": "openai", gemini: "gcp.gemini" };

/** The operation, by its name in the conventions or else our name. */
export const operationNameOf = (operation: string): string => OPERATIONS[operation] ?? operation;

/** The provider of a dialect, by its name in the conventions or else our name. */
export const providerOf = (api: string): string => PROVIDERS[api] ?? api;

/**
 * One finished request to one upstream, with the channel's name. `firstMs`: time to a stream's first event, if it
 * began.
 */
type EndedAttempt = {
  channel: string;
  api: string;
  operation: string;
  modelId: string;
  firstMs: number | null;
  elapsedMs: number;
  outcome: string;
};

/** The tokens of a call. The classes of input do not overlap; the output includes `reasoningTokens`. */
type ChargedTokens = {
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  cacheWrite1hTokens: number;
  outputTokens: number;
  reasoningTokens: number;
};

/** The tokens and the charge of a call, in currency units. */
type ChargeMetrics = { usage: ChargedTokens; money: number };

type EndedCall = {
  operation: string;
  modelId: string;
  error: string;
  firstMs: number | null;
  elapsedMs: number;
};

const seconds = (ms: number) => ms / 1000;

/** A histogram whose series are limited: the models and channels that it names. */
function bounded<Label extends string>(histogram: Histogram<Label>, named: readonly Label[]) {
  const labelsOf = boundedLabels(named);
  return {
    observe: (labels: LabelValues<Label>, value: number) => histogram.observe(labelsOf(labels), value),
  };
}

function createHistograms(registry: Registry) {
  const registers = [registry];
  const upstream = [
    "gen_ai_operation_name",
    "gen_ai_provider_name",
    "gen_ai_request_model",
    "channel",
  ] as const;
  return {
    operation: bounded(
      new Histogram({
        name: "gen_ai_client_operation_duration_seconds",
        help: "Duration of requests to upstreams, streams until their end. error_type: the error, absent on success.",
        labelNames: [...upstream, "error_type"] as const,
        buckets: SECONDS,
        registers,
      }),
      ["gen_ai_request_model", "channel"],
    ),
    firstChunk: bounded(
      new Histogram({
        name: "gen_ai_client_operation_time_to_first_chunk_seconds",
        help: "Time until the first event of a stream arrives from its upstream.",
        labelNames: upstream,
        buckets: SECONDS,
        registers,
      }),
      ["gen_ai_request_model", "channel"],
    ),
    tokenUsage: bounded(
      new Histogram({
        name: "gen_ai_client_token_usage",
        help: "Tokens of charged requests by gen_ai_token_type: input (including cached) or output.",
        labelNames: [...upstream, "gen_ai_token_type"] as const,
        buckets: TOKENS,
        registers,
      }),
      ["gen_ai_request_model", "channel"],
    ),
    firstToken: bounded(
      new Histogram({
        name: "gen_ai_server_time_to_first_token_seconds",
        help: "Time until a client's stream begins, including earlier attempts.",
        labelNames: ["gen_ai_operation_name", "gen_ai_request_model"] as const,
        buckets: SECONDS,
        registers,
      }),
      ["gen_ai_request_model"],
    ),
    request: bounded(
      new Histogram({
        name: "gen_ai_server_request_duration_seconds",
        help: "Duration of calls that reached an upstream, streams until their end. error_type: the error code.",
        labelNames: ["gen_ai_operation_name", "gen_ai_request_model", "error_type"] as const,
        buckets: SECONDS,
        registers,
      }),
      ["gen_ai_request_model"],
    ),
    stream: new Histogram({
      name: "tollgate_stream_duration_seconds",
      help: "Duration of a channel's streams, from the request to the end.",
      labelNames: ["channel"] as const,
      buckets: STREAM_SECONDS,
      registers,
    }),
  };
}

const STREAM_OUTCOMES: Record<string, string> = { ok: "complete", abandoned: "client_gone" };

/** Metrics of calls and of the requests that they make to upstreams. */
export function createCallMetrics(registry: Registry) {
  const registers = [registry];
  const { operation, firstChunk, tokenUsage, firstToken, request, stream } = createHistograms(registry);
  const channelStreamEnds = new Counter({
    name: "tollgate_channel_stream_ends_total",
    help: "Streams of a channel by outcome: complete, broken (by the upstream), client_gone.",
    labelNames: ["channel", "outcome"] as const,
    registers,
  });
  const unread = new Counter({
    name: "tollgate_answers_unread_total",
    help: "Responses of a channel with an unknown value: finish (finish reason), usage (token count).",
    labelNames: ["channel", "member"] as const,
    registers,
  });
  const tokens = new Counter({
    name: "tollgate_tokens_total",
    help: "Charged tokens by class. Classes do not overlap, except that reasoning is part of output.",
    labelNames: ["model", "channel", "class"] as const,
    registers,
  });
  const charged = new Counter({
    name: "tollgate_charged_money_total",
    help: "Charged amount in currency units; videos have no channel.",
    labelNames: ["model", "channel"] as const,
    registers,
  });
  const paired = boundedPairs();
  const [channels, models] = [boundedNames(), boundedNames()];
  const labelsOf = ({ channel, api, operation: name, modelId }: Omit<EndedAttempt, "outcome">) => {
    const pair = paired({ model: modelId, channel });
    return {
      gen_ai_operation_name: operationNameOf(name),
      gen_ai_provider_name: providerOf(api),
      gen_ai_request_model: pair.model,
      channel: pair.channel,
    };
  };
  return {
    attemptEnded: (attempt: EndedAttempt) => {
      const labels = labelsOf(attempt);
      const { outcome, firstMs, elapsedMs } = attempt;
      operation.observe({ ...labels, ...(outcome !== "ok" && { error_type: outcome }) }, seconds(elapsedMs));
      if (firstMs !== null) {
        const channel = channels(attempt.channel);
        for (const how of ["complete", "broken", "client_gone"]) {
          // Starts each series at 0: a series that first appears with a value shows no increase.
          channelStreamEnds.inc({ channel, outcome: how }, 0);
        }
        firstChunk.observe(labels, seconds(firstMs));
        stream.observe({ channel }, seconds(elapsedMs));
        channelStreamEnds.inc({ channel, outcome: STREAM_OUTCOMES[outcome] ?? "broken" });
      }
    },
    answerUnread: (channel: string, member: string) => unread.inc({ channel: channels(channel), member }),
    callCharged: (attempt: Omit<EndedAttempt, "outcome">, { usage, money }: ChargeMetrics) => {
      const labels = labelsOf(attempt);
      const pair = { model: labels.gen_ai_request_model, channel: labels.channel };
      const written = usage.cacheWriteTokens + usage.cacheWrite1hTokens;
      const input = usage.inputTokens + usage.cacheReadTokens + written;
      tokenUsage.observe({ ...labels, gen_ai_token_type: "input" }, input);
      tokenUsage.observe({ ...labels, gen_ai_token_type: "output" }, usage.outputTokens);
      tokens.inc({ ...pair, class: "input" }, usage.inputTokens);
      tokens.inc({ ...pair, class: "output" }, usage.outputTokens);
      tokens.inc({ ...pair, class: "cache_read" }, usage.cacheReadTokens);
      tokens.inc({ ...pair, class: "cache_write" }, written);
      tokens.inc({ ...pair, class: "reasoning" }, usage.reasoningTokens);
      charged.inc(pair, money);
    },
    videoCharged: (modelId: string, money: number) =>
      charged.inc(paired({ model: modelId, channel: "" }), money),
    callEnded: ({ operation: name, modelId, error, firstMs, elapsedMs }: EndedCall) => {
      const labels = {
        gen_ai_operation_name: operationNameOf(name),
        gen_ai_request_model: models(modelId),
      };
      request.observe({ ...labels, ...(error !== "" && { error_type: error }) }, seconds(elapsedMs));
      if (firstMs !== null) {
        firstToken.observe(labels, seconds(firstMs));
      }
    },
  };
}
