import { useTranslations } from "use-intl";
import { answerOf, type ErrorAnswer, type Failed } from "./failure";
import { Offline } from "./reach";

/** Describes a failed call: the error in the reader's language if we have it, and the request's id. */
export function useFailure(): (error: Failed) => { title: string; text: string; requestId: string | null } {
  const common = useTranslations("common");
  const refusals = useTranslations("refusals");
  const requests = useTranslations("requests");
  /** The texts for the gateway's own errors are those of the request log. */
  const wordsFor = ({ reason }: ErrorAnswer, { message }: Failed) => {
    const advice = `errors.${reason}.advice` as Parameters<typeof requests.has>[0];
    return requests.has(advice) ? requests(advice as "errors.internal.advice") : message;
  };
  return (error) => {
    const answer = answerOf(error);
    const requestId = answer?.requestId ?? null;
    // The server may still make a change that it stopped waiting for.
    const isOpen = answer?.reason === "unavailable";
    const title = common(isOpen ? "changeUnknown" : "changeFailed");
    if (error.cause instanceof Offline) {
      return { title, text: refusals("offline"), requestId };
    }
    if (!answer) {
      return { title: common("changeUnknown"), text: refusals("unreachable"), requestId };
    }
    const name = (answer.reason ?? "") as Parameters<typeof refusals.has>[0];
    const explanation = refusals.has(name) ? refusals(name, answer.values as never) : wordsFor(answer, error);
    const isOurs = answer.httpStatus >= 500;
    const text =
      isOurs && requestId ? `${explanation} ${common("requestId", { id: requestId })}` : explanation;
    return { title, text, requestId };
  };
}
