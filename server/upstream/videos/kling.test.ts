import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Answer } from "./answer";
import { klingTasks } from "./kling";
import { refuseForKling, toKlingBody } from "./kling-spec";
import { readKlingFound, readKlingPolled, readKlingSubmitted } from "./kling-task";
import { klingToken, withoutKlingTokens } from "./kling-token";
import type { VideoSpec } from "./video-upstream";

const spec: VideoSpec = {
  model: "kling-v2-6",
  prompt: "a cat",
  durationSeconds: 10,
  resolution: "1080p",
  aspectRatio: null,
};

const answered = (body: unknown, status = 200, retryAfterMs: number | null = null): Answer => ({
  kind: "answered",
  status,
  text: typeof body === "string" ? body : JSON.stringify(body),
  retryAfterMs,
});

test.each([
  "https://api-singapore.klingai.com",
  "https://api-singapore.klingai.com/",
  "https://api-singapore.klingai.com/v1",
])("%s leads to the tasks", (baseUrl) => {
  expect(klingTasks(baseUrl)).toBe("https://api-singapore.klingai.com/v1/videos/text2video");
});

test("a token is the access key's, signed with the secret key, from five seconds ago for half an hour", () => {
  const token = klingToken("AK-1:SK-2", new Date(1_700_000_000_900));
  const [head = "", claims = "", signature] = token.split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  expect(read(head)).toEqual({ alg: "HS256", typ: "JWT" });
  expect(read(claims)).toEqual({ iss: "AK-1", exp: 1_700_001_800, nbf: 1_699_999_995 });
  expect(signature).toBe(createHmac("sha256", "SK-2").update(`${head}.${claims}`).digest("base64url"));
  expect(token).not.toMatch(/[+/=]/);
});

test("tokens that a pair has signed are in no words, whenever that was; others' stay", () => {
  const early = klingToken("AK-1:SK-2", new Date(1_700_000_000_900));
  const other = klingToken("AK-1:SK-3", new Date(1_700_000_000_900));
  const words = (first: string) => `Bearer ${first}, not ?token=${other}&a=${first}`;
  expect(withoutKlingTokens(words(early), "AK-1:SK-2")).toBe(words("…"));
});

test("a submission says all that was quoted, seconds as text, under our identifier", () => {
  expect(toKlingBody(spec, "task_1")).toEqual({
    model_name: "kling-v2-6",
    prompt: "a cat",
    mode: "pro",
    duration: "10",
    aspect_ratio: "16:9",
    sound: "off",
    external_task_id: "task_1",
  });
  const plain = toKlingBody(
    { ...spec, model: "kling-v1-6", resolution: "720p", aspectRatio: "1:1" },
    "task_2",
  );
  expect(plain).toMatchObject({ mode: "std", aspect_ratio: "1:1" });
  // An account pays more for sound, and older models know no such parameter.
  expect(plain).not.toHaveProperty("sound");
  expect(toKlingBody({ ...spec, model: "kling-v3" }, "t")).toHaveProperty("sound", "off");
});

test("what a model cannot make is refused; of one that is not known, the vendor tells", () => {
  expect(refuseForKling(spec)).toBeNull();
  expect(refuseForKling({ ...spec, resolution: "480p" })?.en).toContain("resolution");
  expect(refuseForKling({ ...spec, aspectRatio: "4:3" })?.en).toContain("aspect_ratio");
  expect(refuseForKling({ ...spec, durationSeconds: 15 })?.en).toContain("5, 10");
  expect(refuseForKling({ ...spec, model: "kling-v3", durationSeconds: 15 })).toBeNull();
  expect(refuseForKling({ ...spec, model: "kling-o9", durationSeconds: 15 })).toBeNull();
});

