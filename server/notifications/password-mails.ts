/** Answers requests at the sign-in page for a link to set a new password. */
import { claimPasswordRequest, endPasswordRequest, issueRequestedLink, linkPath } from "@/server/access";
import { recordChange } from "@/server/audit";
import type { Clock } from "@/server/base/clock";
import type { Config } from "@/server/base/config";
import type { Log } from "@/server/base/log";
import type { Db } from "@/server/db";
import { mailLink } from "./link-mail";

type PasswordMailDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  config: Pick<Config, "SMTP_URL" | "MAIL_FROM">;
  origin: string;
};

/**
 * Answers the next request, with an e-mail if someone who may sign in has the address. An e-mail that cannot be sent now
 * is tried again with another link. Returns whether there was a request.
 */
export async function answerPasswordRequest(deps: PasswordMailDeps): Promise<boolean> {
  const { db, clock, log, config, origin } = deps;
  const request = await claimPasswordRequest(db, clock());
  if (request === null) {
    return false;
  }
  const { email, language, address } = request;
  const link = await issueRequestedLink(db, email, (tx, { id, accountId }) =>
    recordChange(tx, {
      action: "user.ask_password",
      actor: { userId: null, name: email, address },
      accountId,
      target: { id, name: email },
    }),
  );
  const outcome =
    link &&
    (await mailLink(config, {
      ...{ kind: link.hasPassword ? "requested" : "invitation", by: null },
      ...{ to: email, language, url: `${origin}${linkPath(link.token)}` },
    }));
  if (link === null || outcome === null || outcome.isDelivered || outcome.isFinal === true) {
    await endPasswordRequest(db, email);
  }
  if (link !== null && outcome?.isDelivered === false) {
    log.warn(
      { userId: link.user.id, problem: outcome.problem },
      "a link to set a password could not be sent",
    );
  }
  return true;
}
