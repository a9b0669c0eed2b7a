import type { BodyBytes } from "./body-bytes";

/** In characters or bytes: ten pictures of 3.5 MB in base64, the largest that a model says. What is longer is not kept. */
const MAX_LENGTH = 48 * 1024 * 1024;
/** What a tape asks for at a time. */
const STEP_LENGTH = 256 * 1024;

/** Text, or the bytes of what is none. */
type Piece = string | Uint8Array;

/** What a call says, for its repeats. */
export type Tape = {
  /** Takes the room that it needs from what the account may have of bodies. */
  add: (piece: Piece) => Promise<void>;
  /** Of a stream that nobody hears any more: it takes no room, which its call has given back. */
  addLast: (text: string) => void;
  /** Text, where all of it is. null: it was too much. */
  body: () => Piece | null;
  isLost: () => boolean;
  /** Keeps nothing of it. */
  lose: () => void;
};

export function createTape(bytes: Pick<BodyBytes, "take" | "release">): Tape {
  const pieces: Piece[] = [];
  let size = 0;
  let room = 0;
  let isLost = false;
  const lose = () => {
    isLost = true;
    pieces.length = 0;
  };
  return {
    add: async (piece) => {
      size += piece.length;
      if (isLost || size > MAX_LENGTH) {
        lose();
        return;
      }
      pieces.push(piece);
      if (size > room) {
        const more = Math.max(STEP_LENGTH, size - room);
        room += more;
        // Whoever has no room for it gets the answer all the same.
        await bytes.take(more).catch(lose);
      }
    },
    addLast: (text) => {
      size += text.length;
      if (isLost || size > MAX_LENGTH) {
        lose();
        return;
      }
      pieces.push(text);
    },
    isLost: () => isLost,
    lose,
    body: () => {
      if (isLost) {
        return null;
      }
      return pieces.every((piece) => typeof piece === "string")
        ? pieces.join("")
        : Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)));
    },
  };
}
