import { setTimeout as sleep } from "node:timers/promises";
import { postTo } from "./gateway";

/** The result of one call. `error`: its `x-error-code`, or the error of the client's program; null: none. */
export type TrafficResult = {
  requestId: string | null;
  status: number | null;
  isWhole: boolean;
  error: string | null;
  isStream: boolean;
  beganAt: number;
  ms: number;
};

/** `isFresh`: each call opens a connection. */
type CallTarget = { url: string; secret: string; model: string; isFresh?: boolean };

/** The longest wait: a call that takes longer hangs. */
const GIVES_UP_MS = 60_000;

const codeOf = (error: unknown): string => {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  return cause?.code ?? name ?? String(error);
};

/** The error with which a stream broke off, in its last event. */
function endOf(text: string): string {
  const [last = ""] = text.trimEnd().split("\n").slice(-1);
  try {
    const { error } = JSON.parse(last.replace(/^data: /, "")) as {
      error?: { type?: string; code?: unknown };
    };
    return `${error?.type ?? "no type"}`;
  } catch {
    return "no error";
  }
}

/** Makes one call as a client's program does. Never throws. */
export async function callOnce(
  { url, secret, model, isFresh = false }: CallTarget,
  isStream: boolean,
): Promise<TrafficResult> {
  const beganAt = performance.now();
  const facts = { requestId: null as string | null, status: null as number | null, isStream, beganAt };
  const ended = (isWhole: boolean, error: string | null): TrafficResult => ({
    ...facts,
    isWhole,
    error,
    ms: performance.now() - beganAt,
  });
  try {
    const messages = [{ role: "user", content: "hi" }];
    const body = { model, stream: isStream, max_tokens: 50, messages };
    const signal = AbortSignal.timeout(GIVES_UP_MS);
    const headers: Record<string, string> = isFresh ? { connection: "close" } : {};
    const response = await postTo(url)(secret, "chat/completions", body, { signal, headers });
    facts.requestId = response.headers.get("x-request-id");
    facts.status = response.status;
    const text = await response.text();
    if (response.status !== 200) {
      return ended(false, response.headers.get("x-error-code") ?? "no code");
    }
    const isWhole = isStream ? text.endsWith("data: [DONE]\n\n") : "choices" in JSON.parse(text);
    return ended(isWhole, isWhole ? null : endOf(text));
  } catch (error) {
    return ended(false, codeOf(error));
  }
}

/** Makes calls at an even pace, every other one a stream, until it is stopped. Each call continues to its own end. */
export function startTraffic(target: CallTarget, perSecond: number) {
  const results: TrafficResult[] = [];
  const under = new Map<Promise<void>, number>();
  let serial = 0;
  const timer = setInterval(() => {
    const call = callOnce(target, serial++ % 2 === 0).then((result) => {
      results.push(result);
      under.delete(call);
    });
    under.set(call, performance.now());
  }, 1_000 / perSecond);
  return {
    seen: results,
    /**
     * Waits until all calls that began before `since` have ended, and calls have succeeded for some time. Returns when
     * the last failed one began, in ms after `since`.
     */
    untilWell: async (since: number, { forMs, withinMs }: { forMs: number; withinMs: number }) => {
      for (let now = since; ; now = performance.now()) {
        const lastBad = results.findLast(({ isWhole, beganAt }) => !isWhole && beganAt >= since);
        const wellSince = Math.max(
          since,
          ...results.flatMap((result) => (result.isWhole ? [] : result.beganAt + result.ms)),
        );
        if ([...under.values()].every((beganAt) => beganAt > since) && now - wellSince > forMs) {
          return lastBad === undefined ? 0 : lastBad.beganAt - since;
        }
        if (now - since > withinMs) {
          throw new Error(`not well again within ${withinMs} ms: ${JSON.stringify(lastBad)}`);
        }
        await sleep(50);
      }
    },
    stop: async (): Promise<TrafficResult[]> => {
      clearInterval(timer);
      await Promise.all(under.keys());
      return results;
    },
  };
}
