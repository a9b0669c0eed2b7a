import { googleStatus } from "@/server/base/google-status";

/** What broke a stream off, as Google's SDKs throw it. */
export const googleError = ({ code, message }: { code: number; message: string }): string =>
  JSON.stringify({ error: { code, message, status: googleStatus(code), details: [] } });
