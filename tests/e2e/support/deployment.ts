/** The server under test: `global-setup.ts` started it, or the tester names it. */
import type { SignIn } from "../pages/sign-in-page";

function required(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: docs/testing.md says what a run against a deployment needs`);
  }
  return value;
}

export const deployment = {
  baseUrl: () => required("E2E_BASE_URL").replace(/\/+$/, ""),
  admin: (): SignIn => ({ email: required("E2E_ADMIN_EMAIL"), password: required("E2E_ADMIN_PASSWORD") }),
  /** Whether it was started for the flows, with a database that they can reach. */
  isOurs: (): boolean => process.env.E2E_DATA_DIR !== undefined,
  /** Whether customers can pay there, at a provider simulated on this machine (tests/support/stripe.ts). */
  takesPayments: (): boolean => process.env.E2E_TAKES_PAYMENTS === "true",
  /** The port on this machine to which it sends e-mails; null: another mail server, whose e-mails no flow can read. */
  mailPort: (): number | null => Number(process.env.E2E_MAIL_PORT) || null,
  /** The sign-in provider in addition to passwords: one on this machine (tests/support/oidc-server.ts). */
  providerName: (): string | null => process.env.E2E_PROVIDER || null,
  /** The time limit of a video there: its VIDEO_TIMEOUT_SECONDS. */
  videoTimeoutMs: () => Number(process.env.E2E_VIDEO_TIMEOUT_SECONDS || 600) * 1_000,
};
