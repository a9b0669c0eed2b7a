import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import {
  accepted,
  answered,
  completed,
  failed,
  lost,
  queued,
  refused,
  silent,
  specOf,
  transient,
  unknown,
  working,
} from "@/tests/support/video-answers";
import { klingTasks } from "./kling";
import { refuseForKling, toKlingBody } from "./kling-spec";
import { readKlingFound, readKlingPolled, readKlingSubmitted } from "./kling-task";
import { klingToken, withoutKlingTokens } from "./kling-token";

const spec = specOf({ model: "kling-v2-6", durationSeconds: 10, resolution: "1080p" });

test.each(["", "/", "/v1"])("the base URL with %j leads to the tasks", (end) => {
  const tasks = "https://api-singapore.klingai.com/v1/videos/text2video";
  expect(klingTasks(`https://api-singapore.klingai.com${end}`)).toBe(tasks);
});

test("a token names the access key, is signed with the secret key, and is valid from five seconds ago for half an hour", () => {
  const token = klingToken("AK-1:SK-2", new Date(1_700_000_000_900));
  const [head = "", claims = "", signature] = token.split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  expect(read(head)).toEqual({ alg: "HS256", typ: "JWT" });
  expect(read(claims)).toEqual({ iss: "AK-1", exp: 1_700_001_800, nbf: 1_699_999_995 });
  expect(signature).toBe(createHmac("sha256", "SK-2").update(`${head}.${claims}`).digest("base64url"));
  expect(token).not.toMatch(/[+/=]/);
});

test("tokens that a pair has signed at any time are removed from texts, and other tokens stay", () => {
  const early = klingToken("AK-1:SK-2", new Date(1_700_000_000_900));
  const other = klingToken("AK-1:SK-3", new Date(1_700_000_000_900));
  const words = (first: string) => `Bearer ${first}, not ?token=${other}&a=${first}`;
  expect(withoutKlingTokens(words(early), "AK-1:SK-2")).toBe(words("…"));
});

test("a submission names every quoted member, with seconds as text and the gateway's identifier", () => {
  expect(toKlingBody(spec, "task_1")).toEqual({
    ...{ model_name: "kling-v2-6", prompt: "a cat", mode: "pro", duration: "10" },
    ...{ aspect_ratio: "16:9", sound: "off", external_task_id: "task_1" },
  });
  const old = { ...spec, model: "kling-v1-6", resolution: "720p", aspectRatio: "1:1" } as const;
  expect(toKlingBody(old, "task_2")).toMatchObject({ mode: "std", aspect_ratio: "1:1" });
  // An account pays more for sound, and older models do not know the parameter.
  expect(toKlingBody(old, "task_2")).not.toHaveProperty("sound");
  expect(toKlingBody({ ...spec, model: "kling-v3" }, "t")).toHaveProperty("sound", "off");
});

test("a video that a known model cannot make is refused, and for an unknown model the vendor decides", () => {
  expect(refuseForKling(spec)).toBeNull();
  expect(refuseForKling({ ...spec, resolution: "480p" })?.en).toContain("resolution");
  expect(refuseForKling({ ...spec, aspectRatio: "4:3" })?.en).toContain("aspect_ratio");
  expect(refuseForKling({ ...spec, durationSeconds: 15 })?.en).toContain("5, 10");
  expect(refuseForKling({ ...spec, model: "kling-v3", durationSeconds: 15 })).toBeNull();
  expect(refuseForKling({ ...spec, model: "kling-o9", durationSeconds: 15 })).toBeNull();
});

const submitted = { task_id: "867283741759111202", task_status: "submitted" };
const succeed = { code: 0, message: "SUCCEED", request_id: "r" };

test.each([
  [answered(200, { ...succeed, data: submitted }), accepted(submitted.task_id)],
  [answered(200, { code: 0, data: {} }), unknown()],
  // After these errors the vendor may have taken the task.
  [answered(504, { code: 5002, message: "time-out" }), unknown()],
  [answered(200, { code: 7777 }), unknown()],
  [silent, unknown()],
])("a submission that is answered with %j is %j", (answer, read) => {
  expect(readKlingSubmitted(answer)).toEqual(read);
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
] as const)("a submission refused with %d and code %d blames the %s", (...[status, code, fault, reason]) => {
  const read = refused(fault, reason, `${code} in words`);
  expect(readKlingSubmitted(answered(status, { code, message: "in words" }))).toEqual(read);
  // With status 200, and with a task in the answer, a code is still an error.
  expect(readKlingSubmitted(answered(200, { code, message: "in words", data: submitted }))).toEqual(read);
});

const record = (more: object) => ({ ...succeed, data: { task_id: "t", ...more } });
const risk = "Failure to pass the risk control system";
const url = "https://kwimgs.test/v.mp4";
const result = (...videos: object[]) => ({ task_status: "succeed", task_result: { videos } });

test.each([
  [{ task_status: "submitted" }, queued],
  [{ task_status: "processing" }, working()],
  [{ task_status: "failed", task_status_msg: risk }, failed("content_policy", risk)],
  [{ task_status: "failed", task_status_msg: "invalid frame" }, failed("upstream_error", "invalid frame")],
  [result({ id: "v", url, duration: "5.1" }), completed(url)],
  [result(), completed(null)],
  [{ task_status: "succeed" }, completed(null)],
  [{ task_id: "u", task_status: "failed" }, transient()],
])("a task with the record %j becomes %j", (more, read) => {
  expect(readKlingPolled(answered(200, record(more)), "t")).toEqual(read);
});

test.each<[number, number, unknown]>([
  [1203, 404, lost],
  [1201, 400, lost],
  ...[1000, 1004, 1102, 1302, 1303, 5000, 7777].map((code): [number, number, unknown] => [
    ...([code, 429] as const),
    transient(`${code} no`, 7_000),
  ]),
])("a poll that is answered with code %i and status %i is %j", (code, status, read) => {
  expect(readKlingPolled(answered(status, { code, message: "no" }, 7_000), "t")).toEqual(read);
});

test("a task is found by the gateway's identifier, and by no other one", () => {
  const task_info = { external_task_id: "task_1" };
  const reply = answered(200, record({ task_status: "processing", task_info }));
  expect(readKlingFound(reply, "task_1")).toBe("t");
  expect(readKlingFound(reply, "task_2")).toBeNull();
  const nameless = answered(200, record({ task_status: "processing" }));
  for (const answer of [nameless, answered(404, { code: 1203, message: "none" }), silent]) {
    expect(readKlingFound(answer, "task_1")).toBeNull();
  }
});
