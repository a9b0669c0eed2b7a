import { randomUUID } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import { afterAll, beforeAll } from "vitest";
import {
  beginTotp,
  createAccount,
  createSignInLimiter,
  createUser,
  enableTotp,
  findSessionUser,
  type IdentityDeps,
  redeemLink,
  type SessionUser,
  signIn,
} from "@/server/access";
import { nanos } from "@/server/base/money";
import { createVault } from "@/server/base/vault";
import { type Database, openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { freshDatabase } from "./database";

/** The default password of users. */
export const PASSWORD = "a password that is long";
export const NEXT = "another password, as long";
const STEP_MS = 30_000;

/** The code of an authenticator app at this time. */
export const codeAt = (secret: string, timestamp = Date.now()) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });

type More = Partial<Parameters<typeof createUser>[1]>;
type Proof = Parameters<typeof beginTotp>[2]["proof"];

/** Users for a file's tests, in their own database. The clock is the real one, or is stopped at `start`. */
export function userRoom(start?: Date) {
  let db: Database;
  let deps: IdentityDeps;
  let aheadMs = 0;
  const clock = () => new Date((start?.getTime() ?? Date.now()) + aheadMs);
  const vault = createVault("e".repeat(32));
  beforeAll(async () => {
    db = openDatabase(await freshDatabase());
    deps = { attempts: createSignInLimiter(db), vault, clock, pepper: "p".repeat(32) };
  });
  afterAll(() => db.close());

  let hosts = 0;
  /** Another network for each attempt, because guesses are counted for each network. */
  const address = () => `10.${Math.trunc(hosts / 250)}.${hosts++ % 250}.1`;

  /** An operator, unless `more` names an account. */
  const newUser = (more: More = {}) =>
    createUser(db, { accountId: null, email: `${randomUUID()}@tollgate.test`, password: PASSWORD, ...more });
  const owner = async (more: More = {}) => {
    const account = await createAccount(db, { name: randomUUID(), monthlyQuotaNanos: nanos(0n) });
    return { ...(await newUser({ accountId: account.id, ...more })), accountId: account.id };
  };

  const attempt = (email: string, code?: string, password = PASSWORD) =>
    signIn(db, deps, { email, password, code: code ?? null, address: address() });

  /** The code of an authenticator app `steps` steps from now. */
  const codeOf = (secret: string, steps = 0) => codeAt(secret, clock().getTime() + steps * STEP_MS);
  const later = (steps: number) => {
    aheadMs += steps * STEP_MS;
  };
  const begin = ({ id: userId }: { id: string }, proof: Proof = { password: PASSWORD }) =>
    beginTotp(db, deps, { userId, issuer: "Tollgate", proof });

  return {
    get db() {
      return db;
    },
    get deps() {
      return deps;
    },
    waiters: async () =>
      (
        await sqlOf(db)`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      ).length,
    ...{ vault, address, newUser, owner, attempt },
    enter: async (email: string, code?: string, password = PASSWORD): Promise<SessionUser> => {
      const result = await attempt(email, code, password);
      if (result.outcome !== "signed_in") {
        throw new Error(result.outcome);
      }
      return result.user;
    },
    isOpen: async ({ sessionId }: { sessionId: string }) => (await findSessionUser(db, sessionId)) !== null,
    redeem: (token: string, password = NEXT, from = address()) =>
      redeemLink(db, deps, { token, password, address: from }),
    codeOf,
    later,
    begin,
    /** An owner with a second factor, whose last code belongs to a past step. */
    ownerWithTotp: async () => {
      const person = await owner();
      const { secret } = await begin(person);
      const codes = await enableTotp(db, deps, { userId: person.id, code: codeOf(secret) });
      later(2);
      return { person, secret, codes };
    },
  };
}
