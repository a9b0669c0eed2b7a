/**
 * Upstream: vendors' HTTP. One adapter for each dialect; a vendor that speaks a known dialect is a channel row, not
 * code.
 */

import type { Dispatcher } from "undici";
import { type Clock, systemClock } from "@/server/base/clock";
import type { VendorApi } from "@/server/domain/enums";
import type { Upstream } from "./adapter";
import { anthropicUpstream } from "./anthropic";
import { geminiUpstream } from "./gemini";
import { createConnections, FEW, type OriginLimits } from "./http";
import { openaiUpstream } from "./openai";
import { openaiResponsesUpstream } from "./openai-responses";
import { sandboxUpstream } from "./sandbox";
import { arkVideos } from "./videos/ark";
import { dashscopeVideos } from "./videos/dashscope";
import { klingVideos } from "./videos/kling";
import { openaiVideos } from "./videos/openai-videos";
import { sandboxVideos } from "./videos/sandbox";
import { xaiVideos } from "./videos/xai";

export type { ListedModel } from "@/server/protocol/model-list";
export {
  faultReasons,
  operations,
  type Upstream,
  type UpstreamCall,
  UpstreamFault,
  type UpstreamOperation as Operation,
  type UpstreamReply,
} from "./adapter";
export { readBytes, readLongText, readText, textOf } from "./body";
export { createDispatcher, type OriginLimits } from "./http";
export { sandboxModels } from "./sandbox";
export { sandboxVideoModels } from "./videos/sandbox-task";
export type {
  Polled,
  Submitted,
  VideoContent,
  VideoSpec,
  VideoTarget,
  VideoUpstream,
} from "./videos/video-upstream";

export type Upstreams = Record<VendorApi, Upstream>;

/** The adapter of each dialect, over one set of connections. */
export function createUpstreams(
  dispatcher: Dispatcher,
  { limits = FEW, clock = systemClock }: { limits?: OriginLimits; clock?: Clock } = {},
): Upstreams {
  const connections = createConnections(dispatcher, limits);
  return {
    openai: openaiUpstream(connections),
    "openai-responses": openaiResponsesUpstream(connections),
    anthropic: anthropicUpstream(connections),
    gemini: geminiUpstream(connections),
    dashscope: { videos: dashscopeVideos(dispatcher) },
    ark: { videos: arkVideos(dispatcher) },
    "openai-video": { videos: openaiVideos(dispatcher) },
    "xai-video": { videos: xaiVideos(dispatcher) },
    kling: { videos: klingVideos(dispatcher, clock) },
    sandbox: { ...sandboxUpstream, videos: sandboxVideos(clock) },
  };
}
