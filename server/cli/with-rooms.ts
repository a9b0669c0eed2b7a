import { CancellationSource } from "@/server/base/cancellation";
import { systemClock, systemTimers } from "@/server/base/clock";
import { createLog } from "@/server/base/log";
import { vaultOf } from "@/server/base/vault";
import { createBilling } from "@/server/billing";
import { createMetrics } from "@/server/domain/metrics";
import { localShares } from "@/server/runtime/capacity";
import { createRooms, type Rooms } from "@/server/runtime/rooms";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import type { CommandContext } from "./command";

/** Runs `act` with the rooms over the running server's database, without a worker and without pending charges. */
export async function withRooms<T>(
  { config, database: db, secrets }: CommandContext,
  act: (rooms: Rooms) => Promise<T>,
): Promise<T> {
  const dispatcher = createDispatcher();
  const ground = {
    config: { ...config, REDIS_URL: undefined },
    secrets,
    clock: systemClock,
    timers: systemTimers,
    log: createLog("silent"),
    metrics: createMetrics(),
    db,
    vault: vaultOf(secrets),
    upstreams: createUpstreams(dispatcher),
    shares: localShares(config),
    stopping: new CancellationSource(),
    // No command runs on a machine whose clock is wrong.
    isClockRight: () => true,
    // Commands sell nothing.
    whyNotSell: () => null,
    mayLoseCommits: () => false,
    onWrite: () => {},
  };
  const rooms = createRooms(ground, (deps) => createBilling({ ...deps, timeZone: config.BILLING_TIMEZONE }));
  try {
    return await act(rooms);
  } finally {
    await rooms.videos.close();
    await rooms.billing.close();
    await dispatcher.destroy();
  }
}
