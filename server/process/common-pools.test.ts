import fc from "fast-check";
import { expect, test } from "vitest";
import { loadConfig } from "@/server/base/config";
import { createPool, type Want } from "@/server/domain/shares";
import { createCommonPools } from "./common-pools";

const CAPACITY = 12;
const config = loadConfig({ MAX_CONCURRENT_CALLS: String(CAPACITY) });

const anyWant: fc.Arbitrary<Want> = fc.record({
  holder: fc.record({ id: fc.constantFrom("key-a", "key-b"), most: fc.constantFrom(null, 2, 5) }),
  account: fc.record({ id: fc.constantFrom("acc-a", "acc-b", "acc-c"), most: fc.constantFrom(null, 3, 8) }),
  amount: fc.constantFrom(1, 1, 1, 4),
});
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant("take" as const), who: fc.nat(3), want: anyWant }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("give" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("end" as const), who: fc.nat(3) }) },
  ),
  { maxLength: 60 },
);

test("several processes get exactly the places that one process would get, and a dead one's places become free", () => {
  fc.assert(
    fc.property(steps, (history) => {
      const common = createCommonPools(config);
      const pool = createPool(CAPACITY);
      let open: { who: string; want: Want }[] = [];
      for (const step of history) {
        if (step.kind === "take") {
          const who = `gateway-${step.who}`;
          const refused = common.take(who, { pool: "calls", want: step.want });
          expect(refused).toEqual(pool.take(step.want));
          if (refused === null) {
            open.push({ who, want: step.want });
          }
        } else if (step.kind === "give") {
          const [grant] = open.splice(step.which % Math.max(1, open.length), 1);
          if (grant) {
            common.give(grant.who, { pool: "calls", want: grant.want });
            pool.give(grant.want);
          }
        } else {
          const dead = `gateway-${step.who}`;
          common.end(dead);
          for (const { want } of open.filter(({ who }) => who === dead)) {
            pool.give(want);
          }
          open = open.filter(({ who }) => who !== dead);
        }
        expect(open.reduce((sum, { want }) => sum + want.amount, 0)).toBeLessThanOrEqual(CAPACITY);
      }
    }),
  );
});
