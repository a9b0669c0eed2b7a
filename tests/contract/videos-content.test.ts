import { once } from "node:events";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { GET } from "@/app/v1/videos/generations/[taskId]/content/route";
import { gatewayRoute } from "@/server/process/endpoints";
import { collectUnheld } from "@/tests/support/collect-garbage";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { withoutFront } from "@/tests/support/plain-next";
import {
  answerBytes,
  answerJson,
  sendJson,
  startUpstream,
  type UpstreamHandler,
} from "@/tests/support/upstream";
import { type Json, oneVideoPrice, startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());
const upstream = perFile(() => startUpstream(answerJson({})));
const film = readFileSync("server/upstream/videos/sandbox-720p.mp4");
const owner = perFile(() => gateway.customer());
/** A completed task of the sandbox, and the address of its video. */
let taskId: string;
let videoUrl: string;

beforeAll(async () => {
  taskId = await gateway.begin(owner.secret, turbo);
  videoUrl = String((await gateway.reach(owner.secret, taskId, "completed")).video_url);
});
/** Its vendor numbers the tasks of every model alike, so each model has its own vendor. */
const ownBaseUrl = (model: string) => upstream.baseUrl.replace("/v1", `/${model}/v1`);

const codeOf = async (response: Response) => ((await response.json()) as Json).code;
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const contentUrl = (id: string) => `${gateway.url}/v1/videos/generations/${id}/content`;
const withKey = (secret: string) => ({ headers: { "x-api-key": secret } });

describe("a video that the gateway serves", () => {
  test("is downloaded whole from its address without a key", async () => {
    const response = await fetch(videoUrl);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("video/mp4");
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect(response.headers.get("content-length")).toBe(String(film.length));
    expect((await bytesOf(response)).equals(film)).toBe(true);
  });

  test("is downloaded in parts", async () => {
    const response = await fetch(videoUrl, { headers: { range: "bytes=1000-1999" } });
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(`bytes 1000-1999/${film.length}`);
    expect((await bytesOf(response)).equals(film.subarray(1_000, 2_000))).toBe(true);
  });

  test("answers HEAD with its size and no body", async () => {
    const response = await fetch(videoUrl, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(film.length));
    expect(await response.text()).toBe("");
  });

  test("returns its place after HEAD under plain next start, which handles it like GET and reads no body", async () => {
    withoutFront();
    const { liveCalls } = gateway.runtime.access;
    const before = liveCalls();
    for (let calls = 0; calls < 3; calls++) {
      const request = new Request(contentUrl(taskId), { ...withKey(owner.secret), method: "HEAD" });
      const response = await GET(request);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-length")).toBe(String(film.length));
      expect(liveCalls()).toBe(before);
      expect(await response.text()).toBe("");
    }
  });

  test("is downloaded with a key of its account, and with no other", async () => {
    const own = await fetch(contentUrl(taskId), withKey(owner.secret));
    expect((await bytesOf(own)).equals(film)).toBe(true);
    const { secret } = await gateway.customer();
    expect(await codeOf(await fetch(contentUrl(taskId), withKey(secret)))).toBe(403);
  });
});

test("a changed address of a video opens nothing", async () => {
  const url = new URL(videoUrl);
  url.searchParams.set("expires", "4102444800");
  const response = await fetch(url);
  expect([response.status, response.headers.get("x-error-code")]).toEqual([403, "task_forbidden"]);
});

describe("a file behind its vendor's key", () => {
  const mp4 = { "content-type": "video/mp4" };
  /** A completed task at the fake upstream, whose file request gets this answer. */
  async function completedWith(content: UpstreamHandler): Promise<string> {
    const model = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
    await gateway.channel({ model, dialect: "openai-video", baseUrl: ownBaseUrl(model) });
    let isSeen = false;
    upstream.answer((call, response, request) => {
      if (!call.path.endsWith("/content")) {
        sendJson(response, 200, { id: "up-1", status: "completed" });
      } else if (isSeen) {
        void content(call, response, request);
      } else {
        // The poll that finds the task completed sees the file.
        isSeen = true;
        response.writeHead(206, mp4).end("f");
      }
    });
    const id = await gateway.begin(owner.secret, { model, prompt: "p" });
    return String((await gateway.reach(owner.secret, id, "completed")).video_url);
  }

  test("that its vendor keeps elsewhere is a 302 to that address", async () => {
    const location = "http://169.254.169.254/latest/v.mp4?a=b";
    const url = await completedWith(answerBytes(307, { location, "set-cookie": "vendor=1" }));
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(url, { method, redirect: "manual" });
      expect([response.status, response.headers.get("location")]).toEqual([302, location]);
      expect(response.headers.get("set-cookie")).toBeNull();
    }
  });

  test("that breaks off is cut off, and does not look whole", async () => {
    for (const head of [{ "content-length": "1000" }, {}]) {
      const url = await completedWith((_asked, response) => {
        response.writeHead(200, { ...mp4, ...head }).write("abc", () => response.destroy());
      });
      const response = await fetch(url);
      await expect(response.arrayBuffer()).rejects.toThrow();
    }
  });

  test("ends at its vendor when its reader hangs up, under plain next start too, and after a garbage collection", async () => {
    withoutFront();
    for (const front of ["/v1", "/openai/v1"]) {
      let gone: Promise<unknown> | undefined;
      const url = await completedWith((_asked, response) => {
        response.writeHead(200, mp4).write("a");
        gone = once(response, "close");
      });
      const leaving = new AbortController();
      const { signal } = leaving;
      const response = await gatewayRoute.GET(new Request(url.replace("/v1", front), { signal }));
      expect(response.status).toBe(200);
      await response.body?.getReader().read();
      await collectUnheld();
      leaving.abort();
      await gone;
    }
  });

  test("has a limited number of readers, so that one address does not take all of the vendor's connections", async () => {
    const url = await completedWith((_asked, response) => void response.writeHead(200, mp4).write("a"));
    const leaving = new AbortController();
    const readers = await Promise.all(
      Array.from({ length: 20 }, () => fetch(url, { signal: leaving.signal })),
    );
    const statuses = readers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(16);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4);
    expect(readers.find(({ status }) => status === 429)?.headers.get("retry-after")).toBe("1");
    leaving.abort();
    await eventually(async () => {
      const next = await fetch(url);
      await next.body?.cancel();
      return next.status;
    }).toBe(200);
  });
});
