import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { type Cache, createCache } from "@/server/base/cache";
import type { Clock } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Log } from "@/server/base/log";
import type { Pool } from "@/server/base/shares";
import type { Database } from "@/server/db";
import { relaxed } from "@/server/db/handles";
import { admitLater, type SwitchedOff, switchedOff } from "./admit-later";
import { looksLikeSecret, offeredSecrets, type Peppers, peppersOf } from "./api-key";
import type { Caller, KnownKey } from "./caller";
import { plainAddress } from "./cidr";
import { findKey, namesOf } from "./find-key";
import { clientAddress, compileAllowList } from "./ip-allow-list";
import { type ApiKey, getKey } from "./keys";
import { createLastUsed } from "./last-used";
import { createLiveCalls } from "./live-calls";
import { findManager, type Manager, noteManager } from "./management-keys";
import { createRateLimiter, type OnFallback, type Reserved } from "./rate-limit";
import { removeOldSessions } from "./sessions";

export type Gatekeeper = {
  /** The key that a request offers (spec section 5). Throws the 401s for none and for an unknown one. */
  identify: (headers: Headers) => Promise<KnownKey>;
  /**
   * Whether it may call now and from there, in the order of spec section 7. Throws the 401 for an expired one, and the
   * 403s.
   */
  admit: (key: KnownKey, from: { address: string | null }) => Caller;
  /**
   * Whether what a key has asked for may still be done in its name, from wherever it was asked; answers the models that
   * it may call. Throws the 401s of a key that is gone or expired, and the 403s of what is switched off.
   */
  admitLater: (key: {
    accountId: AccountId;
    keyId: KeyId;
  }) => Promise<Pick<Caller, "models" | "cachesPrompts">>;
  /** A key as it is in the database now. Throws Refusal where it is gone. */
  lookAt: (key: { accountId: AccountId; keyId: KeyId }) => Promise<ApiKey>;
  /** Whether a request with this secret would be admitted now. It is no use of the key. */
  wouldAdmit: (secret: string, from: { address: string | null }) => Promise<boolean>;
  /** Where a request comes from. `peer`: the socket's address. null: nobody knows. */
  addressOf: (headers: Headers, peer: string | null) => string | null;
  /** Whether this peer is a proxy that is believed. */
  trusts: (peer: string) => boolean;
  /**
   * A place for a call among those under way. Answers what gives it back. Throws 429, and the 503 of a full server.
   */
  enter: (caller: Caller) => Promise<() => void>;
  /** Calls under way in this process. */
  liveCalls: () => number;
  /**
   * One call out of the key's minute and one out of its account's, as far as they have such limits. Returns headers to
   * show; throws 429.
   */
  limit: (caller: Caller) => Promise<Record<string, string>>;
  /**
   * So many tokens, an estimate, out of the account's minute, as far as it has such a limit; what the call used is to
   * be settled when it has ended. Throws 429.
   */
  limitTokens: (caller: Caller, estimate: number) => Promise<Reserved>;
  /** One video out of the minute that every key has for these (spec section 8), beside its own. As `limit`. */
  limitVideos: (caller: Caller, what: "submit" | "status") => Promise<Record<string, string>>;
  /**
   * Whose management key a request offers, and headers to show of its minute. Throws the 401s for none, an unknown and
   * an expired one, 403 where its account is disabled, and 429.
   */
  identifyManager: (
    headers: Headers,
    from: { address: string | null },
  ) => Promise<{ manager: Manager; shown: Record<string, string> }>;
  /** Stores when and whence the keys were used that were admitted since. */
  flushUses: () => Promise<void>;
  /** Removes what is left of sessions that are too old. */
  tidySessions: () => Promise<void>;
  /** Forgets every cached key. */
  forget: () => void;
  /** Whether Redis answers; null: there is none. Does not throw. */
  askRedis: () => Promise<boolean> | null;
  close: () => void;
};

/** Keys whose rows and names are remembered. */
const MAX_KEYS = 20_000;

/**
 * The names of the secrets that were offered last, by a plain hash: a keyed one costs ten times as much, and that of a
 * secret that nobody can guess tells as little.
 */
function rememberNames(peppers: string[]): (secret: string) => string {
  const known = new LRUCache<string, string>({ max: MAX_KEYS });
  return (secret) => {
    const digest = hash("sha256", secret, "base64url");
    const names = known.get(digest) ?? namesOf(secret, peppers);
    known.set(digest, names);
    return names;
  };
}

/** Room for a program that makes keys for its users; a script that has run wild leaves others their turn. */
const MANAGER_CALLS_PER_MINUTE = 600;

/** Why a key may not call from there; null: it may. */
function barOf(
  key: KnownKey,
  { address, now }: { address: string | null; now: Date },
): SwitchedOff | "addressNotAllowed" | null {
  return switchedOff(key, now) ?? (key.allowList.allows(address) ? null : "addressNotAllowed");
}

