import { createHash } from "node:crypto";
import { openPayload, type PayloadOwner, sealPayload } from "@/server/base/sealed-payload";
import type { AccountId, KeyId } from "@/server/domain/ids";

/** A call that may be repeated. */
export type IdempotentCall = {
  accountId: AccountId;
  keyId: KeyId;
  requestId: string;
  /** The client's own Idempotency-Key. */
  key: string;
  /** A hash of the whole request. */
  fingerprint: string;
};

/** The kept answer of a call. */
export type KeptAnswer = {
  requestId: string;
  /** The model as the client wrote it. null: the call ended before it was read. */
  model: string | null;
  isStream: boolean;
  said:
    | { status: number; headers: Record<string, string>; body: string | Uint8Array }
    /** The call was bought, but the client got a refusal. */
    | { refusal: "billingFailed" };
};

/** An answer without its body, which is stored after it. */
type AnswerHead = Omit<KeptAnswer, "said"> & {
  said: { status: number; headers: Record<string, string>; isText: boolean } | { refusal: "billingFailed" };
};

/** The hash by which a call's row is found. Another API key with the same Idempotency-Key has another row. */
export const hashOf = ({ accountId, keyId, key }: IdempotentCall): string =>
  createHash("sha256").update([accountId, keyId, key].join("\n")).digest("hex");

const ownerOf = ({ accountId, key }: IdempotentCall): PayloadOwner => ({
  purpose: "tollgate idempotent call",
  id: key,
  accountId,
});

const LINE_END = 0x0a;

function headOf({ said, ...answer }: KeptAnswer): AnswerHead {
  if ("refusal" in said) {
    return { ...answer, said };
  }
  const { body, ...head } = said;
  return { ...answer, said: { ...head, isText: typeof body === "string" } };
}

export function sealAnswer(call: IdempotentCall, answer: KeptAnswer, secret: string): Promise<Buffer> {
  const body = "body" in answer.said ? answer.said.body : "";
  // A body of megabytes is not put into JSON, where it would be parsed once more.
  const plain = [Buffer.from(`${JSON.stringify(headOf(answer))}\n`), Buffer.from(body)];
  return sealPayload(Buffer.concat(plain), ownerOf(call), secret);
}

/** null: sealed by a secret that no longer exists, or altered. */
export async function openAnswer(
  call: IdempotentCall,
  sealed: Buffer,
  secrets: string[],
): Promise<KeptAnswer | null> {
  const plain = await openPayload(sealed, ownerOf(call), secrets);
  if (plain === null) {
    return null;
  }
  const end = plain.indexOf(LINE_END);
  const { said, ...answer } = JSON.parse(plain.toString("utf8", 0, end)) as AnswerHead;
  if ("refusal" in said) {
    return { ...answer, said };
  }
  const { isText, ...head } = said;
  const body = plain.subarray(end + 1);
  return { ...answer, said: { ...head, body: isText ? body.toString("utf8") : body } };
}
