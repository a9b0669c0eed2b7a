import { createHash } from "node:crypto";
import type { AccountId, KeyId } from "@/server/base/ids";
import { openPayload, type PayloadOwner, sealPayload } from "@/server/base/sealed-payload";

/** A call that may be repeated. */
export type IdempotentCall = {
  accountId: AccountId;
  keyId: KeyId;
  requestId: string;
  /** As the client chose it. */
  key: string;
  /** A hash of all that the call asks for. */
  fingerprint: string;
};

/** What a call was answered. */
export type KeptAnswer = {
  requestId: string;
  /** As the client wrote it. null: the call did not come so far. */
  model: string | null;
  isStream: boolean;
  said:
    | { status: number; headers: Record<string, string>; body: string | Uint8Array }
    /** The call was bought and refused all the same. */
    | { refusal: "billingFailed" };
};

/** An answer without its body, which lies behind it. */
type Head = Omit<KeptAnswer, "said"> & {
  said: { status: number; headers: Record<string, string>; isText: boolean } | { refusal: "billingFailed" };
};

/** Under what a call's row is found. The same text is another call's for another key. */
export const hashOf = ({ accountId, keyId, key }: IdempotentCall): string =>
  createHash("sha256").update([accountId, keyId, key].join("\n")).digest("hex");

const ownerOf = ({ accountId, key }: IdempotentCall): PayloadOwner => ({
  purpose: "tollgate idempotent call",
  id: key,
  accountId,
});

const LINE_END = 0x0a;

function headOf({ said, ...answer }: KeptAnswer): Head {
  if ("refusal" in said) {
    return { ...answer, said };
  }
  const { body, ...head } = said;
  return { ...answer, said: { ...head, isText: typeof body === "string" } };
}

export function sealAnswer(call: IdempotentCall, answer: KeptAnswer, secret: string): Promise<Buffer> {
  const body = "body" in answer.said ? answer.said.body : "";
  // A text of megabytes is not printed into JSON, where it would be read once more.
  const plain = [Buffer.from(`${JSON.stringify(headOf(answer))}\n`), Buffer.from(body)];
  return sealPayload(Buffer.concat(plain), ownerOf(call), secret);
}

/** null: it was sealed by a secret that is gone since, or altered. */
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
  const { said, ...answer } = JSON.parse(plain.toString("utf8", 0, end)) as Head;
  if ("refusal" in said) {
    return { ...answer, said };
  }
  const { isText, ...head } = said;
  const body = plain.subarray(end + 1);
  return { ...answer, said: { ...head, body: isText ? body.toString("utf8") : body } };
}
