/**
 * Replicas that are replaced one by one behind a balancer, under traffic: no call fails. With
 * ROLL_BEHIND=/usr/sbin/nginx that is the balancer, with the configuration and the script of `deploy/proxy`.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { startBalancer } from "@/tests/support/balancer";
import { ROUNDS } from "@/tests/support/faults";
import { freePort } from "@/tests/support/free-port";
import { postTo, serverEnvironment, startGateway } from "@/tests/support/gateway";
import { startNginx } from "@/tests/support/nginx";
import { perFile, servedModel } from "@/tests/support/per-file";
import { type ServerProcess, startServer } from "@/tests/support/process";
import { until } from "@/tests/support/until";
import { answerWith, chatDelta, chatUsage, startUpstream, usage } from "@/tests/support/upstream";

const whole = answerWith("Hello there", usage(7, 3));
const gateway = perFile(() => startGateway());
const upstream = perFile(() =>
  startUpstream(async (call, response, request) => {
    if (call.body.stream !== true) {
      await whole(call, response, request);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let second = 0; second < 5; second++) {
      response.write(chatDelta({ content: "word " }));
      await sleep(1_000);
    }
    response.end(`${chatDelta({}, "stop")}${chatUsage(usage(7, 5))}data: [DONE]\n\n`);
  }),
);
const model = servedModel({ gateway, upstream });

/** The short form makes few calls, so that a slow machine has room for starts. */
const CALLS_A_SECOND = ROUNDS > 1 ? 200 : 50;
const STREAMS_A_SECOND = 4;

test("two replicas are replaced twice under traffic, and no call fails", async () => {
  const { secret, accountId } = await gateway.customer({ quota: "100000" });
  const ports = [await freePort(), await freePort()];
  const env = (port: number) => ({
    ...serverEnvironment(gateway.databaseUrl),
    LAME_DUCK_SECONDS: "2",
    WEB_CONCURRENCY: "2",
    PORT: String(port),
  });
  const replicas: ServerProcess[] = await Promise.all(ports.map((port) => startServer(env(port))));
  const urls = replicas.map(({ url }) => url);
  const { ROLL_BEHIND } = process.env;
  const balancer = await (ROLL_BEHIND === undefined ? startBalancer(urls) : startNginx(ROLL_BEHIND, urls));
  onTestFinished(async () => {
    await balancer.close();
    await Promise.all(replicas.map(({ stop }) => stop()));
  });
  const failures: string[] = [];
  const counts = { calls: 0, streams: 0 };
  /** The slowest call without a stream. */
  let slowestMs = 0;
  const call = async (stream: boolean) => {
    const startedAt = performance.now();
    const body = { model, stream, max_tokens: 50, messages: [{ role: "user", content: "hi" }] };
    // A reload of nginx before 1.27.4 ends idle connections of clients, and with them calls that are on their way.
    const headers: Record<string, string> = ROLL_BEHIND === undefined ? {} : { connection: "close" };
    const response = await postTo(balancer.url)(secret, "chat/completions", body, { headers });
    const text = await response.text();
    const isWhole = stream ? text.endsWith("data: [DONE]\n\n") : text.includes("Hello there");
    if (response.status !== 200 || !isWhole) {
      failures.push(`${response.status} ${text.slice(0, 200)}`);
    }
    counts[stream ? "streams" : "calls"]++;
    slowestMs = stream ? slowestMs : Math.max(slowestMs, Math.round(performance.now() - startedAt));
  };
  const under: Promise<void>[] = [];
  const send = (stream: boolean) =>
    void under.push(call(stream).catch((error: unknown) => void failures.push(String(error))));
  const timers = [
    setInterval(() => send(false), 1_000 / CALLS_A_SECOND),
    setInterval(() => send(true), 1_000 / STREAMS_A_SECOND),
  ];
  const restart = async (place: number) => {
    await sleep(2_000);
    await replicas[place]?.stop();
    replicas[place] = await startServer(env(ports[place] ?? 0));
  };
  await balancer.roll(restart);
  await balancer.roll(restart);
  timers.forEach(clearInterval);
  await Promise.all(under);
  process.stdout.write(`${JSON.stringify({ ...counts, failures: failures.length, slowestMs })}\n`);
  expect(failures).toEqual([]);
  expect(counts.calls).toBeGreaterThan(CALLS_A_SECOND * 10);
  await until(async () => (await gateway.balance(accountId)).frozen === 0n, 60_000);
  expect(await gateway.verify()).toEqual([]);
  expect((await gateway.balance(accountId)).used).toBe(
    BigInt(counts.calls) * 13_000n + BigInt(counts.streams) * 17_000n,
  );
});
