import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { nanos } from "@/server/base/money";
import { madeUp } from "@/tests/support/made-up";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { createPendingCharges, describePendingCharge } from "./pending-charges";
import type { KeyCharge } from "./settlement";
import { createSettler } from "./settler";

const log = createLog("silent");
const directory = temporaryDirectory();

const charge: KeyCharge = {
  ...{ amount: nanos(40n), usage: null, source: null, prices: {}, keyId: madeUp("key_1"), modelId: "m" },
  channelId: madeUp("chn_1"),
};

test("more charges than may wait at once are all taken up from the disk by one process", async () => {
  const ids = Array.from({ length: 10_003 }, (_, index) => `req_${index}`);
  await Promise.all(
    ids.map((requestId) => {
      const text = describePendingCharge({
        requestId,
        accountId: madeUp("acc_1"),
        period: "2026-07",
        charge,
      });
      return writeFile(join(directory, `${requestId}.json`), text);
    }),
  );
  const counts: number[] = [];
  const arrears = createPendingCharges({
    directory,
    log,
    observe: () => {},
    onCount: (count) => counts.push(count),
  });
  const charged: string[] = [];
  const { collect } = createSettler({
    end: async ({ requestId }) => {
      charged.push(requestId);
      return "ended";
    },
    arrears,
    patienceMs: 1_000,
    log,
    observe: () => {},
  });
  await collect();
  expect(charged).toHaveLength(10_000);
  await collect();
  await arrears.written();
  expect(charged.toSorted()).toEqual(ids.toSorted());
  expect(await readdir(directory)).toEqual([]);
  expect([Math.max(...counts), counts.at(-1)]).toEqual([10_000, 0]);
  await collect();
  expect(charged).toHaveLength(10_003);
});
