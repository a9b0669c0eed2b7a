import { recallEscrows } from "@/server/billing";
import type { Door } from "@/server/operations";
import type { Runtime } from "./runtime";

/** What operations stand on, in a process that serves. `origin`: where whoever asks reaches us. */
export const doorOf = (runtime: Runtime, { actor, origin }: Pick<Door, "actor" | "origin">): Door => ({
  ...runtime,
  withVideos: (act) => act(runtime.videos),
  recall: async (accountId) => void (await recallEscrows(runtime.db, { accountId })),
  period: runtime.billing.period,
  actor,
  origin: runtime.config.PUBLIC_URL ?? origin,
});
