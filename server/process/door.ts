import { recallEscrows } from "@/server/billing";
import type { Door } from "@/server/operations";
import type { Query } from "@/server/queries";
import type { Runtime } from "./runtime";

/** What operations stand on, in a process that serves. `origin`: where whoever asks reaches us. */
export const doorOf = (
  runtime: Runtime,
  { actor, origin, sessionId }: Pick<Door, "actor" | "origin" | "sessionId">,
): Door => ({
  ...runtime,
  withVideos: (act) => act(runtime.videos),
  recall: async (accountId) => void (await recallEscrows(runtime.db, { accountId })),
  period: runtime.billing.period,
  onDone: () => runtime.replica?.noteWrite(),
  actor,
  sessionId,
  origin: runtime.config.PUBLIC_URL ?? origin,
});

/** What a query reads from: the standby, where there is one and the query may lag. */
export const readingFor = (runtime: Runtime, { mayLag }: Pick<Query, "mayLag">): Runtime =>
  mayLag && runtime.replica ? { ...runtime, db: runtime.replica.pick() } : runtime;
