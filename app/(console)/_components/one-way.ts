import type { TRPCLink } from "@trpc/client";
import type { AppRouter } from "@/server/console";

/**
 * Infinite queries say in which direction they grow. Ours grow one way, and no procedure's strict input has that
 * member.
 */
export const oneWay: TRPCLink<AppRouter> = () => (call) => {
  const { direction: _, ...input } = (call.op.input ?? {}) as Record<string, unknown>;
  return call.next(call.op.input === undefined ? call.op : { ...call.op, input });
};
