import type { TestGateway } from "@/tests/support/gateway";
import { messages } from "@/tests/support/per-file";
import type { UpstreamHandler } from "@/tests/support/upstream";

type TestCustomer = Awaited<ReturnType<TestGateway["customer"]>>;

/** A POST endpoint that costs money, and a valid call to it. */
export type Endpoint = {
  path: string;
  kind: "chat" | "embedding" | "video";
  /** The dialect of its upstreams. */
  dialect: "openai" | "openai-video";
  headers: Record<string, string>;
  /** A valid call without its model. */
  body: Record<string, unknown>;
};

/** One refusal: the request, and the expected envelope. */
export type RefusalRow = {
  name: string;
  status: number;
  message: string | RegExp;
  slug: string;
  /** The customer, if not one with plenty of money. */
  customer?: (gateway: TestGateway) => Promise<TestCustomer>;
  key?: (customer: TestCustomer) => Record<string, string>;
  /** Replaces members of a valid call; a text replaces the whole body. */
  body?: string | Record<string, unknown>;
  /** Replaces the model that works. */
  model?: (gateway: TestGateway) => Promise<string>;
  path?: string;
  method?: string;
  /** Replaces headers of the endpoint; "" removes one. */
  headers?: Record<string, string>;
  upstream?: UpstreamHandler;
};

const chat = { kind: "chat", dialect: "openai", headers: {} } as const;
const film = { kind: "video", dialect: "openai-video", headers: {}, body: { prompt: "a cat" } } as const;

export const endpoints: Record<"chat" | "messages" | "embeddings" | "videos" | "openaiVideos", Endpoint> = {
  chat: { path: "/v1/chat/completions", ...chat, body: { messages } },
  messages: {
    ...{ path: "/v1/messages?beta=true", ...chat, body: { messages, max_tokens: 100 } },
    headers: { "anthropic-version": "2023-06-01" },
  },
  embeddings: { path: "/v1/embeddings", ...chat, kind: "embedding", body: { input: "hi" } },
  videos: { path: "/v1/videos/generations", ...film },
  openaiVideos: { path: "/v1/videos", ...film },
};

export const refused = (status: number, slug: string, message: string | RegExp) => ({
  status,
  slug,
  message,
});

type ExpectedRefusal = ReturnType<typeof refused>;

export const row = (
  name: string,
  refusal: ExpectedRefusal,
  rest: Omit<RefusalRow, "name" | keyof ExpectedRefusal> = {},
): RefusalRow => ({
  name,
  ...refusal,
  ...rest,
});

/** A parameter that validation refuses. */
export const invalid = (name: string, body: Record<string, unknown>, message: RegExp): RefusalRow =>
  row(name, refused(400, "invalid_parameters", message), { body });
