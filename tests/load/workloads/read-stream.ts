import type { Dispatcher } from "undici";
import { bodyOf, type ChatCall, ENDING, PATH } from "../chat";

/** The address and headers of calls. `secrets`: JSON calls use these keys in turn. */
export type LoadTarget = { url: string; headers: Record<string, string>; secrets?: string[] };

/** Milliseconds since the call was sent. */
type StreamTiming = { firstByteMs: number; endMs: number };

/** The least size of an event with a word: a stream of one event instead of thousands is an error. */
const EVENT_BYTES = 80;

/** Reads one stream to its end. `onBegin`: called at the first event of a 200. Throws if it is not complete. */
export function readStream(
  dispatcher: Dispatcher,
  target: LoadTarget,
  { call, onBegin, onPiece }: { call: ChatCall; onBegin?: () => void; onPiece?: (piece: Buffer) => void },
): Promise<StreamTiming> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let firstByteMs: number | null = null;
    let bytes = 0;
    let tail: Buffer = Buffer.alloc(0);
    let isOk = false;
    dispatcher.dispatch(
      {
        headers: { "content-type": "application/json", ...target.headers },
        ...{ origin: target.url, path: PATH, method: "POST", body: bodyOf(call, true) },
      },
      {
        onRequestStart: () => {},
        onResponseStart: (_controller, status) => {
          isOk = status === 200;
        },
        onResponseData: (_controller, piece) => {
          if (firstByteMs === null) {
            firstByteMs = performance.now() - began;
            isOk && onBegin?.();
          }
          onPiece?.(piece);
          bytes += piece.length;
          tail =
            piece.length >= ENDING.length ? piece : Buffer.concat([tail.subarray(-ENDING.length), piece]);
        },
        onResponseEnd: () => {
          const isWhole = bytes >= call.events * EVENT_BYTES;
          if (isOk && isWhole && firstByteMs !== null && tail.toString("latin1").endsWith(ENDING)) {
            resolve({ firstByteMs, endMs: performance.now() - began });
          } else {
            reject(
              new Error(`a stream of ${bytes} bytes did not end well: ${tail.toString("utf8").slice(-300)}`),
            );
          }
        },
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
