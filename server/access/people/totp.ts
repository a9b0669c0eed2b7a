import { Secret, TOTP } from "otpauth";

/** The RFC 6238 parameters that every authenticator app supports. */
const parameters = { algorithm: "SHA1", digits: 6, period: 30 };
/** Neighbouring steps whose code is also accepted: clocks differ, and users type slowly. */
const WINDOW = 1;

/** A new secret of 160 bits, in base32. */
export const mintTotpSecret = () => new Secret({ size: 20 }).base32;

/** The text of the QR code for an authenticator app. */
export const totpUri = (totp: { secret: string; issuer: string; email: string }) =>
  new TOTP({ ...parameters, secret: totp.secret, issuer: totp.issuer, label: totp.email }).toString();

/** The time step of a code; null if it is not valid at about this time. */
export function findStep(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const totp = new TOTP({ ...parameters, secret });
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}
