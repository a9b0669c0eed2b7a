import { googleStatus } from "@/server/base/google-status";
import type { StreamError } from "../upstream-plan";

/** The error that broke a stream off, in the form that Google's SDKs throw. */
export const googleError = ({ code, message, sentence = message }: Omit<StreamError, "data">): string =>
  JSON.stringify({ error: { code, message: sentence, status: googleStatus(code), details: [] } });
