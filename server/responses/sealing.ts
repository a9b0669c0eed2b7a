import { createHash } from "node:crypto";
import { openPayload, type PayloadOwner, sealPayload } from "@/server/base/sealed-payload";
import { inTurns, mapInSteps } from "@/server/base/turns";
import { parseCarrying } from "@/server/protocol/json/exact-numbers";
import { printInSteps } from "@/server/protocol/json/print";
import { MAX_AT_ONCE_CHARACTERS, parseInTurns } from "@/server/protocol/json/turns";

/** The hash by which a response's row is found; the identifier has too much randomness to be guessed from it. */
export const hashOf = (id: string): string => createHash("sha256").update(id).digest("hex");

type PayloadRef = { id: string; accountId: string };

/** A value as JSON, in pieces. null: it is nested too deeply to be printed in steps. */
export const print = async (value: object): Promise<string[] | null> =>
  (await inTurns(printInSteps(value)))?.pieces ?? null;

/** As `print`, for any value; one that is nested too deeply is printed at once. */
export const printAny = async (value: object): Promise<string[]> =>
  (await print(value)) ?? [JSON.stringify(value)];

/**
 * Parses JSON that was printed here. A long text is parsed in steps, which limit the number of names in one object.
 * Requests have no such limit: a text beyond it is parsed at once.
 */
const parse = async (text: string): Promise<unknown> => {
  if (text.length <= MAX_AT_ONCE_CHARACTERS) {
    return parseCarrying(text);
  }
  return await inTurns(parseInTurns(text)).catch(() => parseCarrying(text));
};

/** Seals payloads of one purpose: a payload for one purpose cannot be passed off as another's. */
function sealing(purpose: string) {
  const ownerOf = ({ id, accountId }: PayloadRef): PayloadOwner => ({ purpose, id, accountId });
  return {
    /** `pieces`: of the value's JSON. */
    seal: async (
      pieces: string[],
      { secret, ...owner }: PayloadRef & { secret: string },
    ): Promise<Buffer> => {
      const bytes = await inTurns(mapInSteps(pieces, (piece) => Buffer.from(piece), 1));
      return await sealPayload(Buffer.concat(bytes), ownerOf(owner), secret);
    },
    /** null: sealed with none of these secrets, under another identifier or for another account, or altered. */
    open: async (
      payload: Buffer,
      { secrets, ...owner }: PayloadRef & { secrets: string[] },
    ): Promise<unknown> => {
      const plain = await openPayload(payload, ownerOf(owner), secrets);
      return plain && (await parse(plain.toString("utf8")));
    },
  };
}

/** Stored responses. */
export const { seal, open } = sealing("tollgate stored response");

/** The head of a conversation, and its client's notes. */
export const { seal: sealConversation, open: openConversation } = sealing("tollgate conversation");

/**
 * Requests in the background, which are read without their client, and deleted at their end. `id`: the identifier's
 * hash.
 */
export const { seal: sealAsked, open: openAsked } = sealing("tollgate background response");

/** Thinking before a call, whose identifier is `id`. */
export const { seal: sealThinking, open: openThinking } = sealing("tollgate kept thinking");
