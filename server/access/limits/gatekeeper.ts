import { hash } from "node:crypto";
import { type Cache, createCache } from "@/server/base/cache";
import type { HeaderReader } from "@/server/base/client-request";
import type { Clock } from "@/server/base/clock";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere } from "@/server/base/eventual";
import type { Log } from "@/server/base/log";
import { createRecent } from "@/server/base/recent";
import type { Absence, Database } from "@/server/db";
import { relaxed } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import type { Pool } from "@/server/domain/shares";
import type { Caller, KnownKey } from "../caller";
import { looksLikeSecret, offeredSecrets, type Peppers, peppersOf } from "../keys/api-key";
import { plainAddress } from "../keys/cidr";
import { findKey, namesOf } from "../keys/find-key";
import { clientAddress, compileAllowList } from "../keys/ip-allow-list";
import { type ApiKey, getKey } from "../keys/keys";
import { createLastUsed } from "../keys/last-used";
import { findManager, type Manager, noteManager } from "../keys/management-keys";
import { removeOldSessions } from "../people/sessions";
import { createLiveCalls } from "./live-calls";
import { createRateLimiter, type OnFallback, type Reserved } from "./rate-limit";
import { recheckKey, type SwitchedOff, switchedOff } from "./recheck-key";

export type Gatekeeper = {
  /**
   * Finds the key that a request offers (spec section 5). Throws the 401 errors for a missing and for an unknown key.
   */
  identify: (headers: HeaderReader) => Eventual<KnownKey>;
  /**
   * Admits a key that may call now from that address, with the checks in the order of spec section 7. Throws the 401
   * for an expired key, and the 403 errors.
   */
  admit: (key: KnownKey, from: { address: string | null }) => Caller;
  /**
   * Checks that a key may still be used for earlier requests, without regard to the address, and returns the models
   * that it may call. Throws the 401 errors for a deleted or expired key, and the 403 errors for disabled ones.
   */
  recheckKey: (key: {
    accountId: AccountId;
    keyId: KeyId;
  }) => Promise<Pick<Caller, "models" | "cachesPrompts">>;
  /** Reads a key from the database. Throws Refusal if it is deleted. */
  lookAt: (key: { accountId: AccountId; keyId: KeyId }) => Promise<ApiKey>;
  /** Whether a request with this secret would be admitted now. Does not count as a use of the key. */
  wouldAdmit: (secret: string, from: { address: string | null }) => Promise<boolean>;
  /** The client address of a request. `peer`: the socket's address. null: unknown. */
  addressOf: (headers: HeaderReader, peer: string | null) => string | null;
  /** Whether this peer is a trusted proxy. */
  trusts: (peer: string) => boolean;
  /** Takes a slot for a call under way. Returns a function that frees it. Throws 429, and 503 if the server is full. */
  enter: (caller: Caller) => Eventual<() => void>;
  /** The number of calls under way in this process. */
  liveCalls: () => number;
  /**
   * Takes one call from the key's and from the account's limit per minute, if they have one. Returns the headers to
   * show. Throws 429.
   */
  limit: (caller: Caller) => Eventual<Record<string, string>>;
  /**
   * Reserves an estimated number of tokens from the account's limit per minute, if it has one. `settle` replaces the
   * estimate by the actual use after the call. null: the account has no such limit. Throws 429.
   */
  limitTokens: (caller: Caller, estimate: number) => Promise<Reserved> | null;
  /**
   * Takes one call from the limit per minute that every key has for videos (spec section 8), in addition to its own
   * limit. Returns and throws as `limit` does.
   */
  limitVideos: (caller: Caller, what: "submit" | "status") => Promise<Record<string, string>>;
  /**
   * Finds the management key that a request offers, and returns it with the headers of its limit per minute. Throws the
   * 401 errors for a missing, an unknown and an expired key, 403 if its account is disabled, and 429.
   */
  identifyManager: (
    headers: HeaderReader,
    from: { address: string | null },
  ) => Promise<{ manager: Manager; shown: Record<string, string> }>;
  /** Stores the last use and address of keys that were admitted since the last flush. */
  flushUses: () => Promise<void>;
  /** Deletes expired sessions. */
  tidySessions: () => Promise<void>;
  /** Clears the cache of keys. */
  forget: () => void;
  /** As of `createCache`. */
  doubt: () => void;
  /** Whether Redis answers; null: Redis is not configured. Does not throw. */
  askRedis: () => Promise<boolean> | null;
  close: () => void;
};

/**
 * Caches the hashed names of recent secrets under a plain hash. A keyed hash costs ten times as much, and the plain
 * hash of a secret that cannot be guessed reveals no more.
 */
function rememberNames(peppers: string[], max: number): (secret: string) => string {
  const cache = createRecent<string, string>(max);
  return (secret) => {
    const digest = hash("sha256", secret, "base64url");
    const names = cache.get(digest) ?? namesOf(secret, peppers);
    cache.set(digest, names);
    return names;
  };
}

/** Enough for a program that creates keys for its users, and a limit for a runaway script. */
const MANAGER_CALLS_PER_MINUTE = 600;

/** Why a key may not call from that address; null: it may. */
function whyRefused(
  key: KnownKey,
  { address, now }: { address: string | null; now: Date },
): SwitchedOff | "addressNotAllowed" | null {
  return switchedOff(key, now) ?? (key.allowList.allows(address) ? null : "addressNotAllowed");
}

