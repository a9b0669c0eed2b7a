import { googleStatus } from "@/server/base/google-status";
import type { StreamError } from "../upstream-plan";

/** What broke a stream off, as Google's SDKs throw it. */
export const googleError = ({ code, message, sentence = message }: Omit<StreamError, "data">): string =>
  JSON.stringify({ error: { code, message: sentence, status: googleStatus(code), details: [] } });
