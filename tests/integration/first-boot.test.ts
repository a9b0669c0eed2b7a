import { expect, test } from "vitest";
import { firstBoot } from "@/server/first-boot";
import { startGateway } from "@/tests/support/gateway";

test("replicas that start at once on an empty database all come up, and one of them says the password", async () => {
  const gateway = await startGateway();
  try {
    const made = await Promise.all([1, 2, 3].map(() => firstBoot(gateway.runtime, () => {})));
    expect(made.filter((each) => each.adminPassword !== undefined)).toHaveLength(1);
    expect(await firstBoot(gateway.runtime, () => {})).toEqual({});
  } finally {
    await gateway.close();
  }
});
