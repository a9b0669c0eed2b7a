/** Changes by users to their own sign-in. Secrets and recovery codes are in one answer each, and nowhere else. */
import { z } from "zod";
import {
  changePassword,
  disableTotp,
  enableTotp,
  endOwnSession,
  getUser,
  linkIdentity,
  redeemLink,
  renewRecoveryCodes,
  signOutEverywhere,
  unlinkOwnIdentity,
} from "@/server/access";
import { Email } from "@/server/access/schema";
import type { Action } from "@/server/audit";
import { operation, type TxContext } from "./operation";
import { Id } from "./schema";

/** Wider than the rules for passwords, so that the room can say what is wrong. */
export const Password = z.string().min(1).max(4096);
const Code = z.string().min(1).max(64);

/** The proof that a signed-in user gives once more. `session`: they have just come from the provider. */
export const Proof = z.union([
  z.strictObject({ password: Password }),
  z.strictObject({ code: Code }),
  z.strictObject({ session: z.literal(true) }),
]);

/** A proof by session is checked with the session's row. */
export const proofBy = (proof: z.output<typeof Proof>, sessionId: string | undefined) =>
  "session" in proof ? { sessionId: sessionId ?? "" } : proof;

const Nothing = z.strictObject({});

/** A change by the user to their own account. A command has no user. */
async function ownChange(action: Action, { db, actor }: TxContext) {
  if (actor.userId === null) {
    throw new Error(`${action} is somebody's own`);
  }
  const { id, email, accountId } = await getUser(db, { userId: actor.userId });
  return { action, accountId, target: { id, name: email } };
}

export const setPassword = operation({
  needs: "self",
  input: z.strictObject({ current: Password, next: Password }),
  run: async (call, input) => {
    const change = await ownChange("user.change_password", call);
    await changePassword(call.db, call.identity, { userId: change.target.id, ...input });
    return { ...change, result: null };
  },
});

export const turnTotpOn = operation({
  needs: "self",
  input: z.strictObject({ code: Code }),
  run: async (call, input) => {
    const change = await ownChange("user.enable_totp", call);
    const codes = await enableTotp(call.db, call.identity, { userId: change.target.id, ...input });
    return { ...change, before: { hasTotp: false }, after: { hasTotp: true }, result: { codes } };
  },
});

export const turnTotpOff = operation({
  needs: "self",
  input: z.strictObject({ proof: Proof }),
  run: async (call, input) => {
    const change = await ownChange("user.disable_totp", call);
    const proof = proofBy(input.proof, call.sessionId);
    await disableTotp(call.db, call.identity, { userId: change.target.id, proof });
    return { ...change, before: { hasTotp: true }, after: { hasTotp: false }, result: null };
  },
});

export const renewCodes = operation({
  needs: "self",
  input: z.strictObject({ proof: Proof }),
  run: async (call, input) => {
    const change = await ownChange("user.renew_recovery_codes", call);
    const proof = proofBy(input.proof, call.sessionId);
    const codes = await renewRecoveryCodes(call.db, call.identity, { userId: change.target.id, proof });
    return { ...change, result: { codes } };
  },
});

/** Links the user that the provider sent; only the sign-in calls it. */
export const link = operation({
  needs: null,
  input: z.strictObject({
    issuer: z.string().max(2048),
    subject: z.string().min(1).max(255),
    email: Email,
    sessionId: z.string().nullable(),
  }),
  run: async ({ db, actor: { address } }, input) => {
    const { id, email, accountId } = await linkIdentity(db, input);
    return {
      action: "user.link_identity",
      actor: { userId: id, name: email, address },
      accountId,
      target: { id, name: email },
      // The provider's name for the user is left out, because entries outlive users.
      after: { issuer: input.issuer },
      result: null,
    };
  },
});

export const unlink = operation({
  needs: "self",
  input: z.strictObject({ proof: Proof }),
  run: async (call, input) => {
    const change = await ownChange("user.unlink_identity", call);
    const proof = proofBy(input.proof, call.sessionId);
    const { issuer } = await unlinkOwnIdentity(call.db, call.identity, { userId: change.target.id, proof });
    return { ...change, before: { issuer }, result: null };
  },
});

export const signOut = operation({
  needs: "self",
  input: Nothing,
  run: async (call) => {
    const change = await ownChange("user.sign_out_everywhere", call);
    await signOutEverywhere(call.db, change.target.id);
    return { ...change, result: null };
  },
});

/** Ends one of the user's own sessions, even the current one. */
export const endSession = operation({
  needs: "self",
  input: z.strictObject({ sessionId: Id }),
  run: async (call, { sessionId }) => {
    const change = await ownChange("user.end_session", call);
    await endOwnSession(call.db, { userId: change.target.id, sessionId });
    return { ...change, result: null };
  },
});

/** Returns the user's e-mail, so that they can sign in with the password that they have set. */
export const setPasswordByLink = operation({
  needs: "link",
  input: z.strictObject({ token: z.string().min(1).max(100), password: Password }),
  run: async ({ db, identity, actor: { address } }, input) => {
    const { id, email, accountId, hasTotp } = await redeemLink(db, identity, { ...input, address });
    return {
      action: "user.set_password",
      actor: { userId: id, name: email, address },
      accountId,
      target: { id, name: email },
      result: { email, hasTotp },
    };
  },
});
