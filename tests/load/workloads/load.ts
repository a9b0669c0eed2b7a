import autocannon from "autocannon";
import { Pool } from "undici";
import { bodyOf, modelOf, PATH } from "../chat";
import { spreadOf } from "../measures/percentile";
import { type LoadTarget, readStream } from "./read-stream";

/** The amount of load: calls continue until `amount` of them are done, or until `durationMs` is over. */
export type Load = { connections: number; durationMs?: number; amount?: number };

/**
 * The number of calls (or streams); calls a second; milliseconds to the whole answer (or to a stream's first data
 * byte).
 */
export type LoadFigures = { calls: number; perSecond: number; p50: number; p99: number };

const DEADLINE_MS = 240_000;

/** The call for measuring throughput and memory. */
export const chatCall = { model: modelOf("turn"), events: 50 };

function summarise(times: number[], elapsedMs: number): LoadFigures {
  return { calls: times.length, perSecond: (times.length * 1000) / elapsedMs, ...spreadOf(times) };
}

/** A function that gives each call the next secret, so that all callers have an equal share of the load. */
function eachInTurn(secrets: string[]): autocannon.Request["setupRequest"] {
  let next = 0;
  return (request) => {
    const secret = secrets[next++ % secrets.length];
    return { ...request, headers: { ...request.headers, authorization: `Bearer ${secret}` } };
  };
}

async function callJson(
  target: LoadTarget,
  load: { connections: number; amount: number },
): Promise<LoadFigures> {
  const times: number[] = [];
  const began = performance.now();
  let last = began;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: `${target.url}${PATH}`,
        headers: { "content-type": "application/json", ...target.headers },
        ...{ method: "POST", body: bodyOf(chatCall, false), sampleInt: 100, timeout: 60 },
        ...(target.secrets && { requests: [{ setupRequest: eachInTurn(target.secrets) }] }),
        ...load,
      },
      (error: unknown, done) => (error ? reject(error) : resolve(done)),
    );
    // Its own histogram counts whole milliseconds; a gateway adds less than one.
    instance.on("response", (...[, , , elapsedMs]) => {
      times.push(elapsedMs);
      last = performance.now();
    });
  });
  if (result.non2xx + result.errors + result.timeouts > 0 || times.length === 0) {
    const statuses = Object.entries(result.statusCodeStats ?? {}).map(
      ([status, { count }]) => `${status}: ${count}`,
    );
    throw new Error(`${result.errors} calls failed, others were answered ${statuses.join(", ")}`);
  }
  return summarise(times, last - began);
}

/** A shorter run says little about the speed of calls. */
const TRIAL_MS = 100;

/**
 * Makes JSON calls, one after the other on each connection. Throws if one of them fails. Shorter runs turn a duration
 * into a number of calls: autocannon ends a timed run by hanging up on its calls, which is another kind of work.
 */
export async function loadJson(
  target: LoadTarget,
  { connections, durationMs, amount }: Load,
): Promise<LoadFigures> {
  if (amount !== undefined) {
    return await callJson(target, { connections, amount });
  }
  let calls = 0;
  for (let trial = connections * 2; ; trial *= 4) {
    const before = await callJson(target, { connections, amount: trial });
    calls += before.calls;
    if ((before.calls * 1_000) / before.perSecond >= TRIAL_MS) {
      const estimate = Math.ceil((before.perSecond * (durationMs ?? 1_000)) / 1_000);
      const measured = await callJson(target, { connections, amount: Math.max(estimate, connections) });
      return { ...measured, calls: calls + measured.calls };
    }
  }
}

/** Makes streamed calls, one after the other on each connection. Throws if one of them fails. */
export async function loadStreams(target: LoadTarget, load: Load, call = chatCall): Promise<LoadFigures> {
  const pool = new Pool(target.url, { connections: load.connections, pipelining: 1 });
  const times: number[] = [];
  const began = performance.now();
  const deadline = began + (load.durationMs ?? DEADLINE_MS);
  let left = load.amount ?? Number.POSITIVE_INFINITY;
  const read = async () => {
    while (left > 0 && performance.now() < deadline) {
      left--;
      const { firstByteMs } = await readStream(pool, target, { call });
      times.push(firstByteMs);
    }
  };
  try {
    await Promise.all(Array.from({ length: load.connections }, read));
    return summarise(times, performance.now() - began);
  } finally {
    await pool.destroy();
  }
}
