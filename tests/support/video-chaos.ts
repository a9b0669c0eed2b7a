import { sqlOf } from "@/server/db/handles";
import { pause, RECOVERS_MS } from "./faults";
import { postTo } from "./gateway";
import type { Ledger } from "./ledger";
import { until } from "./until";
import { offers, TIMEOUT_MS, type VideoFleet } from "./video-fleet";

/**
 * The vendor's behaviour for an order, by its prompt. Their number is no multiple of the vendors', so each vendor gets
 * each.
 */
const fates = [
  "",
  "[fault:failed]",
  "",
  "[fault:never]",
  "[fault:reply-lost]",
  "[fault:content-at-submit]",
  // Later than the time-out: the vendor bills it, and no account is charged.
  `[fault:ends-at=${(TIMEOUT_MS + 1_000) / 1_000}]`,
  "[fault:poll-500=1]",
  "",
  "[fault:502-taken]",
];

/** One order of a client. `key`: the order goes to every replica at once, and again until it is answered. */
export type ChaosOrder = { model: string; prompt: string; key: string | null };

/** `taskId` null: refused, or not answered (`status` null). */
type OrderAnswer = { order: ChaosOrder; status: number | null; taskId: string | null };

/** The result of a status query, and the moments of its start and answer. */
type Sight = { taskId: string; status: string; progress: number; askedAt: number; answeredAt: number };

export const draw = (round: string, count: number): ChaosOrder[] =>
  Array.from({ length: count }, (_, index) => ({
    model: offers[index % offers.length]?.model ?? "",
    prompt: `${round} order ${index} ${fates[index % fates.length]}`.trim(),
    key: index % 4 === 1 ? `${round} ${index}` : null,
  }));

/** The time that a killed server needs to come up again, with its database: clients wait for it. */
const RESTART_MS = 90_000;

export function clientOf(fleet: VideoFleet, secret: string) {
  const answers: OrderAnswer[] = [];
  const sights: Sight[] = [];

  const send = async (replica: number, order: ChaosOrder): Promise<OrderAnswer> => {
    try {
      const { key, model, prompt } = order;
      const headers: Record<string, string> = key === null ? {} : { "idempotency-key": key };
      const post = postTo(fleet.urlOf(replica));
      const response = await post(secret, "videos/generations", { model, prompt }, { headers });
      const body = (await response.json()) as { id?: string };
      return { order, status: response.status, taskId: response.status === 202 ? (body.id ?? null) : null };
    } catch {
      // The server died during the call.
      return { order, status: null, taskId: null };
    }
  };
  const record = (answer: OrderAnswer) => void answers.push(answer);
  const isAnswered = ({ status }: OrderAnswer) => status !== null && status < 500;

  const place = async (order: ChaosOrder, replica: number): Promise<void> => {
    if (order.key === null) {
      record(await send(replica, order));
      return;
    }
    let last: OrderAnswer[] = [];
    await until(async () => {
      last = await Promise.all([send(0, order), send(1, order)]);
      last.forEach(record);
      if (last.every(isAnswered)) {
        return true;
      }
      await pause(RECOVERS_MS);
      return false;
    }, RESTART_MS);
  };

  const look = async (replica: number): Promise<void> => {
    const taskIds = answers.flatMap(({ taskId }) => taskId ?? []);
    const taskId = taskIds[Math.floor(Math.random() * taskIds.length)];
    if (taskId === undefined) {
      return;
    }
    try {
      const url = `${fleet.urlOf(replica)}/v1/videos/generations/${taskId}`;
      const askedAt = performance.now();
      const response = await fetch(url, { headers: { "x-api-key": secret } });
      const body = (await response.json()) as { status?: string; progress?: number };
      if (response.status === 200) {
        const { status = "", progress = -1 } = body;
        sights.push({ taskId, status, progress, askedAt, answeredAt: performance.now() });
      }
    } catch {
      // The server died during the call.
    }
  };

  return {
    answers,
    sights,
    /** Sends one order every `paceMs`, to the replicas in turn; calls `strike` after `after` of them. */
    burst: async (orders: ChaosOrder[], { paceMs, after, strike }: Burst): Promise<void> => {
      const placed: Promise<void>[] = [];
      let striking: Promise<void> = Promise.resolve();
      for (const [index, order] of orders.entries()) {
        placed.push(place(order, index % 2));
        if (index === after) {
          striking = strike();
        }
        await pause(paceMs);
      }
      await Promise.all([...placed, striking]);
    },
    /** Asks every replica about a task a few times a second, until `stop`. */
    watch: (): { stop: () => Promise<void> } => {
      let isOver = false;
      const loops = [0, 1].map(async (replica) => {
        while (!isOver) {
          await look(replica);
          await pause(200);
        }
      });
      return {
        stop: async () => {
          isOver = true;
          await Promise.all(loops);
        },
      };
    },
  };
}

type Burst = { paceMs: number; after: number; strike: () => Promise<void> };

/** The longest time from a claim to the end of its poll. */
const LOOK_MS = 10_000;

/**
 * Lets the tasks of dead processes be taken up now, instead of after the minutes of their leases and of the search for
 * lost answers. Only tasks that no live process holds: no client waits for an answer any more, and a claimed task is
 * polled within this time, also on a slow machine, and also if the claim waited for the database to come back.
 */
export async function ageTheDead({ db }: Pick<Ledger, "db">): Promise<void> {
  const sql = sqlOf(db);
  const longAgo = new Date(Date.now() - LOOK_MS);
  await sql`
    update video_tasks set
      lease_until = null, next_poll_at = now(), submit_started_at = submit_started_at - interval '2 minutes'
    where state = 'submitting' and
      (next_poll_at > now() + interval '3 seconds' or submit_started_at > now() - interval '2 minutes')`;
  await sql`
    update video_tasks set lease_until = null, next_poll_at = now()
    where state = 'processing' and lease_until is not null and last_poll_at < ${longAgo}`;
}

/** Frozen money and the price of open tasks at one moment, in nano-units. */
export async function frozenAndOpen({ ledger }: VideoFleet, accountId: string) {
  const [row] = await sqlOf(ledger.db)<{ frozen: string; price: string; tasks: number }[]>`
    select
      (select coalesce(sum(frozen), 0)::text from account_months where account_id = ${accountId}) as frozen,
      coalesce(sum(price), 0)::text as price, count(*)::int as tasks
    from video_tasks where account_id = ${accountId} and state in ('submitting', 'processing')`;
  return row ?? { frozen: "", price: "", tasks: -1 };
}
