import { sqlOf } from "@/server/db/handles";
import type { VideoFleet } from "./video-fleet";
import type { Ledger as VendorLedger } from "./video-simulator/ledger";

/** A task's final row in the database. Money in nano-units, times in unix milliseconds. */
export type EndedTask = {
  id: string;
  prompt: string;
  state: string;
  errorCode: string | null;
  price: string;
  ref: string | null;
  /** When the database recorded that an upstream has the task. null: never. */
  acceptedAt: number | null;
  /** A search found it: the answer was lost, at its vendor or with the process that waited for it. */
  isFound: boolean;
  endedAt: number | null;
};

export async function tasksOf({ ledger }: VideoFleet, accountId: string): Promise<EndedTask[]> {
  return [
    ...(await sqlOf(ledger.db)<EndedTask[]>`
      select id, prompt, state, error_code as "errorCode", price::text, upstream_ref as ref,
        (select extract(epoch from min(at)) * 1000 from watched_moves
          where task_id = id and watched_moves.state = 'processing')::float as "acceptedAt",
        exists (select 1 from watched_moves
          where task_id = id and watched_moves.state = 'processing' and is_looked) as "isFound",
        (select extract(epoch from min(at)) * 1000 from watched_moves
          where task_id = id and watched_moves.state in ('completed', 'failed', 'cancelled'))::float as "endedAt"
      from video_tasks where account_id = ${accountId}`),
  ];
}

/** Idempotency-Keys of tasks that ended before any upstream had them: a client could never order with them again. */
export async function keysOfNothing({ ledger }: VideoFleet, accountId: string): Promise<string[]> {
  const rows = await sqlOf(ledger.db)<{ key: string }[]>`
    select key from video_idempotency left join video_tasks on id = task_id
    where video_idempotency.account_id = ${accountId} and upstream_ref is null`;
  return rows.map(({ key }) => key);
}

/**
 * A search for a lost answer polls every unclaimed task of the account. A search that is under way when a task is found
 * may poll that task once more, within this time.
 */
const SEARCH_TAIL_MS = 1_000;

/** The polls of a task since the gateway has known it: the debounce applies to these. */
function looksAt(task: EndedTask, vendor: VendorLedger) {
  const since = (task.acceptedAt ?? Number.POSITIVE_INFINITY) + (task.isFound ? SEARCH_TAIL_MS : 0);
  return task.ref === null ? [] : vendor.pollsOf(task.ref).filter((poll) => poll.wallAt >= since);
}

/** The unlawful requests to the vendors, as texts. */
export function offencesAtVendors(tasks: EndedTask[], vendor: VendorLedger, pollMs: number): string[] {
  const keyOf = new Map(vendor.creates().map(({ taskId, key }) => [taskId, key]));
  return tasks.flatMap((task) => {
    const looks = looksAt(task, vendor);
    const gaps = looks.slice(1).map((look, index) => look.wallAt - (looks[index]?.wallAt ?? 0));
    const shortest = Math.min(Number.POSITIVE_INFINITY, ...gaps);
    const late = looks.filter((look) => look.wallAt > Math.ceil(task.endedAt ?? Number.POSITIVE_INFINITY));
    const isOtherKey = looks.some((look) => look.key !== keyOf.get(task.ref ?? ""));
    return [
      ...(shortest < pollMs ? [`${task.prompt}: looked at twice within ${shortest} ms`] : []),
      ...(late.length > 0
        ? [`${task.prompt}: looked at after its end (${task.state}, ${task.errorCode})`]
        : []),
      ...(isOtherKey ? [`${task.prompt}: looked at with another key`] : []),
    ];
  });
}

/** The vendors' bills and the charges, in currency units; `unexplained`: charged, but not on the bill. */
export function compareBills(tasks: EndedTask[], vendor: VendorLedger, prefix: string) {
  const bills = vendor.billed().filter(({ prompt }) => prompt.startsWith(prefix));
  const charged = tasks.filter(({ state }) => state === "completed");
  const billedRefs = new Set(bills.map(({ taskId }) => taskId));
  const total = charged.reduce((sum, { price }) => sum + BigInt(price), 0n);
  return {
    billed: bills.reduce((sum, { amount }) => sum + amount, 0),
    charged: Number(total) / 1e9,
    total,
    unexplained: charged.filter(({ ref }) => !billedRefs.has(ref ?? "")),
  };
}
