import { setTimeout as sleep } from "node:timers/promises";
import { postTo } from "./gateway";

/** What came of one call. `error`: its `x-error-code`, or what a client's program said; null: all is well. */
export type Seen = {
  requestId: string | null;
  status: number | null;
  isWhole: boolean;
  error: string | null;
  isStream: boolean;
  beganAt: number;
  ms: number;
};

type Target = { url: string; secret: string; model: string };

/** Nobody waits longer: a call that takes as long has hung. */
const GIVES_UP_MS = 60_000;

const codeOf = (error: unknown): string => {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  return cause?.code ?? name ?? String(error);
};

/** What a stream broke off with, by its last event. */
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

/** One call as a client's program makes it. Never throws. */
export async function callOnce({ url, secret, model }: Target, isStream: boolean): Promise<Seen> {
  const beganAt = performance.now();
  const seen = { requestId: null as string | null, status: null as number | null, isStream, beganAt };
  const ended = (isWhole: boolean, error: string | null): Seen => ({
    ...seen,
    isWhole,
    error,
    ms: performance.now() - beganAt,
  });
  try {
    const messages = [{ role: "user", content: "hi" }];
    const body = { model, stream: isStream, max_tokens: 50, messages };
    const signal = AbortSignal.timeout(GIVES_UP_MS);
    const response = await postTo(url)(secret, "chat/completions", body, { signal });
    seen.requestId = response.headers.get("x-request-id");
    seen.status = response.status;
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

/** Calls at an even pace, every other one a stream, until it is stopped; each goes on to its own end. */
export function startTraffic(target: Target, perSecond: number) {
  const seen: Seen[] = [];
  const under = new Map<Promise<void>, number>();
  let serial = 0;
  const timer = setInterval(() => {
    const call = callOnce(target, serial++ % 2 === 0).then((one) => {
      seen.push(one);
      under.delete(call);
    });
    under.set(call, performance.now());
  }, 1_000 / perSecond);
  return {
    seen,
    /**
     * Until whatever began before `since` has ended, and everything has gone well for some time. Answers when the last
     * call that did not began, in ms after `since`.
     */
    untilWell: async (since: number, { forMs, withinMs }: { forMs: number; withinMs: number }) => {
      for (let now = since; ; now = performance.now()) {
        const lastBad = seen.findLast(({ isWhole, beganAt }) => !isWhole && beganAt >= since);
        const wellSince = Math.max(
          since,
          ...seen.flatMap((one) => (one.isWhole ? [] : one.beganAt + one.ms)),
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
    stop: async (): Promise<Seen[]> => {
      clearInterval(timer);
      await Promise.all(under.keys());
      return seen;
    },
  };
}
