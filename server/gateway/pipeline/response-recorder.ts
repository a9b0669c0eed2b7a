import type { BodyBytes } from "../body/body-bytes";

/**
 * In characters or bytes: ten pictures of 3.5 MB in base64, the largest answer of a model. Longer answers are not kept.
 */
const MAX_LENGTH = 48 * 1024 * 1024;
/** The room that a tape requests at a time. */
const STEP_LENGTH = 256 * 1024;

/** Text, or bytes of anything else. */
type BodyPiece = string | Uint8Array;

/** Records a call's answer, for its repeats. */
export type ResponseRecorder = {
  /** Takes the room that it needs from the account's share of the memory for bodies. */
  add: (piece: BodyPiece) => Promise<void>;
  /** For a stream whose client has gone: takes no room, because the call has given its room back. */
  addLast: (text: string) => void;
  /** Text, if all pieces are text; otherwise bytes. null: the answer is lost. */
  body: () => BodyPiece | null;
  isLost: () => boolean;
  /** Drops the recording. */
  lose: () => void;
};

export function createResponseRecorder(bytes: Pick<BodyBytes, "take" | "release">): ResponseRecorder {
  const pieces: BodyPiece[] = [];
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
        // Without room the client gets the answer all the same, and the recording is dropped.
        try {
          await bytes.take(more);
        } catch {
          lose();
        }
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