/** Whose a secret is now. One that a rotation has replaced is of no key when its time is over. */
type Look = (secret: string) => Promise<KnownKey | null>;

const lookIn =
  (keys: Cache<KnownKey | null>, names: (secret: string) => string, clock: Clock): Look =>
  async (secret) => {
    const key = await keys.get(names(secret));
    // By the clock, for what is cached outlives the moment.
    return key === null || key.secretUntil === null || key.secretUntil > clock() ? key : null;
  };

async function findOffered(headers: Headers, look: Look): Promise<KnownKey> {
  const offered = offeredSecrets(headers);
  if (offered.length === 0) {
    throw new GatewayError("missingKey");
  }
  // Some clients send both headers and fill only one of them with our key.
  for (const secret of offered) {
    const key = looksLikeSecret(secret) ? await look(secret) : null;
    if (key) {
      return key;
    }
  }
  throw new GatewayError("invalidKey");
}

export function createGatekeeper(
  deps: Peppers & {
    db: Database;
    clock: Clock;
    trustedProxies: string[];
    redisUrl: string | undefined;
    /** For the calls that are served at a time. */
    places: Pool;
    /** Hears of each call that PostgreSQL counts because Redis does not. */
    onRedisFallback: OnFallback;
    log: Log;
    videosPerMinute: number;
    /** Of changes, as caches know it. */
    heardAt?: (() => number) | undefined;
  },
): Gatekeeper {
  // Notices keep it true (see `watchChanges`); the age only bounds what a half-dead connection could hide.
  const keys = createCache((names) => findKey(deps.db, names), {
    maxAgeMs: 30_000,
    maxEntries: MAX_KEYS,
    heardAt: deps.heardAt,
  });
  const look = lookIn(keys, rememberNames(peppersOf(deps)), deps.clock);
  const trusted = deps.trustedProxies.length > 0 ? compileAllowList(deps.trustedProxies) : null;
  const limiter = createRateLimiter({
    redisUrl: deps.redisUrl,
    db: relaxed(deps.db),
    onFallback: deps.onRedisFallback,
    onUnsettled: (error) => deps.log.warn({ err: error }, "tokens stay counted until their minute ends"),
  });

  const live = createLiveCalls(deps.places);
  const uses = createLastUsed(relaxed(deps.db));

  return {
    identify: (headers) => findOffered(headers, look),
    admit: (key, { address }) => {
      const now = deps.clock();
      const bar = barOf(key, { address, now });
      if (bar !== null) {
        throw new GatewayError(bar);
      }
      uses.note(key.keyId, { at: now, address });
      return key;
    },
    admitLater: (key) => admitLater(deps.db, key, deps.clock()),
    lookAt: (key) => getKey(deps.db, key),
    wouldAdmit: async (secret, { address }) => {
      const key = await look(secret);
      return key !== null && barOf(key, { address, now: deps.clock() }) === null;
    },
    trusts: (peer) => trusted?.allows(plainAddress(peer) ?? "") ?? false,
    addressOf: (headers, peer) => clientAddress(peer, headers.get("x-forwarded-for"), trusted),
    enter: live.enter,
    liveCalls: live.count,
    limit: async ({ keyId, requestsPerMinute, accountId, account }) => {
      const take = async (scope: "key" | "account", id: string, most: number | null) =>
        most === null ? {} : await limiter.take(id, most, { "x-ratelimit-scope": scope });
      // What a key's own limit refuses takes nothing from the others of its account.
      const ofKey = await take("key", keyId, requestsPerMinute);
      return { ...(await take("account", accountId, account.requestsPerMinute)), ...ofKey };
    },
    limitTokens: async ({ accountId, account: { tokensPerMinute } }, amount) =>
      tokensPerMinute === null
        ? { headers: {}, settle: async () => {} }
        : await limiter.reserve(`tokens:${accountId}`, tokensPerMinute, {
            amount,
            more: { "x-ratelimit-scope": "account" },
          }),
    // Shown in place of the other limits, and so with a scope of its own.
    limitVideos: ({ keyId }, what) =>
      limiter.take(`videos.${what}:${keyId}`, deps.videosPerMinute, { "x-ratelimit-scope": "key" }),
    identifyManager: async (headers, { address }) => {
      const manager = await findManager(deps.db, offeredSecrets(headers), {
        peppers: peppersOf(deps),
        now: deps.clock(),
      });
      const shown = await limiter.take(`manager:${manager.id}`, MANAGER_CALLS_PER_MINUTE);
      await noteManager(deps.db, manager.id, { at: deps.clock(), address });
      return { manager, shown };
    },
    flushUses: uses.flush,
    tidySessions: () => removeOldSessions(deps.db),
    forget: keys.forget,
    askRedis: limiter.askRedis,
    close: limiter.close,
  };
}
