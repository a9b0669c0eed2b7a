import { TRPCClientError } from "@trpc/client";
import type { AppRouter } from "@/server/console";

/** What a call of the console fails with. tRPC's own type of it lacks an error's name. */
export type Failed = { message: string; cause?: unknown };

export type Answer = {
  httpStatus: number;
  requestId: string;
  /** Names a text among `refusals`; null for what nobody should have to read. */
  reason: string | null;
  values: Record<string, string | number>;
};

/** What the server said of it; null when it said nothing. */
export function answerOf(error: Failed): Answer | null {
  const answered = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>) : null;
  return (answered?.data as Answer | null | undefined) ?? null;
}

/** The status of an answer; null when there was none. */
export const statusOf = (error: Failed): number | null => answerOf(error)?.httpStatus ?? null;

/** Nobody is signed in any more, which is said once, over the page (query-provider.tsx). */
export const isSessionOver = (error: Failed): boolean => statusOf(error) === 401;

/** The name of the text among `refusals`; null when there was no answer, or none of ours. */
export const reasonOf = (error: Failed): string | null => answerOf(error)?.reason ?? null;
