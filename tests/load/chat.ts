/** The bench client's chat dialect, and the names of the bench's models. */

/**
 * How the upstream delivers a stream: one event in each turn of its loop; one event every 20 ms, with the time at which
 * it was written; the same every 15 s; or as fast as the reader takes them, many in one write.
 */
export const deliveries = ["turn", "steady", "slow", "flood"] as const;
export type DeliveryPace = (typeof deliveries)[number];

/** The time between two events of a steady stream, and of a slow one. */
export const STEADY_MS = 20;
export const SLOW_MS = 15_000;

/** The name of the model with this delivery, here and at the upstream. */
export const modelOf = (delivery: DeliveryPace) => `chat-${delivery}`;

/** The delivery of a model's streams; null: not a model of the bench. */
export const deliveryOf = (model: string): DeliveryPace | null =>
  deliveries.find((delivery) => modelOf(delivery) === model) ?? null;

/** A call for an answer of `events` words. */
export type ChatCall = { model: string; events: number };

/** A prompt of about 120 tokens. */
const prompt = [
  { role: "system", content: "You are a helpful assistant. Answer in one paragraph, in plain words." },
  { role: "user", content: "Please explain how a toll road pays for itself over the years. ".repeat(6) },
];

export const PATH = "/v1/chat/completions";
/** The last bytes of a stream that ended well. */
export const ENDING = "data: [DONE]\n\n";

export const bodyOf = ({ model, events }: ChatCall, isStream: boolean): string =>
  JSON.stringify({
    model,
    max_tokens: events,
    messages: prompt,
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  });
