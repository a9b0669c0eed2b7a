import { expect, test } from "vitest";
import { UpstreamFault } from "@/server/upstream";
import { createHealth } from "./health";

const refused = (status: number) => new UpstreamFault("refused", String(status), { status });
const isRestingFor = (health: ReturnType<typeof createHealth>, accountId: string) =>
  health.isResting(0, accountId);

test.each([402, 403, 429])("a %i rests a credential toward its account, toward all after five", (status) => {
  const health = createHealth();
  for (const account of ["a", "a", "a", "a", "a", "b", "c", "d"]) {
    health.noteFault({ credential: 0, accountId: account }, refused(status));
  }
  expect(["a", "d", "z"].map((account) => isRestingFor(health, account))).toEqual([true, true, false]);
  expect(health.view()).toMatchObject({ restingCredentials: [], accountsApart: 4 });
  health.noteFault({ credential: 0, accountId: "e" }, refused(status));
  expect(isRestingFor(health, "z")).toBe(true);
  expect(health.isResting(1, "a")).toBe(false);
  expect(health.view().restingCredentials).toMatchObject([{ index: 0 }]);
});

test("a good call of another account says that the credential is well", () => {
  const health = createHealth();
  for (const account of ["a", "b", "c", "d"]) {
    health.noteFault({ credential: 0, accountId: account }, refused(429));
  }
  health.noteOk({ credential: 0, accountId: "z" }, { hasRun: false });
  health.noteFault({ credential: 0, accountId: "e" }, refused(429));
  expect(isRestingFor(health, "z")).toBe(false);
});

test("a 401 is the credential's own, whoever meets it", () => {
  const health = createHealth();
  health.noteFault({ credential: 0, accountId: "a" }, refused(401));
  expect(isRestingFor(health, "z")).toBe(true);
});
