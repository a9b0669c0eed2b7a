/** The two dialects as a client speaks them, and what the bench's models are called. */
export const dialects = ["chat", "messages"] as const;
export type Dialect = (typeof dialects)[number];

/**
 * How the upstream hands out a stream: an event a turn of its loop; an event a millisecond, or every 20, each with the
 * time at which it was written; or as fast as its reader takes them, many to a write.
 */
export const deliveries = ["turn", "paced", "steady", "flood"] as const;
export type Delivery = (typeof deliveries)[number];

/** Between two events of a steady stream. */
export const STEADY_MS = 20;

/** The model of an upstream's dialect, which answers in this manner. The upstream calls it the same. */
export const modelOf = (dialect: Dialect, delivery: Delivery) => `${dialect}-${delivery}`;

/** How a model hands out its streams; null: no model of the bench. */
export const deliveryOf = (model: string): Delivery | null =>
  deliveries.find((delivery) => model.endsWith(`-${delivery}`)) ?? null;

/** A call for an answer of `events` words. */
export type Asked = { model: string; events: number; isStream: boolean };

type Client = {
  path: string;
  headers: Record<string, string>;
  body: (asked: Asked) => string;
  /** The last bytes of a stream that ended well. */
  ending: string;
};

/** A prompt of some 120 tokens. */
const system = "You are a helpful assistant. Answer in one paragraph, in plain words.";
const question = {
  role: "user",
  content: "Please explain how a toll road pays for itself over the years. ".repeat(6),
};

export const clients: Record<Dialect, Client> = {
  chat: {
    path: "/v1/chat/completions",
    headers: {},
    body: ({ model, events, isStream }) =>
      JSON.stringify({
        model,
        max_tokens: events,
        messages: [{ role: "system", content: system }, question],
        ...(isStream && { stream: true, stream_options: { include_usage: true } }),
      }),
    ending: "data: [DONE]\n\n",
  },
  messages: {
    path: "/v1/messages",
    headers: { "anthropic-version": "2023-06-01" },
    body: ({ model, events, isStream }) =>
      JSON.stringify({ model, max_tokens: events, system, messages: [question], stream: isStream }),
    ending: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  },
};
