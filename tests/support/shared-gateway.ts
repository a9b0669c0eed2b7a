import { shareRuntime } from "@/server/process/runtime";
import { startGateway, type TestGateway } from "./gateway";

/** Video tasks are polled each second, and no test meets the limit of submissions that it does not test. */
const VIDEO_TIMES = { VIDEO_POLL_SECONDS: "1", VIDEO_RATE_LIMIT_PER_MINUTE: "10000" };

let started: Promise<TestGateway> | undefined;

/**
 * The gateway and the database that the test files of one worker share. Each test makes its own accounts, keys, models
 * and channels there. A file that changes the environment, the clock or what holds for the whole installation, or that
 * counts all there is, takes `startGateway` instead. The worker's end closes it.
 */
export async function sharedGateway(): Promise<TestGateway> {
  started ??= startGateway({ env: VIDEO_TIMES });
  const gateway = await started;
  // A file before this one may have started a gateway of its own.
  shareRuntime(gateway.runtime);
  return { ...gateway, close: async () => {} };
}
