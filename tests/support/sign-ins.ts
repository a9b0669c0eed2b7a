import { signIn } from "@/server/access";
import { listChanges } from "@/server/audit";
import { appRouter } from "@/server/console/root";
import type { AccountId } from "@/server/domain/ids";
import { contextFor } from "./console";
import type { TestGateway } from "./gateway";

export const tokenOf = (url: string) => new URL(url).hash.slice(1);

/** Sign-ins of users, and the last recorded change of an account. */
export function signIns(gateway: TestGateway) {
  return {
    setPassword: async (url: string, password: string) =>
      appRouter
        .createCaller(await contextFor(gateway, null))
        .links.setPassword({ token: tokenOf(url), password }),
    entered: async (email: string, password: string) => {
      const { db, identity } = gateway.runtime;
      const result = await signIn(db, identity, { email, password, address: null });
      if (result.outcome !== "signed_in") {
        throw new Error(result.outcome);
      }
      return result.user;
    },
    lastChange: async (accountId: AccountId) =>
      (await listChanges(gateway.runtime.db, { accountId }, { limit: 1 })).rows[0],
  };
}
