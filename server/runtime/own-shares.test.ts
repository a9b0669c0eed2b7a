import fc from "fast-check";
import { expect, test } from "vitest";
import { loadConfig } from "@/server/base/config";
import { forEachPool, type PoolName, type Shares, type Want } from "@/server/domain/shares";
import { createBodyBudget } from "@/server/gateway/body/body-bytes";
import { createPools, gatewaysShares } from "./capacity";

const CAPACITY = 256;
const MEGABYTE = 1024 * 1024;
const PIECE = 64 * 1024;

/**
 * The first two gateways of one server. `onAsk`: called before each request to the common pools, which fails if it
 * throws.
 */
function serverOf({
  settings = { MAX_CONCURRENT_CALLS: String(CAPACITY) },
  gateways = 2,
  onAsk = () => {},
}: {
  settings?: Record<string, string>;
  gateways?: number;
  onAsk?: (pool: PoolName) => void;
} = {}) {
  const config = { ...loadConfig(settings), WEB_CONCURRENCY: gateways };
  const pools = createPools(config);
  const common: Shares = forEachPool((name) => ({
    take: async (want) => {
      onAsk(name);
      return pools[name].take(want);
    },
    give: pools[name].give,
  }));
  const gatewayShares = [gatewaysShares(config, common), gatewaysShares(config, common)] as const;
  const perHolder = config.BODY_MEGABYTES_PER_KEY * MEGABYTE;
  return {
    gateways: gatewayShares,
    budgets: gatewayShares.map(({ bodies }) => createBodyBudget(bodies, { perHolder })),
  };
}

const wantOf = (account: string, amount = 1, limit: number | null = null): Want => ({
  holder: { id: `key of ${account}`, most: limit },
  account: { id: account, most: null },
  amount,
});

/** Takes until the pool refuses. Returns the amounts taken. */
async function takeAll({ calls }: Shares, want: () => Want): Promise<Want[]> {
  const wants: Want[] = [];
  for (;;) {
    const next = want();
    if (await calls.take(next)) {
      return wants;
    }
    wants.push(next);
  }
}

test("a call without limits, and its small body, need no request to the parent", async () => {
  const pools: PoolName[] = [];
  const { gateways } = serverOf({ onAsk: (pool) => pools.push(pool) });
  const [gateway] = gateways;
  const [place, bytes] = [wantOf("a"), { ...wantOf("a", 2_000, 64 * MEGABYTE), isSmall: true }];
  expect(await gateway.calls.take(place)).toBeNull();
  expect(await gateway.bodies.take(bytes)).toBeNull();
  gateway.calls.give(place);
  gateway.bodies.give(bytes);
  expect(pools).toEqual([]);
});

test("limits and large bodies are counted across processes", async () => {
  const pools: PoolName[] = [];
  const { gateways } = serverOf({ onAsk: (pool) => pools.push(pool) });
  const [first, second] = gateways;
  const limited = () => wantOf("a", 1, 3);
  expect(await takeAll(first, limited)).toHaveLength(3);
  expect(await takeAll(second, limited)).toHaveLength(0);
  expect(await first.bodies.take(wantOf("b", 40 * MEGABYTE, 64 * MEGABYTE))).toBeNull();
  expect(await second.bodies.take(wantOf("b", 40 * MEGABYTE, 64 * MEGABYTE))).toMatchObject({ by: "holder" });
  expect(new Set(pools)).toEqual(new Set(["calls", "bodies"]));
});

/** The places that an account alone can have: of each gateway's part and of the common one it leaves a seventeenth. */
const ALONE = 2 * 60 + 120;

test("a single account gets nearly all places, and many accounts get the rest, in any process", async () => {
  const { gateways } = serverOf();
  const [first, second] = gateways;
  const alone = [await takeAll(first, () => wantOf("a")), await takeAll(second, () => wantOf("a"))];
  expect(alone.flat()).toHaveLength(ALONE);
  let account = 0;
  const others = [
    await takeAll(first, () => wantOf(`b${account++}`)),
    await takeAll(second, () => wantOf(`b${account++}`)),
  ];
  expect(others.flat()).toHaveLength(CAPACITY - ALONE);
});

