import { until } from "./until";
import { type Json, startVideoGateway, type VideoGateway } from "./video-client";
import { manualClock } from "./video-simulator";

/** A gateway on a clock that the test moves. */
export type VendorShop = VideoGateway & {
  /** Moves the clock, by a look's distance unless it is said, and waits for what that makes due. */
  pass: (ms?: number) => Promise<void>;
};

/** More than the debounce and its jitter, and than a lost submission waits. */
const STEP_MS = 20_000;

export async function startVendorShop(): Promise<VendorShop> {
  const clock = manualClock();
  const gateway = await startVideoGateway({}, clock.date);
  return {
    ...gateway,
    pass: async (ms = STEP_MS) => {
      clock.advance(ms);
      await gateway.runtime.videos.work();
      await gateway.runtime.videos.close({ patienceMs: 5_000 });
    },
  };
}

type Awaited = { secret: string; taskId: string; status: string };

/** The status body once it says `status`, on a clock that stands still. */
export async function pollUntil(gateway: VideoGateway, { secret, taskId, status }: Awaited): Promise<Json> {
  let body: Json = {};
  await until(async () => {
    body = (await (await gateway.status(secret, taskId)).json()) as Json;
    return body.status === status;
  }, 10_000);
  return body;
}
