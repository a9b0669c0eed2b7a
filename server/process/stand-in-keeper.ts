import type { Supervisor } from "./supervisor";

/** It waits for charges that only its memory has, and may outlive further outages meanwhile. */
const STAND_IN_PATIENCE_MS = 86_400_000;

type Listening = Pick<Supervisor, "listening">;

/** Knows the gateway that serves without the database, from its start until the usual ones have replaced it. */
export function createStandInKeeper() {
  let standIn: Supervisor | null = null;
  let isNeeded = false;
  return {
    standIn: () => standIn,
    /** Whether the stand-in serves the calls that the process `name` would serve. */
    covers: (name: string) => isNeeded && standIn?.name !== name,
    /**
     * Ends the stand-in when the gateways have its port, so that no call is lost. It may use the database then, to bring
     * its charges and its log there.
     */
    replace: async (keeper: Supervisor, gateways: Listening[]): Promise<void> => {
      standIn = keeper;
      isNeeded = true;
      const starts = await Promise.allSettled(gateways.map(({ listening }) => listening));
      isNeeded = false;
      if (starts.some(({ status }) => status === "rejected")) {
        // The server ends, and the stand-in with it.
        return;
      }
      keeper.send({ kind: "reach" });
      await keeper.stop({ patienceMs: STAND_IN_PATIENCE_MS, isHurried: true });
      standIn = null;
    },
  };
}
