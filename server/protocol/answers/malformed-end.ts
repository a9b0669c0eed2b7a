import { GatewayError, streamError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import type { AnswerContext, StreamError } from "../upstream-plan";

/** The error at the end of a stream whose events make no answer. */
export const malformedEnd = ({ acceptLanguage = null }: Pick<AnswerContext, "acceptLanguage">): StreamError =>
  streamError(new GatewayError("upstreamMalformed"), {
    redact: String,
    language: languageOf(acceptLanguage),
  });
