import { describeErrorBody } from "@/server/protocol/upstream-error";
import { readText, type Upstream } from "@/server/upstream";
import { outputTokenField } from "./capabilities";
import type { Route } from "./store";

export type TestResult = { ok: boolean; status: number | null; latencyMs: number; message: string };

const TIMEOUT_MS = 20_000;

/** One tiny chat call with the first credential. Never throws: what went wrong is the result. */
export async function testChannel(upstream: Upstream, route: Route): Promise<TestResult> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  try {
    const reply = await upstream.chat({
      baseUrl: route.baseUrl,
      secret: route.secrets[0] ?? "",
      body: JSON.stringify({
        model: route.upstreamName,
        messages: [{ role: "user", content: "ping" }],
        [outputTokenField(route.upstreamName)]: 16,
      }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await readText(reply.body, 1024 * 1024);
    const ok = reply.status >= 200 && reply.status < 300;
    return { ok, status: reply.status, latencyMs: elapsed(), message: ok ? "ok" : describeErrorBody(text) };
  } catch (error) {
    return { ok: false, status: null, latencyMs: elapsed(), message: String(error) };
  }
}
