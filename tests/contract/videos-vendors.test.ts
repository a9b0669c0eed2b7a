import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import {
  STEP_MS,
  startVendorGateway,
  type TaskEnding,
  type VideoVendor,
  vendors,
} from "@/tests/support/video-vendors";

const PRICE = 500_000_000n;
const POLL_MS = 15_000;

const gateway = perFile(() => startVendorGateway());

/** The laws that hold whatever the vendor does. */
async function expectLawful(
  vendor: VideoVendor,
  prompt: string,
  { outcome, accountId }: TaskEnding,
): Promise<void> {
  const isPaid = outcome === "completed";
  expect(await gateway.balance(accountId)).toMatchObject({ used: isPaid ? PRICE : 0n, frozen: 0n });
  expect((await gateway.entries(accountId)).map(({ kind }) => kind)).toEqual([
    isPaid ? "capture" : "release",
  ]);
  expect(await gateway.verify()).toEqual([]);

  const creates = gateway.simulator.ledger.creates().filter((create) => create.prompt === prompt);
  expect(creates.length, "upstream tasks").toBeLessThanOrEqual(1);
  expect(
    creates.every(
      ({ dialect, seconds, resolution }) => `${dialect} ${seconds} ${resolution}` === `${vendor} 5 720p`,
    ),
  ).toBe(true);
  const ends = sqlOf(gateway.runtime.db)<{ endedAt: Date; ref: string | null }[]>`
    select ended_at as "endedAt", upstream_ref as ref from video_tasks where account_id = ${accountId}`;
  const [task] = await ends;
  const polls = gateway.simulator.ledger.pollsOf(task?.ref ?? "");
  const times = polls.map(({ at }) => at);
  expect(
    times.filter((at) => at > (task?.endedAt.getTime() ?? 0)),
    "looks after the end",
  ).toEqual([]);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(Math.min(Number.POSITIVE_INFINITY, ...gaps)).toBeGreaterThanOrEqual(POLL_MS);
}

/** One outcome for all vendors, or the outcomes of those that differ. */
type FaultOutcome = string | Partial<Record<VideoVendor, string>>;
/** Only DashScope lists its tasks, so only there is the task of a lost answer found again. */
const lost: FaultOutcome = {
  dashscope: "completed",
  ark: "failed submit_unknown",
  "openai-video": "failed submit_unknown",
};

const outcomes: [fault: string, made: 0 | 1, outcome: FaultOutcome][] = [
  // litellm#21907: settled once, and not polled again.
  ["", 1, "completed"],
  // Faults at the submission.
  ["content-at-submit", 0, "400"],
  ["submit-500", 0, "502"],
  ["503", 0, "502"],
  ["429", 0, "502"],
  ["submit-arrears", 0, "502"],
  ["submit-key-revoked", 0, "502"],
  ["502", 0, "failed submit_unknown"],
  ["504", 0, "failed submit_unknown"],
  // An HTML page does not answer an order.
  ["html", 0, "502"],
  ["reset-before", 0, "failed submit_unknown"],
  ["502-taken", 1, lost],
  ["reply-lost", 1, lost],
  ["reset-mid-reply", 1, lost],
  ["truncated-json", 1, lost],
  ["empty-202", 1, lost],
  ["huge-body", 1, lost],
  ["slow-headers", 1, "completed"],
  // The id of the previous task.
  ["duplicate-id", 1, lost],
  // Later faults. new-api#2050, bottube#1535, modelstudioai/cli#184: a task that fails upstream costs nothing and shows
  // why.
  ["failed", 1, "failed upstream_error"],
  ["failed-bare", 1, "failed upstream_error"],
  ["content-later", 1, "failed content_policy"],
  ["cancelled", 1, "cancelled"],
  [
    "expired",
    1,
    {
      dashscope: "failed upstream_task_lost",
      ark: "failed upstream_expired",
      "openai-video": "failed upstream_expired",
    },
  ],
  ["no-url=2", 1, "completed"],
  ["no-url", 1, "failed upstream_bad_result"],
  ["odd-state", 1, "completed"],
  ["regress", 1, "completed"],
  ["never", 1, "failed timeout"],
  ["ends-at=570", 1, "completed"],
  ["ends-at=720", 1, "failed timeout"],
  ["poll-429=2", 1, "completed"],
  ["poll-500=2", 1, "completed"],
  ["poll-502=2", 1, "completed"],
  ["poll-html=2", 1, "completed"],
  ["poll-truncated-json=2", 1, "completed"],
  ["poll-empty-202=2", 1, "completed"],
  ["poll-huge-body=2", 1, "completed"],
  ["poll-reset-before=2", 1, "completed"],
  ["poll-reset-mid-reply=2", 1, "completed"],
  ["arrears=2", 1, "completed"],
  ["key-revoked=2", 1, "completed"],
  ["wrong-id-echo=2", 1, "completed"],
  ["unknown-task=2", 1, "completed"],
  ["unknown-task", 1, "failed upstream_task_lost"],
  ["key-revoked", 1, "failed timeout"],
];

