import { expect, test } from "vitest";
import {
  isResting,
  NO_COOLDOWNS,
  noteSuccess,
  restAfter,
  restingAccounts,
  restingCredentials,
} from "./credential-cooldowns";

const NOW = 1_000_000;
const after = (accounts: string[], status: number, cooldowns = NO_COOLDOWNS) =>
  accounts.reduce((rested, accountId) => {
    const fault = { reason: "refused" as const, status, retryAfterMs: null, message: String(status) };
    return restAfter(rested, { credential: 0, accountId, fault }, NOW);
  }, cooldowns);
const isRestingFor = (cooldowns: typeof NO_COOLDOWNS, accountId: string, credential = 0) =>
  isResting(cooldowns, { credential, accountId }, NOW);

test.each([402, 403, 429])(
  "a %i rests a credential for its account, and for all accounts after five",
  (status) => {
    const four = after(["a", "a", "a", "a", "a", "b", "c", "d"], status);
    expect(["a", "d", "z"].map((account) => isRestingFor(four, account))).toEqual([true, true, false]);
    expect([restingCredentials(four, NOW), restingAccounts(four, NOW)]).toEqual([[], ["a", "b", "c", "d"]]);
    const five = after(["e"], status, four);
    expect([isRestingFor(five, "z"), isRestingFor(five, "a", 1)]).toEqual([true, false]);
    expect(restingCredentials(five, NOW)).toMatchObject([{ index: 0 }]);
  },
);

test("a successful call of another account ends the count of refusals", () => {
  const four = noteSuccess(after(["a", "b", "c", "d"], 429), 0);
  expect(isRestingFor(after(["e"], 429, four), "z")).toBe(false);
});

test("a 401 rests the credential for all accounts, whichever account meets it", () => {
  const rested = after(["a"], 401);
  expect(isRestingFor(rested, "z")).toBe(true);
  expect(isResting(rested, { credential: 0, accountId: "z" }, NOW + 60_000)).toBe(false);
});
