import { createHash } from "node:crypto";
import { openPayload, type PayloadOwner, sealPayload } from "@/server/base/sealed-payload";

/** Under what a response's row is found; the identifier has too much chance in it to be guessed from this. */
export const hashOf = (id: string): string => createHash("sha256").update(id).digest("hex");

const ownerOf = (id: string, accountId: string): PayloadOwner => ({
  purpose: "tollgate stored response",
  id,
  accountId,
});

export const seal = (
  value: unknown,
  { secret, id, accountId }: { secret: string; id: string; accountId: string },
): Promise<Buffer> => sealPayload(Buffer.from(JSON.stringify(value)), ownerOf(id, accountId), secret);

/** null: it was sealed with none of these secrets, under another identifier or for another account, or altered. */
export async function open(
  payload: Buffer,
  { secrets, id, accountId }: { secrets: string[]; id: string; accountId: string },
): Promise<unknown> {
  const plain = await openPayload(payload, ownerOf(id, accountId), secrets);
  return plain && JSON.parse(plain.toString("utf8"));
}

const askedOf = (hash: string, accountId: string): PayloadOwner => ({
  purpose: "tollgate background response",
  id: hash,
  accountId,
});

/** What is asked for in the background is read without its client, and goes when it has ended. `id`: its hash. */
export const sealAsked = (
  value: unknown,
  { secret, id, accountId }: { secret: string; id: string; accountId: string },
): Promise<Buffer> => sealPayload(Buffer.from(JSON.stringify(value)), askedOf(id, accountId), secret);

/** null: as `open`. */
export async function openAsked(
  payload: Buffer,
  { secrets, id, accountId }: { secrets: string[]; id: string; accountId: string },
): Promise<unknown> {
  const plain = await openPayload(payload, askedOf(id, accountId), secrets);
  return plain && JSON.parse(plain.toString("utf8"));
}
