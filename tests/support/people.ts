import { randomUUID } from "node:crypto";
import { Secret, TOTP } from "otpauth";
import {
  beginTotp,
  createAccount,
  createSignInLimiter,
  createUser,
  enableTotp,
  findSessionUser,
  type IdentityDeps,
  type SessionUser,
  signIn,
} from "@/server/access";
import type { AccountId } from "@/server/base/ids";
import { nanos } from "@/server/base/money";
import { createVault, type Vault } from "@/server/base/vault";
import { type Database, openDatabase } from "@/server/db";
import { freshDatabase } from "./database";

export const PASSWORD = "a password that is long";
const STEP_MS = 30_000;

type Proof = Parameters<typeof beginTotp>[2]["proof"];

type Person = { id: string; email: string; accountId: AccountId };

/** People who sign in, over a database of their own and with a clock that the test moves. */
export type People = {
  db: Database;
  close: () => Promise<void>;
  deps: IdentityDeps;
  vault: Vault;
  /** An owner of a new account. */
  newcomer: () => Promise<Person>;
  attempt: (person: Person, code?: string, password?: string) => ReturnType<typeof signIn>;
  enter: (person: Person, code?: string) => Promise<SessionUser>;
  isOpen: (session: SessionUser) => Promise<boolean>;
  /** The code that an authenticator shows `steps` steps from now. */
  codeOf: (secret: string, steps?: number) => string;
  later: (steps: number) => void;
  begin: (person: Person, proof?: Proof) => ReturnType<typeof beginTotp>;
  /** A user with a second factor, whose last code is of a step that is over. */
  guarded: () => Promise<{ person: Person; secret: string; codes: string[] }>;
};

export async function openPeople(): Promise<People> {
  const db = openDatabase(await freshDatabase());
  const vault = createVault("e".repeat(32));
  let now = new Date("2026-03-01T12:00:00Z");
  let hosts = 0;
  const deps = { attempts: createSignInLimiter(db), vault, clock: () => now, pepper: "p".repeat(32) };
  const newcomer = async () => {
    const account = await createAccount(db, { name: randomUUID(), monthlyQuotaNanos: nanos(0n) });
    const email = `${randomUUID()}@tollgate.test`;
    const { id } = await createUser(db, { accountId: account.id, email, password: PASSWORD });
    return { id, email, accountId: account.id };
  };
  const attempt: People["attempt"] = ({ email }, code, password = PASSWORD) => {
    // Each from a network of its own, so that only the e-mail's failures count together.
    const address = `10.${Math.trunc(hosts / 250)}.${hosts++ % 250}.1`;
    return signIn(db, deps, { email, password, code: code ?? null, address });
  };
  const codeOf = (secret: string, steps = 0) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now.getTime() + steps * STEP_MS });
  const later = (steps: number) => {
    now = new Date(now.getTime() + steps * STEP_MS);
  };
  const begin = (person: Person, proof: Proof = { password: PASSWORD }) =>
    beginTotp(db, deps, { userId: person.id, issuer: "Tollgate", proof });
  return {
    db,
    close: db.close,
    deps,
    vault,
    newcomer,
    attempt,
    enter: async (person, code) => {
      const result = await attempt(person, code);
      if (result.outcome !== "signed_in") {
        throw new Error(result.outcome);
      }
      return result.user;
    },
    isOpen: async ({ sessionId }) => (await findSessionUser(db, sessionId)) !== null,
    codeOf,
    later,
    begin,
    guarded: async () => {
      const person = await newcomer();
      const { secret } = await begin(person);
      const codes = await enableTotp(db, deps, { userId: person.id, code: codeOf(secret) });
      later(2);
      return { person, secret, codes };
    },
  };
}
