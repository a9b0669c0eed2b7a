import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { answerBytes, answerJson, sendJson, type UpstreamHandler } from "@/tests/support/upstream";
import { videoAdapters, videoDialects, videoSpec } from "@/tests/support/video-adapters";

const room = videoAdapters();
const { videosOf, targetOf } = room;

/** A port without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe.each(videoDialects)("%s", (dialect) => {
  const submit = (target = targetOf()) => videosOf(dialect).submit(target, videoSpec, "task-1");

  test("a submission that was never sent may go to another channel", async () => {
    const port = await closedPort();
    const unsent = { kind: "refused", fault: "channel" };
    expect(await submit(targetOf(`http://127.0.0.1:${port}/v1`))).toMatchObject(unsent);
    expect(await submit(targetOf("http://nowhere.invalid/v1"))).toMatchObject(unsent);
    expect(await submit(targetOf(room.upstream.baseUrl.replace("http:", "https:")))).toMatchObject(unsent);
    expect(await submit(targetOf(room.upstream.baseUrl, AbortSignal.abort()))).toMatchObject(unsent);
  });

  test("a submission whose deadline passes after it was sent is unknown", async () => {
    const deadline = new AbortController();
    room.upstream.answer(() => deadline.abort());
    expect(await submit(targetOf(room.upstream.baseUrl, deadline.signal))).toMatchObject({ kind: "unknown" });
  });

  test("an endless answer is read no further than a mebibyte", async () => {
    let written = 0;
    room.upstream.answer((_asked, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(256 * 1024, " ");
      const write = () => {
        written += chunk.length;
        if (!response.destroyed) {
          response.write(chunk, write);
        }
      };
      write();
    });
    expect(await videosOf(dialect).poll(targetOf(), "t")).toMatchObject({ kind: "transient" });
    expect(await submit()).toMatchObject({ kind: "unknown" });
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  test("a busy vendor's retry-after is passed on", async () => {
    room.upstream.answer(answerBytes(429, { "retry-after": "7" }));
    const polled = await videosOf(dialect).poll(targetOf(), "t");
    expect(polled).toMatchObject({ kind: "transient", retryAfterMs: 7_000 });
  });
});

describe("the submission on the wire", () => {
  const bearer = "Bearer sk-secret";
  const task_id = "t";
  // A signed token that does not contain the secret.
  const token = /^Bearer eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
  test.each([
    ["dashscope", "/api/v1/services/aigc/video-generation/video-synthesis", { output: { task_id } }, bearer],
    ["ark", "/api/v3/contents/generations/tasks", { id: "t" }, bearer],
    ["openai-video", "/v1/videos", { id: "t" }, bearer],
    ["xai-video", "/v1/videos/generations", { request_id: "t" }, bearer],
    ["kling", "/v1/videos/text2video", { code: 0, data: { task_id } }, token],
  ] as const)("%s", async (...[dialect, path, accepted, authorization]) => {
    room.upstream.answer(answerJson(accepted));
    const submitted = await videosOf(dialect).submit(targetOf(), videoSpec, "task-1");
    expect(submitted).toEqual({ kind: "accepted", ref: "t" });
    const call = room.upstream.requests.at(-1);
    expect(call?.path).toBe(path);
    expect(call?.headers.authorization).toMatch(authorization);
    expect(call?.headers["x-dashscope-async"]).toBe(dialect === "dashscope" ? "enable" : undefined);
  });
});

describe("Kling's tasks", () => {
  test("are polled by Kling's identifier, and lost ones are found by ours", async () => {
    const task_info = { external_task_id: "task-1" };
    const data = { task_id: "t", task_status: "processing", task_info };
    room.upstream.answer(answerJson({ code: 0, data }));
    const kling = videosOf("kling");
    expect(await kling.poll(targetOf(), "t")).toMatchObject({ kind: "processing" });
    const lost = { spec: videoSpec, taskId: "task-1", since: new Date() };
    expect(await kling.find?.(targetOf(), lost)).toBe("t");
    const paths = room.upstream.requests.slice(-2).map(({ path }) => path);
    expect(paths).toEqual(["/v1/videos/text2video/t", "/v1/videos/text2video/task-1"]);
  });
});

describe("cancelling", () => {
  const methods: string[] = [];
  const cancelling = (status: string): UpstreamHandler => {
    methods.length = 0;
    return (_asked, response, request) => {
      methods.push(request.method ?? "");
      sendJson(response, 200, request.method === "DELETE" ? {} : { id: "t", status });
    };
  };

  test.each([
    ["ark", "queued", "cancelled", ["GET", "DELETE"]],
    ["ark", "running", "too_late", ["GET"]],
    ["ark", "succeeded", "too_late", ["GET"]],
    ["openai-video", "queued", "cancelled", ["GET", "DELETE"]],
    ["openai-video", "in_progress", "too_late", ["GET"]],
    ["openai-video", "completed", "too_late", ["GET"]],
  ] as const)(
    "%s deletes only queued tasks: %s is %s",
    async (...[dialect, status, answer, expectedMethods]) => {
      room.upstream.answer(cancelling(status));
      expect(await videosOf(dialect).cancel?.(targetOf(), "t")).toBe(answer);
      expect(methods).toEqual(expectedMethods);
    },
  );

  test("calls DashScope at the task's own address", async () => {
    room.upstream.answer(answerJson({ request_id: "r" }));
    expect(await videosOf("dashscope").cancel?.(targetOf(), "t")).toBe("cancelled");
    expect(room.upstream.requests.at(-1)?.path).toBe("/api/v1/tasks/t/cancel");
  });
});

describe("DashScope's list", () => {
  const since = new Date(1_700_000_000_000);
  const row = (task_id: string, more: object = {}) => ({ task_id, gmt_create: since.getTime(), ...more });
  const find = async (rows: object[], usages: Record<string, object> = {}) => {
    room.upstream.answer(({ path }, response) => {
      const ref = decodeURIComponent(path.split("/").at(-1) ?? "");
      const output = { task_id: ref, task_status: "RUNNING", orig_prompt: videoSpec.prompt };
      sendJson(response, 200, path.includes("/tasks?") ? { data: rows } : { output, usage: usages[ref] });
    });
    return await videosOf("dashscope").find?.(targetOf(), { spec: videoSpec, taskId: "task-1", since });
  };

  test("tells two tasks of one prompt apart by their parameters, or not at all", async () => {
    const two = [row("one"), row("two")];
    expect(await find(two, { one: { video_duration: 10 } })).toBe("two");
    expect(await find(two, { two: { size: "1920*1080" } })).toBe("one");
    expect(await find([row("one", { duration: 10 }), row("two")])).toBe("two");
    expect(await find(two)).toBeNull();
    expect(await find(two, { one: { video_duration: 5, size: "1280*720" } })).toBeNull();
    expect(await find([row("one")], { one: { SR: 1080 } })).toBeNull();
  });

  test("finds a task by its encoded name, and none whose name cannot be requested", async () => {
    expect(await find([row("a/../b?c")])).toBe("a/../b?c");
    expect(room.upstream.requests.at(-1)?.path).toBe("/api/v1/tasks/a%2F..%2Fb%3Fc");
    for (const ref of ["..", ".", "", "a b", "x".repeat(513)]) {
      expect(await find([row(ref)])).toBeNull();
      expect(room.upstream.requests.at(-1)?.path).toContain("/tasks?");
    }
  });
});
