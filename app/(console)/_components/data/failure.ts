import { TRPCClientError } from "@trpc/client";
import type { AppRouter } from "@/server/console";

/** The error of a console call. tRPC's own type of it lacks an error's name. */
export type Failed = { message: string; cause?: unknown };

export type ErrorAnswer = {
  httpStatus: number;
  requestId: string;
  /** Names a text among `refusals`; null for errors that users should not have to read. */
  reason: string | null;
  values: Record<string, string | number>;
};

/** The server's answer to a failed call; null when it did not answer. */
export function answerOf(error: Failed): ErrorAnswer | null {
  const answered = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>) : null;
  return (answered?.data as ErrorAnswer | null | undefined) ?? null;
}

/** The status of an answer; null when there was none. */
export const statusOf = (error: Failed): number | null => answerOf(error)?.httpStatus ?? null;

/** Whether the session has ended. The page says so once, in a dialog (query-provider.tsx). */
export const isSessionOver = (error: Failed): boolean => statusOf(error) === 401;

/** The name of the text among `refusals`; null when the server did not answer, or not with one of our errors. */
export const reasonOf = (error: Failed): string | null => answerOf(error)?.reason ?? null;
