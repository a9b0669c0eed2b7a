/** Signed URLs of videos that we serve ourselves: a browser opens them without a key, for a day. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "@/server/base/clock";

/** As long as vendors keep their files. */
const VALID_SECONDS = 24 * 60 * 60;

type Signing = { keyPepper: string; previousKeyPepper?: string | undefined; clock: Clock };

/** A key derived from the pepper, which also keys other hashes: a signature must not equal the hash of an API key. */
const signatureOf = (pepper: string, signed: { taskId: string; expires: string }) =>
  createHmac("sha256", createHmac("sha256", pepper).update("video content").digest())
    .update(`${signed.taskId}\n${signed.expires}`)
    .digest("base64url");

/** The path and query with which any client may fetch a task's file for a limited time. */
export function signContentPath({ keyPepper, clock }: Signing, taskId: string): string {
  const expires = String(Math.floor(clock().getTime() / 1000) + VALID_SECONDS);
  const query = new URLSearchParams({ expires, signature: signatureOf(keyPepper, { taskId, expires }) });
  return `/v1/videos/generations/${taskId}/content?${query}`;
}

/** Whether the query of a URL has our signature for this task and has not expired. */
export function isSignedFor(signing: Signing, query: URLSearchParams, taskId: string): boolean {
  const expires = query.get("expires") ?? "";
  const offered = Buffer.from(query.get("signature") ?? "");
  const isOf = (pepper: string) => {
    const signature = Buffer.from(signatureOf(pepper, { taskId, expires }));
    return offered.length === signature.length && timingSafeEqual(offered, signature);
  };
  const { keyPepper, previousKeyPepper, clock } = signing;
  return (
    (isOf(keyPepper) || (previousKeyPepper !== undefined && isOf(previousKeyPepper))) &&
    Number(expires) * 1000 > clock().getTime()
  );
}
