import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareBrowser } from "@/tests/support/browser";
import { freePort } from "@/tests/support/free-port";
import { mailUrlAt } from "@/tests/support/mail-server";
import { startOidcServer } from "@/tests/support/oidc-server";
import { startServer } from "@/tests/support/process";
import { STRIPE_KEYS, startStripe } from "@/tests/support/stripe";

/** Settings of the built server that shorten slow steps. */
const quick = {
  VIDEO_POLL_SECONDS: "1",
  VIDEO_RATE_LIMIT_PER_MINUTE: "1000",
  // The two cores also run the browsers; other tests cover several gateway processes.
  WEB_CONCURRENCY: "1",
  // The webhook receivers of flows are on this machine.
  WEBHOOKS_ALLOW_PRIVATE: "true",
};

/**
 * Starts the built server with its own embedded database, and stops it after the run. With E2E_BASE_URL the flows use
 * the server at that address, and this function starts nothing.
 */
export default async function setup(): Promise<() => Promise<void>> {
  await prepareBrowser();
  if (process.env.E2E_BASE_URL) {
    return async () => {};
  }
  // A folder that is kept has the users of the run that made it.
  const kept = process.env.E2E_KEPT_DIR;
  const password = kept ? "the operator of a kept folder" : randomBytes(12).toString("base64url");
  const admin = { email: "operator@tollgate.test", password };
  const dataDir = kept ?? (await mkdtemp(join(tmpdir(), "tollgate-e2e-")));
  const stripe = await startStripe();
  const mailPort = await freePort();
  const port = await freePort();
  const provider = await startOidcServer(`http://127.0.0.1:${port}/api/auth/callback/oidc`);
  const server = await startServer({
    ...quick,
    ...STRIPE_KEYS,
    ...provider.env,
    PORT: String(port),
    STRIPE_API_BASE: stripe.url,
    // Only the flows that read e-mails start a mail server there. Otherwise none arrives.
    SMTP_URL: mailUrlAt(mailPort),
    MAIL_FROM: "Tollgate <alerts@tollgate.test>",
    TOLLGATE_DATA_DIR: dataDir,
    TOLLGATE_ADMIN_EMAIL: admin.email,
    TOLLGATE_ADMIN_PASSWORD: admin.password,
  });
  stripe.tell(server.url);
  // The workers that run the flows inherit these variables.
  Object.assign(process.env, {
    E2E_BASE_URL: server.url,
    E2E_ADMIN_EMAIL: admin.email,
    E2E_ADMIN_PASSWORD: admin.password,
    E2E_DATA_DIR: dataDir,
    E2E_SERVER_PID: String(server.child.pid),
    E2E_TAKES_PAYMENTS: "true",
    E2E_MAIL_PORT: String(mailPort),
    E2E_PROVIDER: provider.env.OIDC_NAME,
  });
  return async () => {
    await server.stop();
    stripe.close();
    await provider.close();
    if (!kept) {
      await rm(dataDir, { recursive: true, force: true });
    }
    // Another run in the same process (--ui) starts its own server.
    delete process.env.E2E_BASE_URL;
  };
}
