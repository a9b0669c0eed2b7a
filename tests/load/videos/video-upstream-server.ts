/** The video simulator in its own process, without its limits; its tasks run until `finish` ends all at once. */
import { startVideoSimulator } from "../../support/video-simulator";
import { serveBench } from "../messages";
import { FASTEST_LOOK_MS, SLOWEST_LOOK_MS, type TaskLooks } from "./looks";

const MANY = 100_000;
/** Longer than any run, and shorter than a vendor keeps tasks and files. */
const RUN_MS = 6 * 3_600_000;

let skippedMs = 0;
const simulator = await startVideoSimulator({
  clock: { now: () => Date.now() + skippedMs },
  timing: () => ({ queueMs: 0, runMs: RUN_MS }),
  capacity: MANY,
  queueLimit: MANY,
  latency: () => FASTEST_LOOK_MS + Math.random() * (SLOWEST_LOOK_MS - FASTEST_LOOK_MS),
});

serveBench(Number(new URL(simulator.origin).port), {
  looks: async (): Promise<TaskLooks[]> =>
    simulator.ledger.creates().map(({ taskId, prompt }) => ({
      prompt,
      looks: simulator.ledger.pollsOf(taskId).map(({ wallAt }) => wallAt),
    })),
  finish: async () => {
    skippedMs += RUN_MS;
    return null;
  },
});
