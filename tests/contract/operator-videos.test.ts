import { describe, expect, test } from "vitest";
import { commandsOn } from "@/tests/support/command";
import { perFile } from "@/tests/support/per-file";
import { refuseWith, sendJson, startUpstream } from "@/tests/support/upstream";
import { startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());
const upstream = perFile(() => startUpstream(refuseWith(404)));

// As the server has it: both take turns at one task.
const { run, json } = commandsOn(() => gateway.databaseUrl, { VIDEO_POLL_SECONDS: "1" });

const add = (...flags: string[]) => ["channel", "add", "--secret", "s", "--model", "m", ...flags];

describe("a channel for videos", () => {
  test("is added by its vendor's name, with a limit of open tasks", async () => {
    expect(
      await json(...add("--name", "wan", "--vendor", "dashscope-video", "--max-tasks", "4")),
    ).toMatchObject({
      dialect: "dashscope",
      base_url: "https://dashscope.aliyuncs.com",
      max_tasks: 4,
    });
    expect(await json(...add("--name", "seedance", "--vendor", "ark-video"))).toMatchObject({
      dialect: "ark",
      base_url: "https://ark.cn-beijing.volces.com/api/v3",
      max_tasks: null,
    });
  });

  test("with a limit that is none: exit 2, and the flag is named", async () => {
    const words = add("--name", "x", "--vendor", "dashscope-video", "--max-tasks", "0");
    expect(await run(...words)).toMatchObject({ code: 2, err: expect.stringContaining("--max-tasks") });
  });

  test.each(["openai-video", "dashscope", "ark", "xai-video"])(
    "of dialect %s is tested without buying a video",
    async (dialect) => {
      const flags = ["--name", dialect, "--dialect", dialect, "--base-url", upstream.baseUrl];
      await json(...add(...flags));
      upstream.answer(refuseWith(404));
      const before = upstream.asked.length;
      expect(await json("channel", "test", "--channel", dialect)).toMatchObject({
        ok: true,
        message: expect.stringContaining("no video was bought"),
      });
      expect(upstream.asked.slice(before).map(({ raw, headers }) => [raw, headers.authorization])).toEqual([
        ["", "Bearer s"],
      ]);
      upstream.answer(refuseWith(401, "your key is old"));
      expect(await run("channel", "test", "--channel", dialect)).toMatchObject({
        code: 1,
        err: expect.stringContaining("your key is old"),
      });
      upstream.answer((_asked, response) => sendJson(response, 200, { hello: "there" }));
      expect(await run("channel", "test", "--channel", dialect)).toMatchObject({ code: 1 });
    },
  );
});

describe("a channel of Kling", () => {
  const add = (secret: string) => [
    ...["channel", "add", "--name", "kling", "--vendor", "kling-intl", "--base-url", upstream.baseUrl],
    ...["--model", "kling-v2-6", "--secret", secret],
  ];

  test("wants both keys, and signs with them when it is tested", async () => {
    expect(await run(...add("access-key"))).toMatchObject({
      code: 1,
      err: expect.stringContaining("ACCESS:SECRET"),
    });
    await json(...add("access-key:secret-key"));
    upstream.answer((_asked, response) => sendJson(response, 404, { code: 1203, message: "no such task" }));
    expect(await json("channel", "test", "--channel", "kling")).toMatchObject({ ok: true });
    const { authorization } = upstream.asked.at(-1)?.headers ?? {};
    expect(authorization).toMatch(/^Bearer eyJ[\w-]+\.[\w-]+\.[\w-]+$/);
    upstream.answer((_asked, response) =>
      sendJson(response, 401, { code: 1002, message: `bad ${authorization} of access-key, secret-key` }),
    );
    const failed = await run("channel", "test", "--channel", "kling");
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining("1002 bad") });
    expect(failed.err).not.toMatch(/access-key|secret-key|eyJ/);
  });
});

describe("video tasks", () => {
  test("are listed newest first, of all accounts or of one", async () => {
    const [one, two] = [await gateway.customer(), await gateway.customer()];
    const first = await gateway.begin(one.secret, { ...turbo, prompt: "[stall]" });
    const second = await gateway.begin(two.secret, turbo);
    const third = await gateway.begin(one.secret, { ...turbo, prompt: "[stall]" });
    const ids = async (...flags: string[]) =>
      (await json<{ id: string }[]>("task", "list", ...flags)).map((task) => task.id);
    expect(await ids()).toEqual([third, second, first]);
    expect(await ids("--account", one.accountId)).toEqual([third, first]);
    expect(await ids("--limit", "1")).toEqual([third]);
    expect(await json("task", "list", "--account", two.accountId)).toMatchObject([
      {
        id: second,
        account: two.accountId,
        model: turbo.model,
        resolution: "720p",
        price: "0.05",
        error: null,
      },
    ]);
  });

  test("are cancelled at the upstream, which returns the money, once", async () => {
    const { secret, accountId } = await gateway.customer();
    const id = await gateway.begin(secret, { ...turbo, prompt: "[stall]" });
    expect(await gateway.balance(accountId)).toMatchObject({ frozen: 50_000_000n });
    expect(await json("task", "cancel", "--task", id)).toEqual({ id, outcome: "cancelled" });
    expect(await gateway.balance(accountId)).toMatchObject({ frozen: 0n, used: 0n });
    expect(await (await gateway.status(secret, id)).json()).toMatchObject({ status: "cancelled" });
    expect(await json("task", "cancel", "--task", id)).toEqual({ id, outcome: "cancelled" });
    expect(await json("ledger", "verify")).toEqual({ ok: true, drift: [] });
  });

  test("that have ended stay as they are: too late", async () => {
    const { secret } = await gateway.customer();
    const id = await gateway.begin(secret, { ...turbo, prompt: "[fail]" });
    await gateway.reach(secret, id, "failed");
    expect(await json("task", "cancel", "--task", id)).toEqual({ id, outcome: "too_late" });
  });

  test("that are none: exit 1 with the reason", async () => {
    expect(await run("task", "cancel", "--task", "task_nope")).toEqual({
      code: 1,
      out: "",
      err: 'there is no task "task_nope"\n',
    });
  });
});
