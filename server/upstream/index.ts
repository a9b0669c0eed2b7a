/** Upstream: vendors' HTTP. One adapter a dialect; a vendor that speaks a known dialect is a channel row, not code. */
import type { Dispatcher } from "undici";
import type { Upstream } from "./adapter";
import { anthropicUpstream } from "./anthropic";
import { openaiUpstream } from "./openai";
import { sandboxUpstream } from "./sandbox";

export { type Operation, type Upstream, UpstreamFault, type UpstreamReply } from "./adapter";
export { readText } from "./body";
export { createDispatcher } from "./http";
export { sandboxModels } from "./sandbox";

export const dialects = ["openai", "anthropic", "sandbox"] as const;
export type Dialect = (typeof dialects)[number];

/** The adapter of each dialect, over one set of connections. */
export function createUpstreams(dispatcher: Dispatcher): Record<Dialect, Upstream> {
  return {
    openai: openaiUpstream(dispatcher),
    anthropic: anthropicUpstream(dispatcher),
    sandbox: sandboxUpstream,
  };
}
