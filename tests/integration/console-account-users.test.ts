import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { findSessionUser } from "@/server/access";
import { appRouter } from "@/server/console/root";
import { sqlOf } from "@/server/db/handles";
import { callerFor, contextFor, PASSWORD } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { signIns } from "@/tests/support/sign-ins";

const gateway = perFile(sharedGateway);
const operator = perFile(() => callerFor(gateway, { role: "operator" }));
const { setPassword, enter, entered, lastChange } = signIns(gateway);

describe("the users of an account", () => {
  test("are added by a link, and another one ends their password and their sessions", async () => {
    const { accountId } = await gateway.customer();
    const added = await operator.users.add({ accountId, email: `${randomUUID()}@example.com` });
    await setPassword(added.url, PASSWORD);
    const { sessionId } = await entered(added.email, PASSWORD);
    const users = await operator.users.list({ accountId });
    const userId = users.find(({ email }) => email === added.email)?.id ?? "";
    const reset = await operator.users.resetPassword({ userId });
    expect(await findSessionUser(gateway.runtime.db, sessionId)).toBeNull();
    expect(await enter(added.email, PASSWORD)).toBe("refused");
    expect(await lastChange(accountId)).toMatchObject({
      action: "user.reset_password",
      targetId: userId,
      targetName: added.email,
    });
    await setPassword(reset.url, "another long password");
    expect(await enter(added.email, "another long password")).toBe("signed_in");
  });

  test("lose a second factor that they cannot use any more, and all their sessions", async () => {
    const { accountId } = await gateway.customer();
    const { viewer } = await contextFor(gateway, { role: "owner", accountId });
    const userId = viewer?.id ?? "";
    await expect(operator.users.resetTotp({ userId })).rejects.toMatchObject({
      cause: { reason: "totpOff" },
    });
    await sqlOf(
      gateway.runtime.db,
    )`update users set totp_enabled_at = now(), totp_secret = 'x' where id = ${userId}`;
    expect(await enter(viewer?.email ?? "", PASSWORD)).toBe("code_required");
    await operator.users.resetTotp({ userId });
    expect(await enter(viewer?.email ?? "", PASSWORD)).toBe("signed_in");
    expect(await lastChange(accountId)).toMatchObject({
      action: "user.reset_totp",
      before: { hasTotp: true },
      after: { hasTotp: false },
    });
  });

  test("do not take their own second factor off without a proof, by whatever procedure", async () => {
    const context = await contextFor(gateway, { role: "operator" });
    const userId = context.viewer?.id ?? "";
    await sqlOf(
      gateway.runtime.db,
    )`update users set totp_enabled_at = now(), totp_secret = 'x' where id = ${userId}`;
    await expect(appRouter.createCaller(context).users.resetTotp({ userId })).rejects.toMatchObject({
      cause: { reason: "userIsYou" },
    });
    expect(await enter(context.viewer?.email ?? "", PASSWORD)).toBe("code_required");
  });

  test("are signed out everywhere", async () => {
    const { accountId } = await gateway.customer();
    const { viewer } = await contextFor(gateway, { role: "owner", accountId });
    const userId = viewer?.id ?? "";
    await operator.users.signOut({ userId });
    expect(await findSessionUser(gateway.runtime.db, viewer?.sessionId ?? "")).toBeNull();
    expect(await lastChange(accountId)).toMatchObject({
      action: "user.sign_out_everywhere",
      targetId: userId,
    });
  });
});
