import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import {
  createAccount,
  createSignInLimiter,
  createUser,
  findSessionUser,
  type IdentityDeps,
  redeemLink,
  signIn,
} from "@/server/access";
import { nanos } from "@/server/base/money";
import { createVault } from "@/server/base/vault";
import { type Database, openDatabase } from "@/server/db";
import { freshDatabase } from "./database";

/** What a user signs in with, unless a test says otherwise. */
export const PASSWORD = "a password that is long";
/** What a user sets by a link. */
export const NEXT = "another password, as long";

type More = Partial<Parameters<typeof createUser>[1]>;

/** Users of a file's tests, over a database of their own, by the real clock. */
export function userRoom() {
  let db: Database;
  let deps: IdentityDeps;
  beforeAll(async () => {
    db = openDatabase(await freshDatabase());
    const vault = createVault("e".repeat(32));
    deps = { attempts: createSignInLimiter(db), vault, clock: () => new Date(), pepper: "p".repeat(32) };
  });
  afterAll(() => db.close());

  let hosts = 0;
  /** A network of its own for each attempt, because guesses are counted a network. */
  const address = () => `10.${Math.trunc(hosts / 250)}.${hosts++ % 250}.1`;

  /** An operator, unless `more` names an account. */
  const someone = (more: More = {}) =>
    createUser(db, {
      accountId: null,
      email: `${randomUUID()}@tollgate.test`,
      password: PASSWORD,
      ...more,
    });

  const attempt = (email: string, password = PASSWORD) =>
    signIn(db, deps, { email, password, address: address() });

  return {
    get db() {
      return db;
    },
    get deps() {
      return deps;
    },
    address,
    someone,
    /** An owner of a new account. */
    owner: async (more: More = {}) => {
      const account = await createAccount(db, { name: randomUUID(), monthlyQuotaNanos: nanos(0n) });
      return await someone({ accountId: account.id, ...more });
    },
    attempt,
    /** Signs in: the session's id. */
    enter: async (email: string, password = PASSWORD): Promise<string> => {
      const result = await attempt(email, password);
      if (result.outcome !== "signed_in") {
        throw new Error(result.outcome);
      }
      return result.user.sessionId;
    },
    isOpen: async (sessionId: string) => (await findSessionUser(db, sessionId)) !== null,
    redeem: (token: string, password = NEXT, from = address()) =>
      redeemLink(db, deps, { token, password, address: from }),
  };
}
