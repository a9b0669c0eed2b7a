import { describe, expect, test } from "vitest";
import { startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { eventually } from "@/tests/support/eventually";
import { callUntil, expectLawful, rounds, slowly } from "@/tests/support/faults";
import { perFile } from "@/tests/support/per-file";
import { familyOf, isListening, isRunning, killHard } from "@/tests/support/process-tree";
import { until } from "@/tests/support/until";
import { startUpstream } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(slowly()));
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl, { WEB_CONCURRENCY: "2" }));

const pidOf = (name: string) =>
  familyOf(gateway.server()).find((member) => member.name === name && isRunning(member.pid))?.pid ?? 0;

async function callWhileKilling(name: string, after: number) {
  const killed = pidOf(name);
  const received = await callUntil(gateway, after, () => killHard(killed));
  return { received, killed };
}

const isReplaced = (name: string, killed: number) => until(() => ![0, killed].includes(pidOf(name)), 30_000);

/** The next round kills it in the middle of its calls, so it has to accept some by then. */
const isServing = async (name: string, killed: number) => {
  await isReplaced(name, killed);
  await until(() => isListening(pidOf(name)), 30_000);
};

describe("in the middle of 100 calls,", () => {
  test.each(rounds)(
    "a killed gateway process loses no cent, the other one serves, and it is replaced (round $round)",
    async ({ after }) => {
      const { received, killed } = await callWhileKilling("gateway-1", after);
      expect(received.some(({ isWhole }) => !isWhole)).toBe(true);
      expect(received.filter(({ isWhole }) => isWhole).length).toBeGreaterThan(after);
      await isServing("gateway-1", killed);
      await expectLawful(gateway, received);
    },
  );

  test.each(rounds)(
    "a killed console process is noticed by no call, and is replaced (round $round)",
    async ({ after }) => {
      const { received, killed } = await callWhileKilling("console", after);
      expect(received.filter(({ isWhole }) => !isWhole)).toEqual([]);
      await isReplaced("console", killed);
      const signIn = () => fetch(`${gateway.server().url}/sign-in`);
      await eventually(async () => (await signIn()).status, 30_000).toBe(200);
      await expectLawful(gateway, received);
    },
  );
});
