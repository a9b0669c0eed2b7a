import { TRPCClientError } from "@trpc/client";
import { useTranslations } from "use-intl";
import type { AppRouter } from "@/server/console";
import { Offline } from "./reach";

/** What a call of the console fails with. tRPC's own type of it lacks an error's name. */
export type Failed = { message: string; cause?: unknown };

type Answer = {
  httpStatus: number;
  requestId: string;
  /** Names a text among `refusals`; null for what nobody should have to read. */
  reason: string | null;
  values: Record<string, string | number>;
};

function answerOf(error: Failed): Answer | null {
  const answered = error instanceof TRPCClientError ? (error as TRPCClientError<AppRouter>) : null;
  return (answered?.data as Answer | null | undefined) ?? null;
}

/** The status of an answer; null when there was none. */
export const statusOf = (error: Failed): number | null => answerOf(error)?.httpStatus ?? null;

/** Nobody is signed in any more, which is said once, over the page (query-provider.tsx). */
export const isSessionOver = (error: Failed): boolean => statusOf(error) === 401;

/** The name of the text among `refusals`; null when there was no answer, or none of ours. */
export const reasonOf = (error: Failed): string | null => answerOf(error)?.reason ?? null;

/** Puts a failed call into words: what happened, in the reader's language where we have it, and the request's id. */
export function useFailure(): (error: Failed) => { title: string; text: string; requestId: string | null } {
  const common = useTranslations("common");
  const refusals = useTranslations("refusals");
  const requests = useTranslations("requests");
  /** The gateway's own errors are explained where calls are listed. */
  const wordsFor = ({ reason }: Answer, { message }: Failed) => {
    const advice = `errors.${reason}.advice` as Parameters<typeof requests.has>[0];
    return requests.has(advice) ? requests(advice as "errors.internal.advice") : message;
  };
  return (error) => {
    const answer = answerOf(error);
    const requestId = answer?.requestId ?? null;
    // A change that the server stopped waiting for may yet be made.
    const isOpen = answer?.reason === "unavailable";
    const title = common(isOpen ? "changeUnknown" : "changeFailed");
    if (error.cause instanceof Offline) {
      return { title, text: refusals("offline"), requestId };
    }
    if (!answer) {
      return { title: common("changeUnknown"), text: refusals("unreachable"), requestId };
    }
    const name = (answer.reason ?? "") as Parameters<typeof refusals.has>[0];
    const known = refusals.has(name) ? refusals(name, answer.values as never) : wordsFor(answer, error);
    const isOurs = answer.httpStatus >= 500;
    const text = isOurs && requestId ? `${known} ${common("requestId", { id: requestId })}` : known;
    return { title, text, requestId };
  };
}
