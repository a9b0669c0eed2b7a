import { expect } from "vitest";
import { shareRuntime } from "@/server/runtime/shared-runtime";
import { startGateway, type TestGateway } from "./gateway";
import { advancingTime } from "./virtual-clock";

/** Video tasks are polled each second, and only tests of the submission limit reach it. */
const VIDEO_TIMES = { VIDEO_POLL_SECONDS: "1", VIDEO_RATE_LIMIT_PER_MINUTE: "10000" };

/** `advance` moves its time forward, so that later events are due now. */
type SharedGateway = TestGateway & { advance: (ms: number) => void };

const { timers, advance } = advancingTime();
let started: Promise<TestGateway> | undefined;

/**
 * The gateway and the database that the test files of one worker share. Each test makes its own accounts, keys, models
 * and channels there. A file that changes the environment, the clock or something of the whole installation, or that
 * counts everything, uses `startGateway` instead. The worker's end closes it. A file's end verifies the ledger, because
 * a difference that a file leaves would fail the later files that do.
 */
export async function sharedGateway(): Promise<SharedGateway> {
  started ??= startGateway({ env: VIDEO_TIMES, timers });
  const gateway = await started.catch((error: unknown) => {
    // The next file tries again.
    started = undefined;
    throw error;
  });
  // An earlier file may have started its own gateway.
  shareRuntime(gateway.runtime);
  return { ...gateway, advance, close: async () => expect(await gateway.verify()).toEqual([]) };
}
