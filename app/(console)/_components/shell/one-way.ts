import type { TRPCLink } from "@trpc/client";
import type { AppRouter } from "@/server/console";

/**
 * Removes `direction` from the input of infinite queries. Our lists grow one way only, and the strict inputs of
 * procedures refuse that member.
 */
export const oneWay: TRPCLink<AppRouter> = () => (call) => {
  const { direction: _, ...input } = (call.op.input ?? {}) as Record<string, unknown>;
  return call.next(call.op.input === undefined ? call.op : { ...call.op, input });
};
