/**
 * Credentials of two keys, written as one line: `ACCESS:SECRET`. Forms check them in the same way, so this file needs
 * nothing of the server.
 */
import type { VendorApi } from "./facts";

/** Neither half has a colon or a space: both are letters and digits. */
const PAIR = /^[^\s:]+:[^\s:]+$/;

/** Whether a channel of this dialect has pairs for credentials. */
export const takesPairs = (dialect: VendorApi): boolean => dialect === "kling";

export const isPair = (secret: string): boolean => PAIR.test(secret.trim());

/** The halves; without a colon, all of it is the access key. */
export function halvesOf(secret: string): { accessKey: string; secretKey: string } {
  const [accessKey = "", secretKey = ""] = secret.trim().split(":", 2);
  return { accessKey, secretKey };
}
