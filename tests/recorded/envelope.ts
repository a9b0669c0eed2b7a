import { expect } from "vitest";

/** The error that a client gets instead of an answer. */
export type RefusalEnvelope = { status: 400 | 502; message: string | null };

/** The client's error after an upstream's refusal: with 400 the upstream's words, if it had any. */
export const refusedAs = (status: 400 | 502, words: string): RefusalEnvelope => ({
  status,
  message: status === 502 ? "上游渠道全部不可用" : words || null,
});

export const malformed: RefusalEnvelope = { status: 502, message: "上游响应格式异常" };

/** Checks the envelope of spec section 7. On endpoints outside the specification it also has members for SDKs. */
export function checkEnvelope(response: Response, text: string, { status, message }: RefusalEnvelope): void {
  expect(response.status).toBe(status);
  const anyMessage: unknown = expect.any(String);
  expect(JSON.parse(text)).toMatchObject({ code: status, message: message ?? anyMessage, data: null });
}
