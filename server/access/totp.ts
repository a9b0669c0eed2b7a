import { Secret, TOTP } from "otpauth";

/** RFC 6238 as every authenticator app has it. */
const parameters = { algorithm: "SHA1", digits: 6, period: 30 };
/** Steps around now whose code is taken too: clocks differ, and people type slowly. */
const WINDOW = 1;

/** A new secret of 160 bits, in base32. */
export const mintTotpSecret = () => new Secret({ size: 20 }).base32;

/** What an authenticator app reads from the QR code. */
export const totpUri = (totp: { secret: string; issuer: string; email: string }) =>
  new TOTP({ ...parameters, secret: totp.secret, issuer: totp.issuer, label: totp.email }).toString();

/** The time step that a code belongs to; null when it is no code of about now. */
export function findStep(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const totp = new TOTP({ ...parameters, secret });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}
