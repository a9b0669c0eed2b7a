import { shareRuntime } from "@/server/process/runtime";
import { startGateway, type TestGateway } from "./gateway";
import { advancingTime } from "./virtual-clock";

/** Video tasks are polled each second, and no test meets the limit of submissions that it does not test. */
const VIDEO_TIMES = { VIDEO_POLL_SECONDS: "1", VIDEO_RATE_LIMIT_PER_MINUTE: "10000" };

/** `advance` puts its time ahead: what would be due later is due now. */
type SharedGateway = TestGateway & { advance: (ms: number) => void };

const { timers, advance } = advancingTime();
let started: Promise<TestGateway> | undefined;

/**
 * The gateway and the database that the test files of one worker share. Each test makes its own accounts, keys, models
 * and channels there. A file that changes the environment, the clock or what holds for the whole installation, or that
 * counts all there is, takes `startGateway` instead. The worker's end closes it.
 */
export async function sharedGateway(): Promise<SharedGateway> {
  started ??= startGateway({ env: VIDEO_TIMES, timers });
  const gateway = await started.catch((error: unknown) => {
    // The next file tries again.
    started = undefined;
    throw error;
  });
  // A file before this one may have started a gateway of its own.
  shareRuntime(gateway.runtime);
  return { ...gateway, advance, close: async () => {} };
}
