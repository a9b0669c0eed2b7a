import type { Sql } from "postgres";
import { describe, expect, test } from "vitest";
import { type Cancellation, CancellationSource } from "@/server/base/cancellation";
import { createLog } from "@/server/base/log";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { createIdempotentCalls } from "@/server/idempotency";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { perFile } from "@/tests/support/per-file";
import { expectRefused } from "@/tests/support/refusal";
import { sleep } from "@/tests/support/until";
import { branded } from "../support/branded";

type IdempotencyOptions = Partial<Parameters<typeof createIdempotentCalls>[0]>;
type KeptAnswer = Parameters<IdempotencyClaim["keep"]>[0];
type IdempotencyClaim = Extract<
  Awaited<ReturnType<ReturnType<typeof open>["claim"]>>,
  { claim: unknown }
>["claim"];

const link = perFile(async () => await linkTo(await freshDatabase()));
const db = perFile(async () => openFresh(link.directUrl));
const linked = perFile(async () => openFresh(link.url));
let serial = 0;

const sql = () => sqlOf(db) as Sql;
const never: Cancellation[] = [];

const open = (options: IdempotencyOptions = {}) =>
  createIdempotentCalls({ db, log: createLog("silent"), secrets: ["a secret"], waitMs: 300, ...options });

const newCall = () => ({
  accountId: branded<AccountId>(`acc_once_${serial++}`),
  keyId: branded<KeyId>("key_1"),
  key: "one",
  fingerprint: "f",
});
const withRequestId = (call: ReturnType<typeof newCall>) => ({ ...call, requestId: `req_${serial++}` });

const answer = (body: string): KeptAnswer => ({
  ...{ requestId: "req", model: "m", isStream: false },
  said: { status: 200, headers: { "x-a": "b" }, body },
});

async function takeClaim(
  room: ReturnType<typeof open>,
  call: ReturnType<typeof newCall>,
): Promise<IdempotencyClaim> {
  const outcome = await room.claim(withRequestId(call), never);
  if (!("claim" in outcome)) {
    throw new Error("it was answered before");
  }
  return outcome.claim;
}

describe("a call with an Idempotency-Key", () => {
  test("belongs to one process, however many ask at once", async () => {
    const call = newCall();
    const rooms = [open(), open()];
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => takeClaim(rooms[index % 2] ?? open(), call)),
    );
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const others = results.flatMap((each) => (each.status === "rejected" ? [each.reason.kind] : []));
    expect(new Set(others)).toEqual(new Set(["idempotencyInProgress"]));
  });

  test("is awaited no longer than the limit, and then refused with a time to retry", async () => {
    const call = newCall();
    await takeClaim(open(), call);
    const started = performance.now();
    await expect(open().claim(withRequestId(call), never)).rejects.toMatchObject({
      status: 409,
      slug: "idempotency_in_progress",
      headers: { "retry-after": "5" },
    });
    expect(performance.now() - started).toBeGreaterThanOrEqual(300);
  });

  test("stops waiting when its client hangs up", async () => {
    const call = newCall();
    await takeClaim(open(), call);
    const hangUp = new CancellationSource();
    const waiting = open({ waitMs: 60_000 }).claim(withRequestId(call), [hangUp]);
    const refused = expectRefused(waiting, "clientGone");
    await sleep(100);
    hangUp.cancel();
    await refused;
  });

  test("belongs to its process as long as that lives, and no longer", async () => {
    const call = newCall();
    const living = open({ leaseSeconds: 1 });
    await takeClaim(living, call);
    await sleep(2_500);
    await expectRefused(open().claim(withRequestId(call), never), "idempotencyInProgress");
    living.close();
    const second = await takeClaim(open({ waitMs: 5_000 }), call);
    await second.keep(answer("second"));
    expect(await open().claim(withRequestId(call), never)).toEqual({ kept: answer("second") });
  });

  test("that was taken over keeps the second process's answer, whatever the first does later", async () => {
    const call = newCall();
    const first = await takeClaim(open(), call);
    await sql()`update idempotent_calls set lease_until = now() where account_id = ${call.accountId}`;
    const second = await takeClaim(open(), call);
    await first.keep(answer("first"));
    await first.abandon();
    await second.keep(answer("second"));
    expect(await open().claim(withRequestId(call), never)).toEqual({ kept: answer("second") });
  });

  test("is answered as before while its secret is among the previous ones", async () => {
    const call = newCall();
    await (await takeClaim(open(), call)).keep(answer("kept"));
    const [renewed, lost] = [["a new one", "a secret"], ["a new one"]];
    expect(await open({ secrets: renewed }).claim(withRequestId(call), never)).toEqual({
      kept: answer("kept"),
    });
    await expectRefused(open({ secrets: lost }).claim(withRequestId(call), never), "idempotencyNotKept");
  });

  test("answers no other account, even if its answer is moved there", async () => {
    const [call, thief] = [newCall(), newCall()];
    await (await takeClaim(open(), call)).keep(answer("mine"));
    await (await takeClaim(open(), thief)).keep(answer("theirs"));
    await sql()`
      update idempotent_calls set answer = (
        select answer from idempotent_calls where account_id = ${call.accountId}
      ) where account_id = ${thief.accountId}`;
    await expectRefused(open().claim(withRequestId(thief), never), "idempotencyNotKept");
  });
});

test("a call whose answer cannot be written for longer than a lease stays its process's, because it was charged", async () => {
  const call = newCall();
  const room = open({ leaseSeconds: 1 });
  const claim = await takeClaim(room, call);
  await sql().unsafe(`
    create function refuse_answer() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
    create trigger refuse_answer before update on idempotent_calls for each row
      when (new.answer is not null) execute function refuse_answer()`);
  await claim.keep(answer("bought"));
  await sleep(2_500);
  await expectRefused(open().claim(withRequestId(call), never), "idempotencyInProgress");
  await sql().unsafe("drop trigger refuse_answer on idempotent_calls; drop function refuse_answer()");
  expect(await open({ waitMs: 5_000 }).claim(withRequestId(call), never)).toEqual({ kept: answer("bought") });
  room.close();
});

test("an answer that could not be written is written when the database is back", async () => {
  const call = newCall();
  const room = open({ db: linked, leaseSeconds: 2 });
  const claim = await takeClaim(room, call);
  link.cut();
  await claim.keep(answer("late"));
  link.mend();
  expect(await open({ waitMs: 10_000 }).claim(withRequestId(call), never)).toEqual({ kept: answer("late") });
  room.close();
});
