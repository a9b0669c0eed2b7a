import { describe, expect, test } from "vitest";
import { UpstreamFault } from "@/server/upstream";
import { openContent } from "@/server/upstream/videos/openai-videos-content";
import { answerBytes, hangUp, sendJson, startUpstream, type UpstreamHandler } from "@/tests/support/upstream";
import { readAll, type VideoFile, videoAdapters } from "@/tests/support/video-adapters";

const room = videoAdapters();
const { videosOf, targetOf } = room;

describe("a file that its vendor shows to the channel's key", () => {
  const content = (range: string | null = null) =>
    videosOf("openai-video").content?.(targetOf(), "t", range) as Promise<VideoFile>;

  test("is passed on as it is, in the requested range, with a player's headers only", async () => {
    const shown = { "content-type": "video/mp4", "content-range": "bytes 2-5/10" };
    room.upstream.answer(answerBytes(206, { ...shown, "set-cookie": "secret=1" }, "2345"));
    const file = await content("bytes=2-5");
    expect((await readAll(file)).toString()).toBe("2345");
    expect([file.status, file.headers]).toEqual([206, shown]);
    const call = room.upstream.requests.at(-1);
    expect(call?.path).toBe("/v1/videos/t/content");
    expect(call?.headers).toMatchObject({ range: "bytes=2-5", authorization: "Bearer sk-secret" });
  });

  test("is fetched through redirects within the channel's own origin", async () => {
    room.upstream.answer(({ path }, response) => {
      response.writeHead(path === "/store/film.mp4" ? 200 : 302, { location: "/store/film.mp4" });
      response.end("film");
    });
    expect((await readAll(await content("bytes=0-"))).toString()).toBe("film");
    const call = room.upstream.requests.at(-1);
    expect(call?.path).toBe("/store/film.mp4");
    expect(call?.headers).toMatchObject({ range: "bytes=0-", authorization: "Bearer sk-secret" });
  });

  test("is not fetched from another origin, whose address the client gets instead", async () => {
    const store = await startUpstream(answerBytes(200, {}, "film"));
    const url = `${store.baseUrl}/film.mp4`;
    room.upstream.answer(({ path }, response) => {
      response.writeHead(302, { location: path === "/hop" ? url : "/hop" }).end();
    });
    expect(await content()).toEqual({ kind: "elsewhere", url });
    expect(store.requests).toEqual([]);
    await store.close();
  });

  test.each(["file:///etc/passwd", "https://user:word@store.test/v.mp4", "http://", "data:text/html,x"])(
    "is refused at %s",
    async (location) => {
      room.upstream.answer(answerBytes(302, { location }));
      await expect(content()).rejects.toMatchObject({ reason: "refused", status: 302 });
    },
  );

  const pages = ["text/html", "TEXT/HTML; charset=utf-8", "application/json", "application/problem+json;a=b"];
  test.each(pages)("cannot be %s", async (type) => {
    room.upstream.answer(answerBytes(200, { "content-type": type }, "<html>"));
    await expect(content()).rejects.toMatchObject({ reason: "malformed" });
  });

  test("may pause for the idle timeout and no longer", async () => {
    room.upstream.answer((_asked, response) => {
      response.writeHead(200, { "content-type": "video/mp4" });
      response.write("abc");
    });
    const options = { path: "/videos/t/content", range: null, idleMs: 50 };
    const file = (await openContent(room.dispatcher, targetOf(), options)) as VideoFile;
    await expect(readAll(file)).rejects.toThrow("Timeout");
    room.upstream.answer(() => {});
    await expect(openContent(room.dispatcher, targetOf(), options)).rejects.toMatchObject({
      reason: "broken",
    });
  });

  test.each([404, 416, 500])("is refused with the vendor's %i", async (status) => {
    room.upstream.answer(answerBytes(status));
    const error = await content().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UpstreamFault);
    expect(error).toMatchObject({ reason: "refused", status });
  });

  test("is not followed in circles", async () => {
    room.upstream.answer(answerBytes(302, { location: "/v1/videos/t/content" }));
    await expect(content()).rejects.toThrow("redirects");
  });
});

describe("a completed task without an address", () => {
  const pollWith = async (content: UpstreamHandler) => {
    room.upstream.answer((call, response, request) =>
      call.path.endsWith("/content")
        ? content(call, response, request)
        : sendJson(response, 200, { id: "t", status: "completed" }),
    );
    return await videosOf("openai-video").poll(targetOf(), "t");
  };
  const says = (status: number, headers = {}) => answerBytes(status, headers, "x");

  test.each([
    ["its first byte", says(206, { "content-type": "video/mp4", "content-range": "bytes 0-0/9" })],
    ["all of it", says(200, { "content-type": "application/octet-stream" })],
    ["it without a type", says(200)],
    ["its address", says(302, { location: "https://store.test/v.mp4" })],
  ])("is served if its vendor shows %s", async (_what, content) => {
    expect(await pollWith(content)).toEqual({ kind: "completed", url: null, isServed: true });
    expect(room.upstream.requests.at(-1)?.headers).toMatchObject({
      range: "bytes=0-0",
      authorization: "Bearer sk-secret",
    });
  });

  test.each([
    ["404", says(404)],
    ["410", says(410)],
    ["an HTML page", says(200, { "content-type": "text/html; charset=utf-8" })],
    ["a JSON message", says(200, { "content-type": "application/json" })],
  ])("has no file if its vendor shows %s", async (_what, content) => {
    expect(await pollWith(content)).toEqual({ kind: "completed", url: null, isServed: false });
  });

  test.each([
    ["401", says(401)],
    ["429", says(429, { "retry-after": "7" })],
    ["500", says(500)],
    ["503", says(503)],
    ["a reset", hangUp],
  ])("is polled again after %s", async (what, content) => {
    expect(await pollWith(content)).toMatchObject({
      kind: "transient",
      retryAfterMs: what === "429" ? 7_000 : null,
    });
  });

  test("is not downloaded as a whole to see that it exists", async () => {
    const polled = await pollWith((_asked, response) => {
      response.writeHead(200, { "content-type": "video/mp4" });
      response.write("x");
    });
    expect(polled).toMatchObject({ isServed: true });
  });
});
