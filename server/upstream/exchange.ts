/** One request and its answer over undici, without the streams that its own `request` builds around every call. */
import type { Dispatcher } from "undici";
import type { Cancellation } from "@/server/base/cancellation";
import { UpstreamFault } from "./adapter";

export type HttpRequest = {
  method: "GET" | "POST" | "DELETE";
  url: URL;
  headers: Record<string, string>;
  body?: string | Uint8Array;
  /** Ends the exchange at any time, with its reason. */
  cancellation: Cancellation;
  /** The longest silence of the upstream; without it only the cancellation ends a silence. */
  idleMs?: number;
  /** Called when the request is written to a socket: an earlier failure has not reached the upstream. */
  onSending?: () => void;
  /** Called once when the exchange is over, however it ended. */
  onOver?: () => void;
};

export type HttpResponse = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** For one reader. Ends in UpstreamFault `broken` if it is cut off or aborted. */
  body: AsyncIterable<Uint8Array>;
  /** Drops the unread rest, and the connection if more is to come. */
  discard: () => void;
};

type Controller = Dispatcher.DispatchController;

/** The most unread bytes before the upstream has to wait. */
const HIGH_WATER_BYTES = 64 * 1024;

const toError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));

class HttpExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<HttpResponse>;
  private readonly question: HttpRequest;
  private resolve: (answer: HttpResponse) => void = () => {};
  private reject: (reason: unknown) => void = () => {};
  private controller: Controller | null = null;
  private isOver = false;
  /** Unread pieces of the body. */
  private waiting: Uint8Array[] = [];
  private waitingBytes = 0;
  /** How the body ended. */
  private end: { fault: Error | null } | null = null;
  private wake = () => {};

  constructor(question: HttpRequest) {
    this.question = question;
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    question.cancellation.add(this.onCancel);
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller;
    // The deadline passed while the request waited for a connection: it is not written.
    if (this.end?.fault) {
      controller.abort(this.end.fault);
    } else {
      this.question.onSending?.();
    }
  }

  onResponseStart(_controller: Controller, status: number, headers: HttpResponse["headers"]): void {
    if (status >= 200) {
      const leave = () => this.stop(new Error("nobody reads on"));
      const pieces: AsyncIterator<Uint8Array, undefined> = {
        next: () => this.next(),
        return: async () => {
          leave();
          return { done: true, value: undefined };
        },
      };
      this.resolve({ status, headers, body: { [Symbol.asyncIterator]: () => pieces }, discard: leave });
    }
  }

  onResponseData(controller: Controller, piece: Uint8Array): void {
    if (this.end === null) {
      this.waiting.push(piece);
      this.waitingBytes += piece.byteLength;
      if (this.waitingBytes >= HIGH_WATER_BYTES) {
        controller.pause();
      }
      this.wake();
    }
  }

  onResponseEnd(): void {
    this.end ??= { fault: null };
    this.over();
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.fail(error);
    this.over();
  }

  /** Ends the exchange from this side and drops the unread pieces. */
  private stop(reason: Error): void {
    this.waiting = [];
    this.fail(reason);
    if (!this.isOver) {
      this.controller?.abort(reason);
    }
  }

  private readonly onCancel = () => {
    // Also cuts off an exchange that has ended and is still being read.
    this.end = null;
    const { reason } = this.question.cancellation;
    this.reject(reason);
    this.stop(toError(reason));
  };

  private fail(fault: Error): void {
    this.end ??= { fault };
    this.reject(fault);
    this.question.cancellation.delete(this.onCancel);
    this.wake();
  }

  private over(): void {
    if (!this.isOver) {
      this.isOver = true;
      this.question.onOver?.();
      this.wake();
    }
  }

  /** Returns all unread pieces as one: a slow reader then takes fewer steps. */
  private take(): Uint8Array | null {
    const [first = null] = this.waiting;
    const all = this.waiting.length > 1 ? Buffer.concat(this.waiting) : first;
    this.waiting = [];
    this.waitingBytes = 0;
    return all;
  }

  /** Returns the next piece. Not a generator: it would pass every piece through three more promises. */
  private next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const piece = this.take();
    if (piece !== null) {
      this.controller?.resume();
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.end === null) {
      const woken = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      return woken.then(() => this.next());
    }
    const { fault } = this.end;
    this.question.cancellation.delete(this.onCancel);
    return fault === null
      ? Promise.resolve({ done: true, value: undefined })
      : Promise.reject(new UpstreamFault("broken", String(fault), { cause: fault }));
  }
}

/**
 * Sends a request to an upstream. Returns the answer's head, whatever its status; reads the body no faster than its
 * reader. Throws undici's error for a request without an answer, and the cancellation's reason.
 */
export async function ask(dispatcher: Dispatcher, question: HttpRequest): Promise<HttpResponse> {
  const { url, method, headers, body, idleMs, cancellation, onOver } = question;
  if (cancellation.isCancelled) {
    onOver?.();
    throw cancellation.reason;
  }
  const exchange = new HttpExchange(question);
  const times = idleMs === undefined ? {} : { headersTimeout: idleMs, bodyTimeout: idleMs };
  dispatcher.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method, headers, body: body ?? null, ...times },
    exchange,
  );
  return await exchange.answer;
}
