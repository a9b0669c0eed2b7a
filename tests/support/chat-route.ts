/** A route to a channel that serves one chat model, for tests that send nothing to it. */
import type { Route } from "@/server/channels/routing/routes";
import { capabilitiesOf } from "@/server/channels/settings/capabilities";
import { branded } from "./branded";

const upstream = {
  dialect: "openai",
  vendor: null,
  baseUrl: "http://127.0.0.1:9/v1",
  upstreamName: "m",
  overrides: null,
} as const;
export const chatRoute: Route = {
  channelId: branded("chn_1"),
  name: "first",
  version: "1",
  dialect: "chat",
  secrets: ["sk-upstream-secret"],
  hints: ["cret"],
  seeds: { channel: 1, credentials: [2] },
  ...{ api: upstream.dialect, baseUrl: upstream.baseUrl, isMovedOff: false, priority: 0, weight: 1 },
  ...{ maxTasks: null, timeoutMs: null, idleTimeoutMs: null, upstreamName: upstream.upstreamName },
  capabilities: capabilitiesOf(upstream),
};
