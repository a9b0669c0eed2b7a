import { limitField } from "@/server/protocol/capabilities";
import { describeErrorBody } from "@/server/protocol/upstream-error";
import { type Operation, readText, type Upstream, type VideoUpstream } from "@/server/upstream";
import type { Route } from "./store";

export type TestResult = { ok: boolean; status: number | null; latencyMs: number; message: string };

const TIMEOUT_MS = 20_000;

/** A model that thinks answers a limit that its thoughts would fill with a 400; one that does not stops long before. */
const MAX_OUTPUT_TOKENS = 1_024;

/** One tiny call in the channel's own dialect. The upstream's name is all that tells an embedding model here. */
function tinyCall(route: Route): { operation: Operation; fields: Record<string, unknown> } {
  if (/embed/i.test(route.upstreamName)) {
    return { operation: "embeddings", fields: { input: "ping" } };
  }
  const { upstreamName: name, capabilities } = route;
  const limit = route.wire === "chat" ? limitField({ name, capabilities }) : "max_tokens";
  return {
    operation: route.wire,
    fields: { messages: [{ role: "user", content: "ping" }], [limit]: MAX_OUTPUT_TOKENS },
  };
}

/** What no vendor has given to a task of ours. */
const NO_TASK = "00000000-0000-0000-0000-000000000000";

/** A video costs money, so an upstream of videos is asked for a task that it does not have: it must say just that. */
async function testVideos(
  { poll }: VideoUpstream,
  route: Route,
): Promise<Pick<TestResult, "ok" | "message">> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const target = { baseUrl: route.baseUrl, secret: route.secrets[0] ?? "", signal };
  const polled = await poll(target, NO_TASK);
  if (polled.kind === "lost") {
    return { ok: true, message: "it answers and takes the credential; no video was bought" };
  }
  const said = polled.kind === "transient" ? polled.message : `"${polled.kind}" about a task that is none`;
  return { ok: false, message: said };
}

/** Makes it with the first credential. Never throws: what went wrong is the result. */
export async function testChannel(upstream: Upstream, route: Route): Promise<TestResult> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  const { operation, fields } = tinyCall(route);
  const call = upstream[operation];
  if (!call) {
    const message = `an upstream of dialect ${route.dialect} has no ${operation}`;
    const tested = upstream.videos ? await testVideos(upstream.videos, route) : { ok: false, message };
    return { ...tested, status: null, latencyMs: elapsed() };
  }
  try {
    const reply = await call({
      baseUrl: route.baseUrl,
      secret: route.secrets[0] ?? "",
      headers: route.wire === "messages" ? { "anthropic-version": "2023-06-01" } : {},
      body: JSON.stringify({ model: route.upstreamName, ...fields }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await readText(reply.body, 1024 * 1024);
    const ok = reply.status >= 200 && reply.status < 300;
    return { ok, status: reply.status, latencyMs: elapsed(), message: ok ? "ok" : describeErrorBody(text) };
  } catch (error) {
    return { ok: false, status: null, latencyMs: elapsed(), message: String(error) };
  }
}
