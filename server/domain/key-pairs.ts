/**
 * Credentials of two keys in one line: `ACCESS:SECRET`. Forms check with it too, so this file imports nothing from the
 * server.
 */
import type { VendorApi } from "./enums";

/** Neither half contains a colon or a space: both consist of letters and digits. */
const PAIR = /^[^\s:]+:[^\s:]+$/;

/** Whether credentials of a channel with this dialect are pairs. */
export const takesPairs = (dialect: VendorApi): boolean => dialect === "kling";

export const isPair = (secret: string): boolean => PAIR.test(secret.trim());

/** The two halves; without a colon, the whole text is the access key. */
export function halvesOf(secret: string): { accessKey: string; secretKey: string } {
  const [accessKey = "", secretKey = ""] = secret.trim().split(":", 2);
  return { accessKey, secretKey };
}
