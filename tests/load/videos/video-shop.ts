import { setTimeout as sleep } from "node:timers/promises";
import { nanos, parseMoney } from "@/server/base/money";
import { createVault } from "@/server/base/vault";
import { verifyLedger } from "@/server/billing";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { type Database, openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { SECRETS, type World } from "../world";
import type { Submitted } from "./video-queries";

/** A model of each vendor, and where the simulator has it. */
const offers = [
  { dialect: "dashscope", model: "wanx2.1-t2v-turbo", path: "/dashscope/api/v1" },
  { dialect: "ark", model: "doubao-seedance-1-5-pro-251215", path: "/ark/api/v3" },
  { dialect: "openai-video", model: "open-video", path: "/openai/v1" },
] as const;
const PRICE = parseMoney("1.25") ?? nanos(0n);
const SUBMITTERS = 16;
const SETTLE_DEADLINE_MS = 120_000;

/** What the books say of some tasks. Money in nano-units. */
export type Books = { completed: number; captures: number; captured: bigint; frozen: bigint; drifts: number };

/** Videos for sale, and the books that their sale goes into. */
export type VideoShop = {
  db: Database;
  submit: (urls: string[], order: { count: number; channels: number }) => Promise<Submitted[]>;
  books: (tasks: Submitted[]) => Promise<Books>;
  /** Waits until no task is open. Throws after two minutes. */
  untilSettled: () => Promise<void>;
};

export async function openShop(world: World, vendorUrl: string): Promise<VideoShop> {
  const db = openDatabase(world.databaseUrl, { connections: 1 });
  const vault = createVault(SECRETS.ENCRYPTION_KEY);
  for (const { dialect, model, path } of offers) {
    const videoPrices = [{ durationSeconds: 5, resolution: "720p" as const, price: PRICE }];
    await saveModel(db, { id: model, kind: "video", isEnabled: true, videoPrices });
    const target = { baseUrl: `${vendorUrl}${path}`, secrets: ["upstream-secret"] };
    const channel = { name: `videos ${dialect}`, dialect, ...target, models: { [model]: model } };
    await addChannel(db, { ...channel, maxTasks: 100_000 }, vault);
  }
  return { db, ...salesOf(db, world.secret) };
}

const salesOf = (db: Database, secret: string): Omit<VideoShop, "db"> => ({
  submit: async (urls, { count, channels }) => {
    const tasks: Submitted[] = [];
    let next = 0;
    const submitOne = async (number: number) => {
      const prompt = `${channels} channels, order ${number}`;
      const response = await fetch(`${urls[number % urls.length]}/v1/videos/generations`, {
        method: "POST",
        headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
        body: JSON.stringify({ model: offers[number % channels]?.model, prompt }),
      });
      const { id } = (await response.json()) as { id?: string };
      if (response.status !== 202 || id === undefined) {
        throw new Error(`a submission was answered ${response.status}`);
      }
      tasks.push({ id, prompt });
    };
    const submitter = async () => {
      while (next < count) {
        await submitOne(next++);
      }
    };
    await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
    return tasks;
  },
  books: async (tasks) => {
    const ids = tasks.map(({ id }) => id);
    const [row] = await sqlOf(db)<Record<"completed" | "captures" | "captured" | "frozen", string>[]>`
      select
        (select count(*) from video_tasks where id = any(${ids}) and state = 'completed') as completed,
        count(*) as captures, coalesce(sum(amount), 0)::text as captured,
        (select sum(frozen)::text from account_months) as frozen
      from ledger_entries where id = any(${ids}) and kind = 'capture'`;
    const drifts = await verifyLedger(db);
    return {
      completed: Number(row?.completed),
      captures: Number(row?.captures),
      captured: BigInt(row?.captured ?? -1),
      frozen: BigInt(row?.frozen ?? -1),
      drifts: drifts.length,
    };
  },
  untilSettled: async () => {
    const deadline = performance.now() + SETTLE_DEADLINE_MS;
    for (let open = 1; open > 0; ) {
      await sleep(100);
      const [row] = await sqlOf(db)<{ count: number }[]>`
        select count(*)::int as count from video_tasks where state in ('submitting', 'processing')`;
      open = row?.count ?? 0;
      if (performance.now() > deadline) {
        throw new Error(`${open} tasks are still open`);
      }
    }
  },
});

/** Throws unless each task was charged its price, once, and nothing else happened to anybody's money. */
export function checkBooks({ completed, captures, captured, frozen, drifts }: Books, count: number): void {
  const isRight =
    completed === count &&
    captures === count &&
    captured === PRICE * BigInt(count) &&
    frozen === 0n &&
    drifts === 0;
  if (!isRight) {
    throw new Error(
      `${completed} completed, ${captures} captures of ${captured}, ${frozen} frozen, ${drifts} drifts`,
    );
  }
}
