import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { GET } from "@/app/v1/videos/generations/[taskId]/content/route";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { withoutFront } from "@/tests/support/plain-next";
import { type Answer, sendJson, startUpstream } from "@/tests/support/upstream";
import { type Json, oneVideoPrice, startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());
const upstream = perFile(() => startUpstream((_asked, response) => sendJson(response, 200, {})));
const film = readFileSync("server/upstream/videos/sandbox-720p.mp4");
const owner = perFile(() => gateway.customer());
/** A completed task of the sandbox, and the address of its video. */
let taskId: string;
let videoUrl: string;

beforeAll(async () => {
  taskId = await gateway.begin(owner.secret, turbo);
  videoUrl = String((await gateway.reach(owner.secret, taskId, "completed")).video_url);
});
/** Its vendor numbers its tasks alike for every model: each model's is a vendor of its own. */
const ownBaseUrl = (model: string) => upstream.baseUrl.replace("/v1", `/${model}/v1`);

const codeOf = async (response: Response) => ((await response.json()) as Json).code;
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
const contentUrl = (id: string) => `${gateway.url}/v1/videos/generations/${id}/content`;
const withKey = (secret: string) => ({ headers: { "x-api-key": secret } });

describe("a video that we serve", () => {
  test("is had from its address without a key, whole", async () => {
    const response = await fetch(videoUrl);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("video/mp4");
    expect(response.headers.get("accept-ranges")).toBe("bytes");
    expect(response.headers.get("content-length")).toBe(String(film.length));
    expect((await bytesOf(response)).equals(film)).toBe(true);
  });

  test.each([
    ["bytes=0-1", 0, 2],
    ["bytes=1000-1999", 1_000, 2_000],
    ["bytes=-100", -100, undefined],
    ["bytes=5000-", 5_000, undefined],
  ])("is had in parts: %s", async (range, start, end) => {
    const response = await fetch(videoUrl, { headers: { range } });
    expect(response.status).toBe(206);
    const part = film.subarray(start, end);
    expect(response.headers.get("content-range")).toMatch(new RegExp(`^bytes \\d+-\\d+/${film.length}$`));
    expect((await bytesOf(response)).equals(part)).toBe(true);
  });

  test("answers HEAD with its size and no body", async () => {
    const response = await fetch(videoUrl, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(film.length));
    expect(await response.text()).toBe("");
  });

  test("gives its place back after HEAD under plain next start, which asks as for GET and reads no body", async () => {
    withoutFront();
    const { liveCalls } = gateway.runtime.access;
    const before = liveCalls();
    for (let calls = 0; calls < 3; calls++) {
      const response = await GET(
        new Request(contentUrl(taskId), { ...withKey(owner.secret), method: "HEAD" }),
      );
      expect(response.status).toBe(200);
      expect(response.headers.get("content-length")).toBe(String(film.length));
      expect(liveCalls()).toBe(before);
      expect(await response.text()).toBe("");
    }
  });

  test("is had with a key of its account, and with no other's", async () => {
    const own = await fetch(contentUrl(taskId), withKey(owner.secret));
    expect((await bytesOf(own)).equals(film)).toBe(true);
    const { secret } = await gateway.customer();
    expect(await codeOf(await fetch(contentUrl(taskId), withKey(secret)))).toBe(403);
  });
});

describe("the address of a video", () => {
  const changed = (change: (url: URL) => void) => {
    const url = new URL(videoUrl);
    change(url);
    return url.href;
  };

  test("is valid for a day", () => {
    const expires = Number(new URL(videoUrl).searchParams.get("expires"));
    expect(Math.abs(expires - gateway.clock().getTime() / 1000 - 86_400)).toBeLessThan(120);
  });

  test.each<[string, (url: URL) => void]>([
    ["a later end", (url) => url.searchParams.set("expires", "4102444800")],
    ["no end", (url) => url.searchParams.delete("expires")],
    ["another signature", (url) => url.searchParams.set("signature", "A".repeat(43))],
    ["an empty signature", (url) => url.searchParams.set("signature", "")],
    ["another task", (url) => (url.pathname = url.pathname.replace(taskId, `task_${"0".repeat(32)}`))],
  ])("with %s opens nothing: 403", async (_name, change) => {
    const response = await fetch(changed(change));
    expect(response.status).toBe(403);
    expect(response.headers.get("x-error-code")).toBe("task_forbidden");
  });
});

