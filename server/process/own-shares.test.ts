import fc from "fast-check";
import { expect, test } from "vitest";
import { gatewaysOf, loadConfig } from "@/server/base/config";
import type { PoolName, Shares, Want } from "@/server/base/shares";
import { createPools, gatewaysShares } from "./capacity";

const CAPACITY = 256;
const config = loadConfig({ MAX_CONCURRENT_CALLS: String(CAPACITY), WEB_CONCURRENCY: "2" });
const MEGABYTE = 1024 * 1024;

/** The gateways of one server (one where a system cannot share a port), and what was asked of what is common. */
function serverOf() {
  const pools = createPools(config);
  const asked: PoolName[] = [];
  const common = (name: PoolName) => ({
    take: async (want: Want) => {
      asked.push(name);
      return pools[name].take(want);
    },
    give: pools[name].give,
  });
  const shares: Shares = { calls: common("calls"), files: common("files"), bodies: common("bodies") };
  const one = gatewaysShares(config, shares);
  return { asked, gateways: [one, gatewaysOf(config) > 1 ? gatewaysShares(config, shares) : one] as const };
}

const wantOf = (account: string, amount = 1, most: number | null = null): Want => ({
  holder: { id: `key of ${account}`, most },
  account: { id: account, most: null },
  amount,
});

/** Takes again and again until it is refused. Answers how often it was not. */
async function takeAll({ calls }: Shares, want: () => Want): Promise<Want[]> {
  const taken: Want[] = [];
  for (;;) {
    const next = want();
    if (await calls.take(next)) {
      return taken;
    }
    taken.push(next);
  }
}

test("a call without limits of its own, and its small body, ask the parent nothing", async () => {
  const { asked, gateways } = serverOf();
  const [gateway] = gateways;
  const [place, bytes] = [wantOf("a"), wantOf("a", 2_000, 64 * MEGABYTE)];
  expect(await gateway.calls.take(place)).toBeNull();
  expect(await gateway.bodies.take(bytes)).toBeNull();
  gateway.calls.give(place);
  gateway.bodies.give(bytes);
  expect(asked).toEqual([]);
});

test("a limit and a large body are counted with those of the other processes", async () => {
  const { asked, gateways } = serverOf();
  const [one, other] = gateways;
  const limited = () => wantOf("a", 1, 3);
  expect(await takeAll(one, limited)).toHaveLength(3);
  expect(await takeAll(other, limited)).toHaveLength(0);
  expect(await one.bodies.take(wantOf("b", 40 * MEGABYTE, 64 * MEGABYTE))).toBeNull();
  expect(await other.bodies.take(wantOf("b", 40 * MEGABYTE, 64 * MEGABYTE))).toMatchObject({ by: "holder" });
  expect(new Set(asked)).toEqual(new Set(["calls", "bodies"]));
});

test("an account alone has half of all, and many accounts have all of it, by whichever process they come", async () => {
  const { gateways } = serverOf();
  const [one, other] = gateways;
  const alone = [await takeAll(one, () => wantOf("a")), await takeAll(other, () => wantOf("a"))];
  expect(alone.flat()).toHaveLength(CAPACITY / 2);
  let account = 0;
  const others = [
    await takeAll(one, () => wantOf(`b${account++}`)),
    await takeAll(other, () => wantOf(`b${account++}`)),
  ];
  expect(others.flat()).toHaveLength(CAPACITY / 2);
});

type Step =
  | { kind: "take"; gateway: 0 | 1; account: string; amount: number; most: number | null }
  | { kind: "give"; which: number };

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant("take" as const),
        gateway: fc.constantFrom(0 as const, 1 as const),
        account: fc.constantFrom("a", "b", "c"),
        amount: fc.constantFrom(1, 20, 60),
        most: fc.constantFrom(null, null, 25),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("give" as const), which: fc.nat() }) },
  ),
  { maxLength: 60 },
);

test("no more is taken than there is, no limit is passed, and all that was given back is there again", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const { gateways } = serverOf();
      const open: { gateway: Shares; want: Want }[] = [];
      for (const step of history) {
        if (step.kind === "take") {
          const gateway = gateways[step.gateway];
          const want = wantOf(step.account, step.amount, step.most);
          if ((await gateway.calls.take(want)) === null) {
            open.push({ gateway, want });
          }
        } else {
          const [given] = open.splice(step.which % Math.max(1, open.length), 1);
          given?.gateway.calls.give(given.want);
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
      const [one, other] = gateways;
      const alone = [await takeAll(one, () => wantOf("d")), await takeAll(other, () => wantOf("d"))];
      expect(alone.flat()).toHaveLength(CAPACITY / 2);
    }),
  );
});
