import { describe, expect, test } from "vitest";
import { appRouter } from "@/server/console/root";
import { sqlOf } from "@/server/db/handles";
import { contextFor, PASSWORD } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { signIns } from "@/tests/support/sign-ins";

const gateway = perFile(sharedGateway);
const { enter } = signIns(gateway);

describe("the users of an account", () => {
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
});
