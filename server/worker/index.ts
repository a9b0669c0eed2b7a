/** The background door: what is done without being asked, in every replica, without a leader. */
import { forgetAnswers, type Gatekeeper } from "@/server/access";
import type { Log } from "@/server/base/log";
import type { Billing } from "@/server/billing";
import type { Calls } from "@/server/calls";
import type { Database } from "@/server/db";
import type { Videos } from "@/server/videos";
import { startLoop } from "./loop";

const SWEEP_EVERY_MS = 5_000;
const VIDEOS_EVERY_MS = 1_000;
const USES_EVERY_MS = 1_000;
const TIDY_EVERY_MS = 3_600_000;

/** Starts the loops; the answer stops them, and waits for the passes under way. */
export function startWorker(deps: {
  access: Gatekeeper;
  billing: Billing;
  calls: Calls;
  videos: Videos;
  db: Database;
  log: Log;
}): () => Promise<void> {
  const stops = [
    startLoop(deps.log, {
      name: "sweep",
      everyMs: SWEEP_EVERY_MS,
      pass: async () => {
        const released = await deps.billing.sweep();
        if (released > 0) {
          deps.log.warn({ released }, "returned money that dead calls had frozen");
        }
      },
    }),
    startLoop(deps.log, { name: "videos", everyMs: VIDEOS_EVERY_MS, pass: deps.videos.work }),
    startLoop(deps.log, { name: "video keys", everyMs: TIDY_EVERY_MS, pass: deps.videos.tidy }),
    startLoop(deps.log, { name: "uses of keys", everyMs: USES_EVERY_MS, pass: deps.access.flushUses }),
    startLoop(deps.log, { name: "old sessions", everyMs: TIDY_EVERY_MS, pass: deps.access.tidySessions }),
    startLoop(deps.log, {
      name: "old answers",
      everyMs: TIDY_EVERY_MS,
      pass: () => forgetAnswers(deps.db),
    }),
    startLoop(deps.log, { name: "old calls", everyMs: TIDY_EVERY_MS, pass: deps.calls.tidy }),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
