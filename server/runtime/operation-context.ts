import { recallEscrows } from "@/server/billing";
import type { Door } from "@/server/operations";
import type { Query } from "@/server/queries";
import type { Runtime } from "./runtime";

/** The dependencies of operations in a process that serves. `origin`: our address for the client. */
export const operationContext = (
  runtime: Runtime,
  { actor, origin, language, sessionId }: Pick<Door, "actor" | "origin" | "language" | "sessionId">,
): Door => ({
  ...runtime,
  withVideos: (act) => act(runtime.videos),
  recall: async (accountId) => void (await recallEscrows(runtime.db, { accountId })),
  period: runtime.billing.period,
  onDone: () => runtime.replica?.noteWrite(),
  actor,
  sessionId,
  language,
  origin: runtime.config.PUBLIC_URL ?? origin,
});

/** The dependencies of a query: with the standby, if there is one and the query may lag. */
export const queryContext = (runtime: Runtime, { mayLag }: Pick<Query, "mayLag">): Runtime =>
  mayLag && runtime.replica ? { ...runtime, db: runtime.replica.pick() } : runtime;
