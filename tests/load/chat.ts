/** The chat dialect as the bench's client speaks it, and what the bench's models are called. */

/**
 * How the upstream hands out a stream: an event a turn of its loop; an event every 20 ms, each with the time at which it
 * was written; or as fast as its reader takes them, many to a write.
 */
export const deliveries = ["turn", "steady", "flood"] as const;
export type Delivery = (typeof deliveries)[number];

/** Between two events of a steady stream. */
export const STEADY_MS = 20;

/** The model that answers in this manner. The upstream calls it the same. */
export const modelOf = (delivery: Delivery) => `chat-${delivery}`;

/** How a model hands out its streams; null: no model of the bench. */
export const deliveryOf = (model: string): Delivery | null =>
  deliveries.find((delivery) => modelOf(delivery) === model) ?? null;

/** A call for an answer of `events` words. */
export type Asked = { model: string; events: number };

/** A prompt of some 120 tokens. */
const prompt = [
  { role: "system", content: "You are a helpful assistant. Answer in one paragraph, in plain words." },
  { role: "user", content: "Please explain how a toll road pays for itself over the years. ".repeat(6) },
];

export const PATH = "/v1/chat/completions";
/** The last bytes of a stream that ended well. */
export const ENDING = "data: [DONE]\n\n";

export const bodyOf = ({ model, events }: Asked, isStream: boolean): string =>
  JSON.stringify({
    model,
    max_tokens: events,
    messages: prompt,
    ...(isStream && { stream: true, stream_options: { include_usage: true } }),
  });