test("accounts with a limit can use the gateways' own parts as well", async () => {
  const { gateways } = serverOf();
  const [first, second] = gateways;
  let account = 0;
  const limited = () => wantOf(`limited ${account++}`, 1, 3);
  expect([...(await takeAll(first, limited)), ...(await takeAll(second, limited))]).toHaveLength(CAPACITY);
});

test("a call beyond its limit, or without a parent, leaves no place taken", async () => {
  let isGone = false;
  const { gateways } = serverOf({
    onAsk: () => {
      if (isGone) {
        throw new Error("gone");
      }
    },
  });
  const [gateway] = gateways;
  const wants = await takeAll(gateway, () => wantOf("a", 1, 2));
  expect(await gateway.calls.take(wantOf("a", 1, 2))).toEqual({ by: "holder", hasSome: true });
  isGone = true;
  await expect(gateway.calls.take(wantOf("b", 1, 2))).rejects.toThrow("gone");
  isGone = false;
  wants.forEach(gateway.calls.give);
  let account = 0;
  // Its own part, and the whole common part.
  expect(await takeAll(gateway, () => wantOf(`c${account++}`))).toHaveLength(CAPACITY / 4 + CAPACITY / 2);
});

test.each([
  { megabytes: "64", gateways: 1 },
  { megabytes: "64", gateways: 4 },
  { megabytes: "128", gateways: 4 },
  { megabytes: "256", gateways: 4 },
])(
  "the largest body fits in pieces into $megabytes MB with $gateways gateways",
  async ({ megabytes, gateways }) => {
    const { budgets } = serverOf({ settings: { BODY_MEGABYTES: megabytes }, gateways });
    const bytes = budgets[0]?.open({ id: "key", accountId: "account" });
    for (let usedBytes = 0; usedBytes < 32 * MEGABYTE; usedBytes += PIECE) {
      await expect(bytes?.take(PIECE)).resolves.toBeUndefined();
    }
  },
);

test("the pieces of large bodies count against their key's bytes in every process", async () => {
  const { budgets } = serverOf({ settings: { BODY_MEGABYTES: "1024" } });
  let usedBytes = 0;
  for (const budget of budgets) {
    const bytes = budget.open({ id: "key", accountId: "account" });
    try {
      for (;;) {
        await bytes.take(PIECE);
        usedBytes += PIECE;
      }
    } catch (error) {
      expect(error).toMatchObject({ kind: "rateLimited" });
    }
  }
  expect(usedBytes).toBe(64 * MEGABYTE);
});

type ShareStep =
  | { kind: "take"; gateway: 0 | 1; account: string; amount: number; limit: number | null }
  | { kind: "give"; which: number };

const steps: fc.Arbitrary<ShareStep[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("take" as const),
        gateway: fc.constantFrom(0 as const, 1 as const),
        account: fc.constantFrom("a", "b", "c"),
        amount: fc.constantFrom(1, 20, 60),
        limit: fc.constantFrom(null, null, 25),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("give" as const), which: fc.nat() }) },
  ),
  { maxLength: 60 },
);

test("no more places are taken than exist, no limit is exceeded, and all returned places are free again", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const { gateways } = serverOf();
      const open: { gateway: Shares; want: Want }[] = [];
      for (const step of history) {
        if (step.kind === "take") {
          const gateway = gateways[step.gateway];
          const want = wantOf(step.account, step.amount, step.limit);
          if ((await gateway.calls.take(want)) === null) {
            open.push({ gateway, want });
          }
        } else {
          const [grant] = open.splice(step.which % Math.max(1, open.length), 1);
          grant?.gateway.calls.give(grant.want);
        }
        const sumOf = (some: typeof open) => some.reduce((sum, { want }) => sum + want.amount, 0);
        expect(sumOf(open)).toBeLessThanOrEqual(CAPACITY);
        for (const account of ["a", "b", "c"]) {
          const limited = open.filter(({ want }) => want.account.id === account && want.holder.most !== null);
          expect(sumOf(limited)).toBeLessThanOrEqual(25);
        }
      }
      for (const { gateway, want } of open) {
        gateway.calls.give(want);
      }
      const [first, second] = gateways;
      const alone = [await takeAll(first, () => wantOf("d")), await takeAll(second, () => wantOf("d"))];
      expect(alone.flat()).toHaveLength(ALONE);
    }),
  );
});