/** Finds the key of a secret. A secret that was replaced by a rotation belongs to no key after its grace period. */
type KeyLookup = (secret: string) => Eventual<KnownKey | null>;

const lookIn =
  (keys: Cache<KnownKey | null>, names: (secret: string) => string, clock: Clock): KeyLookup =>
  (secret) =>
    whenHere(keys.get(names(secret)), (key) =>
      // Compare with the clock, because a cached row outlives the grace period.
      key === null || key.secretUntil === null || key.secretUntil > clock() ? key : null,
    );

/** The key of the first secret that has one. Throws the 401 for unknown secrets. */
function firstKey([secret, ...others]: readonly string[], look: KeyLookup): Eventual<KnownKey> {
  if (secret === undefined) {
    throw new GatewayError("invalidKey");
  }
  return whenHere(looksLikeSecret(secret) ? look(secret) : null, (key) => key ?? firstKey(others, look));
}

function findOffered(headers: HeaderReader, look: KeyLookup): Eventual<KnownKey> {
  // Some clients send several headers with our key in only one of them.
  const offered = offeredSecrets(headers);
  if (offered.length === 0) {
    throw new GatewayError("missingKey");
  }
  return firstKey(offered, look);
}

/** The headers of a caller without limits. */
const UNLIMITED: Record<string, string> = Object.freeze({});

/** For programs that do not name another number. */
const CACHED_KEYS = 20_000;

export function createGatekeeper(
  deps: Peppers & {
    db: Database;
    clock: Clock;
    trustedProxies: string[];
    redisUrl: string | undefined;
    /** Slots for concurrent calls. */
    places: Pool;
    /** The number of keys whose rows and hashed names are cached. */
    cachedKeys?: number;
    /** Called for each call that PostgreSQL counts because Redis does not answer. */
    onRedisFallback: OnFallback;
    log: Log;
    videosPerMinute: number;
    /** The moment up to which all changes are known, for the cache. */
    heardAt?: (() => number) | undefined;
    /** Absent: the process serves nothing while the database is away. */
    absence?: Pick<Absence, "mayServe" | "longestMs" | "look" | "unlessAway"> | null;
    /** Finds keys in place of the database. */
    keptKeys?: ((names: string) => Promise<KnownKey | null>) | undefined;
  },
): Gatekeeper {
  const { cachedKeys = CACHED_KEYS } = deps;
  // Notices keep the cache up to date (see `watchChanges`). The age only limits the effect of a half-dead connection.
  const keys = createCache(deps.keptKeys ?? ((names) => findKey(deps.db, names)), {
    maxAgeMs: 30_000,
    maxEntries: cachedKeys,
    heardAt: deps.heardAt,
    lastKnown: deps.absence,
  });
  const look = lookIn(keys, rememberNames(peppersOf(deps), cachedKeys), deps.clock);
  const trusted = deps.trustedProxies.length > 0 ? compileAllowList(deps.trustedProxies) : null;
  const limiter = createRateLimiter({
    redisUrl: deps.redisUrl,
    db: relaxed(deps.db),
    onFallback: deps.onRedisFallback,
    absence: deps.absence,
    onUnsettled: (error) => deps.log.warn({ err: error }, "tokens stay counted until their minute ends"),
  });

  const live = createLiveCalls(deps.places);
  const uses = createLastUsed(relaxed(deps.db));

  return {
    identify: (headers) => findOffered(headers, look),
    admit: (key, { address }) => {
      const now = deps.clock();
      const bar = whyRefused(key, { address, now });
      if (bar !== null) {
        throw new GatewayError(bar);
      }
      uses.note(key.keyId, { at: now, address });
      return key;
    },
    recheckKey: (key) => recheckKey(deps.db, key, deps.clock()),
    lookAt: (key) => getKey(deps.db, key),
    wouldAdmit: async (secret, { address }) => {
      const key = await look(secret);
      return key !== null && whyRefused(key, { address, now: deps.clock() }) === null;
    },
    trusts: (peer) => trusted?.allows(plainAddress(peer) ?? "") ?? false,
    addressOf: (headers, peer) => clientAddress(peer, headers.get("x-forwarded-for"), trusted),
    enter: live.enter,
    liveCalls: live.count,
    limit: ({ keyId, requestsPerMinute, accountId, account }) => {
      const take = (scope: "key" | "account", id: string, limit: number | null) =>
        limit === null ? UNLIMITED : limiter.take(id, limit, { "x-ratelimit-scope": scope });
      // A call that the key's own limit refuses must not count against the account.
      return whenHere(take("key", keyId, requestsPerMinute), (ofKey) =>
        whenHere(take("account", accountId, account.requestsPerMinute), (ofAccount) => ({
          ...ofAccount,
          ...ofKey,
        })),
      );
    },
    limitTokens: ({ accountId, account: { tokensPerMinute } }, amount) =>
      tokensPerMinute === null
        ? null
        : limiter.reserve(`tokens:${accountId}`, tokensPerMinute, {
            amount,
            more: { "x-ratelimit-scope": "account" },
          }),
    // The headers replace those of the other limits, so they name the scope.
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
    doubt: keys.doubt,
    askRedis: limiter.askRedis,
    close: limiter.close,
  };
}