describe("a submission", () => {
  const data = { task_id: "867283741759111202", task_status: "submitted" };

  test("is a task", () => {
    const accepted = answered({ code: 0, message: "SUCCEED", request_id: "r", data });
    expect(readKlingSubmitted(accepted)).toEqual({ kind: "accepted", ref: data.task_id });
    expect(readKlingSubmitted(answered({ code: 0, data: {} }))).toMatchObject({ kind: "unknown" });
  });

  test.each([
    [401, 1000, "channel", "upstream_error"],
    [401, 1004, "channel", "upstream_error"],
    [429, 1101, "channel", "upstream_error"],
    [429, 1102, "channel", "upstream_error"],
    [403, 1103, "channel", "upstream_error"],
    [400, 1200, "request", "invalid_request"],
    [400, 1201, "request", "invalid_request"],
    [404, 1203, "channel", "upstream_error"],
    [400, 1300, "request", "content_policy"],
    [400, 1301, "request", "content_policy"],
    [429, 1302, "channel", "upstream_capacity"],
    [429, 1303, "channel", "upstream_capacity"],
    [429, 1304, "channel", "upstream_error"],
    [500, 5000, "channel", "upstream_error"],
    [503, 5001, "channel", "upstream_capacity"],
  ])(
    "refused with %d and code %d blames the %s, whatever the status says",
    (...[status, code, fault, said]) => {
      const refused = { kind: "refused", fault, code: said, message: `${code} in words` };
      expect(readKlingSubmitted(answered({ code, message: "in words" }, status))).toEqual(refused);
      // With 200, and with what looks like a task, a code is an error all the same.
      expect(readKlingSubmitted(answered({ code, message: "in words", data }))).toEqual(refused);
    },
  );

  test("of which the vendor lost track may have been taken", () => {
    expect(readKlingSubmitted(answered({ code: 5002, message: "time-out" }, 504))).toMatchObject({
      kind: "unknown",
    });
    expect(readKlingSubmitted(answered({ code: 7777 }))).toMatchObject({ kind: "unknown" });
    expect(readKlingSubmitted({ kind: "silent", message: "reset" })).toMatchObject({ kind: "unknown" });
  });
});

describe("a task's record", () => {
  const record = (more: object) => ({ code: 0, message: "SUCCEED", data: { task_id: "t", ...more } });
  const poll = (more: object) => readKlingPolled(answered(record(more)), "t");

  test("tells where the task is", () => {
    const waiting = { kind: "processing", progress: null };
    expect(poll({ task_status: "submitted" })).toEqual({ ...waiting, isQueued: true });
    expect(poll({ task_status: "processing" })).toEqual({ ...waiting, isQueued: false });
    expect(
      poll({ task_status: "failed", task_status_msg: "Failure to pass the risk control system" }),
    ).toEqual({ kind: "failed", code: "content_policy", message: "Failure to pass the risk control system" });
    expect(poll({ task_status: "failed", task_status_msg: "invalid frame" })).toMatchObject({
      code: "upstream_error",
    });
  });

  test("completes with the first video's address, or without one", () => {
    const url = "https://kwimgs.test/v.mp4";
    const done = { kind: "completed", url, isServed: false };
    const videos = [{ id: "v", url, duration: "5.1" }];
    expect(poll({ task_status: "succeed", task_result: { videos } })).toEqual(done);
    expect(poll({ task_status: "succeed", task_result: { videos: [] } })).toEqual({ ...done, url: null });
    expect(poll({ task_status: "succeed" })).toEqual({ ...done, url: null });
  });

  test("is lost when the vendor does not know its identifier, and is not ended by any other word", () => {
    expect(readKlingPolled(answered({ code: 1203, message: "none" }, 404), "t")).toEqual({ kind: "lost" });
    expect(readKlingPolled(answered({ code: 1201, message: "task_id" }, 400), "t")).toEqual({ kind: "lost" });
    for (const code of [1000, 1004, 1102, 1302, 1303, 5000, 7777]) {
      expect(readKlingPolled(answered({ code, message: "no" }, 429, 7_000), "t")).toEqual({
        kind: "transient",
        message: `${code} no`,
        retryAfterMs: 7_000,
      });
    }
    expect(readKlingPolled(answered(record({ task_id: "u", task_status: "failed" })), "t")).toMatchObject({
      kind: "transient",
    });
  });

  test("is found by our identifier, and by no other's", () => {
    const task_info = { external_task_id: "task_1" };
    const found = answered(record({ task_status: "processing", task_info }));
    expect(readKlingFound(found, "task_1")).toBe("t");
    expect(readKlingFound(found, "task_2")).toBeNull();
    expect(readKlingFound(answered(record({ task_status: "processing" })), "task_1")).toBeNull();
    expect(readKlingFound(answered({ code: 1203, message: "none" }, 404), "task_1")).toBeNull();
    expect(readKlingFound({ kind: "silent", message: "reset" }, "task_1")).toBeNull();
  });
});