describe("a file behind its vendor's key", () => {
  /** A completed task at the fake upstream, whose file answers as told. */
  async function completedWith(content: Answer): Promise<string> {
    const model = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
    await gateway.channel({ model, dialect: "openai-video", baseUrl: ownBaseUrl(model) });
    let isSeen = false;
    upstream.answer((asked, response, request) => {
      if (!asked.path.endsWith("/content")) {
        sendJson(response, 200, { id: "up-1", status: "completed" });
      } else if (isSeen) {
        void content(asked, response, request);
      } else {
        // To the look that finds it completed, the file is there.
        isSeen = true;
        response.writeHead(206, { "content-type": "video/mp4" });
        response.end("f");
      }
    });
    const id = await gateway.begin(owner.secret, { model, prompt: "p" });
    return String((await gateway.reach(owner.secret, id, "completed")).video_url);
  }

  test("passes through with its range, and not with what else the vendor says", async () => {
    const url = await completedWith((_asked, response) => {
      response.writeHead(206, {
        "content-type": "image/svg+xml",
        "content-length": "3",
        "content-range": "bytes 2-4/10",
        "set-cookie": "vendor=1",
        "x-vendor": "secret",
      });
      response.end("abc");
    });
    const response = await fetch(url, { headers: { range: "bytes=2-4" } });
    expect(response.status).toBe(206);
    expect(await response.text()).toBe("abc");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "video/mp4",
      "content-range": "bytes 2-4/10",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(response.headers.get("x-vendor")).toBeNull();
    expect(upstream.asked.at(-1)?.headers).toMatchObject({
      range: "bytes=2-4",
      authorization: "Bearer upstream-secret",
    });
  });

  test("that its vendor keeps elsewhere is the client's to fetch: 302", async () => {
    const location = "http://169.254.169.254/latest/v.mp4?a=b";
    const url = await completedWith((_asked, response) => {
      response.writeHead(307, { location, "set-cookie": "vendor=1" });
      response.end();
    });
    for (const method of ["GET", "HEAD"]) {
      const response = await fetch(url, { method, redirect: "manual" });
      expect([response.status, response.headers.get("location")]).toEqual([302, location]);
      expect(response.headers.get("set-cookie")).toBeNull();
    }
  });

  test("that breaks off is cut off, not passed off as whole", async () => {
    for (const head of [{ "content-length": "1000" }, {}] as Record<string, string>[]) {
      const url = await completedWith((_asked, response) => {
        response.writeHead(200, { "content-type": "video/mp4", ...head });
        response.write("abc", () => response.destroy());
      });
      const response = await fetch(url);
      await expect(response.arrayBuffer()).rejects.toThrow();
    }
  });

  test("has so many readers at a time: one address does not take the vendor's connections from everybody", async () => {
    const url = await completedWith((_asked, response) => {
      response.writeHead(200, { "content-type": "video/mp4" });
      response.write("a");
    });
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

  test("that a client stops reading is not fetched to its end", async () => {
    let isClosed = false;
    const url = await completedWith((_asked, response) => {
      response.writeHead(200, { "content-type": "video/mp4" });
      response.once("close", () => {
        isClosed = true;
      });
      const more = () => {
        if (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) {
          setImmediate(more);
        }
      };
      response.on("drain", more);
      more();
    });
    const reader = (await fetch(url)).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await eventually(() => isClosed).toBe(true);
  });
});
