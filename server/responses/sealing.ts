import { createHash } from "node:crypto";
import { openPayload, type PayloadOwner, sealPayload } from "@/server/base/sealed-payload";
import { inTurns } from "@/server/base/turns";
import { parseCarrying } from "@/server/protocol/exact-numbers";
import { printInSteps } from "@/server/protocol/json-print";
import { MAX_AT_ONCE_CHARACTERS, parseInTurns } from "@/server/protocol/json-turns";

/** Under what a response's row is found; the identifier has too much chance in it to be guessed from this. */
export const hashOf = (id: string): string => createHash("sha256").update(id).digest("hex");

type Owner = { id: string; accountId: string };

/** A value as JSON, in pieces. null: it is nested deeper than can be printed in steps. */
export const print = async (value: object): Promise<string[] | null> =>
  (await inTurns(printInSteps(value)))?.pieces ?? null;

/** The same of any value; one that is nested deeper is printed at once. */
export const printAny = async (value: object): Promise<string[]> =>
  (await print(value)) ?? [JSON.stringify(value)];

/** What was printed here. A long one is read in steps, which know a limit of names in one object that requests have not. */
const parse = async (text: string): Promise<unknown> => {
  if (text.length <= MAX_AT_ONCE_CHARACTERS) {
    return parseCarrying(text);
  }
  return await inTurns(parseInTurns(text)).catch(() => parseCarrying(text));
};

/** Payloads of one purpose: what is sealed for one cannot be passed off as another's. */
function sealing(purpose: string) {
  const ownerOf = ({ id, accountId }: Owner): PayloadOwner => ({ purpose, id, accountId });
  return {
    /** `pieces`: of the value's JSON. */
    seal: (pieces: string[], { secret, ...owner }: Owner & { secret: string }): Promise<Buffer> =>
      sealPayload(Buffer.concat(pieces.map((piece) => Buffer.from(piece))), ownerOf(owner), secret),
    /** null: it was sealed with none of these secrets, under another identifier or for another account, or altered. */
    open: async (payload: Buffer, { secrets, ...owner }: Owner & { secrets: string[] }): Promise<unknown> => {
      const plain = await openPayload(payload, ownerOf(owner), secrets);
      return plain && (await parse(plain.toString("utf8")));
    },
  };
}

/** A response as it is kept. */
export const { seal, open } = sealing("tollgate stored response");

/** What a conversation points to, and what its client has noted of it. */
export const { seal: sealConversation, open: openConversation } = sealing("tollgate conversation");

/** What is asked for in the background is read without its client, and goes when it has ended. `id`: its hash. */
export const { seal: sealAsked, open: openAsked } = sealing("tollgate background response");

/** Thinking before a call, whose identifier is `id`. */
export const { seal: sealThinking, open: openThinking } = sealing("tollgate kept thinking");
