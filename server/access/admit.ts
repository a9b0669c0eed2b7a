import { eq } from "drizzle-orm";
import { type Cache, createCache } from "@/server/cache";
import type { Clock } from "@/server/clock";
import { type Database, tables } from "@/server/db";
import { GatewayError } from "@/server/errors";
import { hashSecret, looksLikeSecret, offeredSecrets } from "./api-key";
import { type AllowList, clientAddress, compileAllowList } from "./ip-allow-list";
import { createRateLimiter } from "./rate-limit";

/** Who is calling. `headers` (rate limit state) belong on the response. */
export type Caller = { accountId: string; keyId: string; requestsPerMinute: number | null };

type KnownKey = Caller & {
  isEnabled: boolean;
  isAccountEnabled: boolean;
  expiresAt: Date | null;
  allowList: AllowList;
};

export type Gatekeeper = {
  /** Spec section 5, in the order of section 7. Throws the 401s and 403s. */
  admit: (headers: Headers, peer: string | null) => Promise<Caller>;
  /** One call out of the key's minute, if it has such a limit. Returns headers to show; throws 429. */
  limit: (caller: Caller) => Promise<Record<string, string>>;
  /** One video out of the minute that every key has for these (spec section 8), beside its own. As `limit`. */
  limitVideos: (caller: Caller, what: "submit" | "status") => Promise<Record<string, string>>;
  /** Forgets every cached key. */
  forget: () => void;
  close: () => void;
};

async function findKey(db: Database, hash: string): Promise<KnownKey | null> {
  const { accounts, apiKeys } = tables;
  const [row] = await db.orm
    .select({
      keyId: apiKeys.id,
      accountId: apiKeys.accountId,
      status: apiKeys.status,
      accountStatus: accounts.status,
      allowedIps: apiKeys.allowedIps,
      requestsPerMinute: apiKeys.requestsPerMinute,
      expiresAt: apiKeys.expiresAt,
      deletedAt: apiKeys.deletedAt,
    })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.hash, hash))
    .limit(1);
  if (!row || row.deletedAt) {
    return null;
  }
  return {
    keyId: row.keyId,
    accountId: row.accountId,
    requestsPerMinute: row.requestsPerMinute,
    isEnabled: row.status === "active",
    isAccountEnabled: row.accountStatus === "active",
    expiresAt: row.expiresAt,
    allowList: compileAllowList(row.allowedIps),
  };
}

async function findOffered(
  headers: Headers,
  pepper: string,
  keys: Cache<KnownKey | null>,
): Promise<KnownKey> {
  const offered = offeredSecrets(headers);
  if (offered.length === 0) {
    throw new GatewayError("missingKey");
  }
  // Some clients send both headers and fill only one of them with our key.
  for (const secret of offered) {
    const key = looksLikeSecret(secret) ? await keys.get(hashSecret(secret, pepper)) : null;
    if (key) {
      return key;
    }
  }
  throw new GatewayError("invalidKey");
}

export function createGatekeeper(deps: {
  db: Database;
  clock: Clock;
  pepper: string;
  trustedProxies: string[];
  redisUrl: string | undefined;
  videosPerMinute: number;
}): Gatekeeper {
  // Notices keep it true (see `watchChanges`); the age only bounds what a half-dead connection could hide.
  const keys = createCache((hash) => findKey(deps.db, hash), { maxAgeMs: 30_000, maxEntries: 20_000 });
  const trusted = deps.trustedProxies.length > 0 ? compileAllowList(deps.trustedProxies) : null;
  const limiter = createRateLimiter({ redisUrl: deps.redisUrl, sql: deps.db.relaxed });

  return {
    admit: async (headers, peer) => {
      const key = await findOffered(headers, deps.pepper, keys);
      if (key.expiresAt && key.expiresAt <= deps.clock()) {
        throw new GatewayError("expiredKey");
      }
      if (!key.isEnabled) {
        throw new GatewayError("keyDisabled");
      }
      if (!key.isAccountEnabled) {
        throw new GatewayError("accountDisabled");
      }
      if (!key.allowList.allows(clientAddress(peer, headers.get("x-forwarded-for"), trusted))) {
        throw new GatewayError("addressNotAllowed");
      }
      return key;
    },
    limit: async (caller) =>
      caller.requestsPerMinute === null ? {} : await limiter.take(caller.keyId, caller.requestsPerMinute),
    limitVideos: ({ keyId }, what) => limiter.take(`videos.${what}:${keyId}`, deps.videosPerMinute),
    forget: keys.forget,
    close: limiter.close,
  };
}