/** The cancellations that vendors got for two tasks at their deadline. DashScope itself says that a task runs. */
const cancels: Record<VideoVendor, string[]> = {
  dashscope: ["cancelled", "tooLate"],
  ark: ["cancelled"],
  "openai-video": ["forgotten"],
};

describe.each(vendors)("%s", (vendor) => {
  test.each(outcomes)("[fault:%s]: %i upstream task, %o", async (fault, made, outcome) => {
    const prompt = `a cat for ${vendor}${fault && ` [fault:${fault}]`}`;
    const ending = await gateway.run(vendor, prompt);
    expect(ending.outcome).toBe(typeof outcome === "string" ? outcome : outcome[vendor]);
    expect(gateway.simulator.ledger.creates().filter((create) => create.prompt === prompt)).toHaveLength(
      made,
    );
    await expectLawful(vendor, prompt, ending);
  });

  test("a completed video can be downloaded whole by its owner", async () => {
    const { body, secret } = await gateway.run(vendor, `a dog for ${vendor}`);
    const url = String(body?.video_url);
    const own = url.startsWith(gateway.url) ? { "x-api-key": secret } : undefined;
    const file = await fetch(url, own && { headers: own });
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "video/mp4"]);
    expect((await file.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  });

  test("a task past its deadline leaves the vendor's queue, and is left alone once it runs", async () => {
    const cancelled = () => gateway.simulator.ledger.cancels().map(({ outcome }) => outcome);
    const before = cancelled().length;
    gateway.mood.places = 0;
    const waiting = await gateway.run(vendor, `a bird that waits for ${vendor}`);
    gateway.mood.places = 1_000;
    const running = await gateway.run(vendor, `a bird for ${vendor} [fault:never]`);
    expect([waiting.outcome, running.outcome]).toEqual(["failed timeout", "failed timeout"]);
    expect(cancelled().slice(before)).toEqual(cancels[vendor]);
  });
});

test("a slow search counts as a poll: the next poll keeps its distance from the search's end", async () => {
  const { secret, accountId } = await gateway.customer();
  const { id } = await gateway.submit("dashscope", "a slow cat [fault:reply-lost]", secret);
  gateway.mood.lookMs = 5_000;
  await gateway.pass(STEP_MS);
  const stateOf = async () => (await gateway.runtime.videos.list({ accountId }, { limit: 1 })).rows[0]?.state;
  await eventually(stateOf).toBe("processing");
  gateway.mood.lookMs = 0;
  const { polls } = gateway.simulator.ledger;
  const before = polls().length;
  await gateway.pass(POLL_MS - 1_000);
  await gateway.look(secret, id);
  expect(polls()).toHaveLength(before);
  await gateway.pass(1_000);
  await gateway.look(secret, id);
  await eventually(() => polls().length).toBe(before + 1);
});

test("no vendor was polled with another key, or billed twice for one prompt", () => {
  expect(gateway.simulator.ledger.pollsWithOtherKey()).toEqual([]);
  expect(gateway.simulator.ledger.promptsMadeTwice()).toEqual([]);
});
