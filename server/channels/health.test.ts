import { expect, test } from "vitest";
import { UpstreamFault } from "@/server/upstream";
import { createHealth } from "./health";

const busy = () => new UpstreamFault("refused", "503 busy", { status: 503 });
const proxied = () => new UpstreamFault("refused", "504 too slow", { status: 504 });

test("a channel whose repeats go well is left open, however many first tries fail", async () => {
  const health = createHealth();
  for (let call = 0; call < 20; call++) {
    await expect(health.run("a", () => Promise.reject(busy()))).rejects.toThrow("503");
    health.noteOk({ credential: 0, accountId: "a" }, { hasRun: false });
  }
  expect(health.view().state).toBe("closed");
});

test("what timed out after the channel had recovered is no fault of now", async () => {
  const health = createHealth();
  const slow = Array.from({ length: 20 }, () => {
    let fail = () => {};
    const ended = new Promise<never>((_, reject) => {
      fail = () => reject(busy());
    });
    return { ended: health.run("a", () => ended).catch(() => {}), fail };
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await health.run("a", async () => {});
  for (const { fail, ended } of slow) {
    fail();
    await ended;
  }
  expect(health.view().state).toBe("closed");
  for (let call = 0; call < 5; call++) {
    await health.run("a", () => Promise.reject(busy())).catch(() => {});
  }
  expect(health.view().state).toBe("open");
});

test("one account whose prompts take too long for a proxy closes the channel to itself alone", async () => {
  const health = createHealth();
  for (let call = 0; call < 20; call++) {
    await health.run("a", () => Promise.reject(proxied())).catch(() => {});
  }
  expect(health.opensInMs("a")).not.toBeNull();
  expect(health.opensInMs("b")).toBeNull();
  expect(health.view()).toMatchObject({ state: "closed", accountsApart: 1 });
});
