import { expect, test } from "vitest";
import { startVideoGateway, turbo } from "@/tests/support/video-client";

test("a task that runs past its time fails with error.code timeout, and costs nothing", async () => {
  const gateway = await startVideoGateway({ VIDEO_TIMEOUT_SECONDS: "2" });
  try {
    const { secret, accountId } = await gateway.customer();
    const id = await gateway.begin(secret, { ...turbo, prompt: "[stall]" });
    expect(await gateway.reach(secret, id, "failed")).toMatchObject({
      completed_at: null,
      error: { code: "timeout", message: expect.stringMatching(/./) },
    });
    expect(await gateway.balance(accountId)).toMatchObject({ frozen: 0n, used: 0n });
  } finally {
    await gateway.close();
  }
});
