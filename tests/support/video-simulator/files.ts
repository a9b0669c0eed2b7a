import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { VendorReply } from "./dialect";

const video = readFileSync(resolve("server/upstream/videos/sandbox-720p.mp4"));

const sign = (taskId: string, expires: number) =>
  createHash("sha256").update(`simulator ${taskId} ${expires}`).digest("hex").slice(0, 32);

/** An address that needs no key and is valid until `expiresAt`, as object stores sign it. */
export function signedUrl(origin: string, taskId: string, expiresAt: number): string {
  const expires = Math.floor(expiresAt / 1_000);
  return `${origin}/files/${taskId}.mp4?Expires=${expires}&Signature=${sign(taskId, expires)}`;
}

const denied = (message: string): VendorReply => ({
  status: 403,
  headers: { "content-type": "application/xml" },
  bytes: Buffer.from(
    `<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
  ),
});

export function serveVideo(range: string | undefined): VendorReply {
  const headers = { "content-type": "video/mp4", "accept-ranges": "bytes" };
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? [];
  if (from === undefined || to === undefined || (from === "" && to === "")) {
    return { status: 200, headers, bytes: video };
  }
  const last = video.length - 1;
  const start = from === "" ? Math.max(0, video.length - Number(to)) : Number(from);
  const end = from === "" || to === "" ? last : Math.min(Number(to), last);
  if (start > end) {
    return { status: 416, headers: { "content-range": `bytes */${video.length}` }, bytes: Buffer.alloc(0) };
  }
  return {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${start}-${end}/${video.length}` },
    bytes: video.subarray(start, end + 1),
  };
}

export function serveSigned(url: URL, range: string | undefined, now: number): VendorReply {
  const taskId = /^\/files\/(.+)\.mp4$/.exec(url.pathname)?.[1] ?? "";
  const expires = Number(url.searchParams.get("Expires"));
  if (url.searchParams.get("Signature") !== sign(taskId, expires)) {
    return denied("The request signature does not match.");
  }
  return now >= expires * 1_000 ? denied("Request has expired.") : serveVideo(range);
}
