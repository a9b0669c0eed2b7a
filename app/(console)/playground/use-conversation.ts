import { useEffect, useRef, useState } from "react";
import { CallFailed, type CallFailure, callGateway, eventsOf, failureOf } from "./call";
import { dialects, type PlaygroundDialect, type PlaygroundSettings } from "./dialect";
import { append, beginExchange, type Exchange, historyOf } from "./exchange";

type PlaygroundConversation = {
  exchanges: Exchange[];
  isRunning: boolean;
  send: (prompt: string, settings: PlaygroundSettings) => void;
  /** Stops the answer. The text so far is charged, and stays. */
  stop: () => void;
  clear: () => void;
  /** Asks the last question again, in place of its answer. */
  retry: (settings: PlaygroundSettings) => void;
};

type Update = (change: (exchange: Exchange) => Exchange) => void;

type ConversationQuestion = {
  dialect: PlaygroundDialect;
  settings: PlaygroundSettings;
  earlier: Exchange[];
  prompt: string;
};

/** Makes the call and passes each event of its answer to `update`. */
async function ask(
  { dialect, settings, earlier, prompt }: ConversationQuestion,
  signal: AbortSignal,
  update: Update,
) {
  const { path, headers, body, read } = dialects[dialect];
  const begun = performance.now();
  const sinceMs = () => Math.round(performance.now() - begun);
  const messages = [...historyOf(earlier), { role: "user" as const, content: prompt }];
  const fail = (failure: CallFailure) =>
    update((exchange) => ({ ...exchange, state: "failed", failure, elapsedMs: sinceMs() }));
  let requestId: string | null = null;
  try {
    const response = await callGateway({ path, headers, body: body(settings, messages), signal });
    requestId = response.headers.get("x-request-id");
    update((exchange) => ({ ...exchange, requestId }));
    for await (const data of eventsOf(response)) {
      const delta = read(data);
      if (delta?.failure !== undefined) {
        throw new CallFailed({ status: null, slug: "interrupted", requestId, raw: delta.failure });
      }
      if (delta) {
        update((exchange) => append(exchange, delta, sinceMs()));
      }
    }
    update((exchange) => ({ ...exchange, state: "done", elapsedMs: sinceMs() }));
  } catch (error) {
    if (signal.aborted) {
      update((exchange) => ({ ...exchange, state: "stopped", elapsedMs: sinceMs() }));
    } else {
      const failure = failureOf(error);
      fail({ ...failure, requestId: failure.requestId ?? requestId });
    }
  }
}

/** A thread in one dialect. It lives as long as its tab is open. */
export function useConversation(dialect: PlaygroundDialect): PlaygroundConversation {
  const [exchanges, setExchanges] = useState<Exchange[]>([]);
  const call = useRef<AbortController>(null);
  const serial = useRef(0);
  // A user who leaves the page gets no more text and should not pay for it.
  useEffect(() => () => call.current?.abort(), []);

  const begin = (prompt: string, settings: PlaygroundSettings, earlier: Exchange[]) => {
    const id = ++serial.current;
    const controller = new AbortController();
    call.current = controller;
    setExchanges([...earlier, beginExchange({ id, prompt, model: settings.model })]);
    void ask({ dialect, settings, earlier, prompt }, controller.signal, (change) =>
      setExchanges((all) => all.map((exchange) => (exchange.id === id ? change(exchange) : exchange))),
    );
  };

  return {
    exchanges,
    isRunning: exchanges.at(-1)?.state === "running",
    send: (prompt, settings) => begin(prompt, settings, exchanges),
    stop: () => call.current?.abort(),
    clear: () => {
      call.current?.abort();
      setExchanges([]);
    },
    retry: (settings) => {
      const last = exchanges.at(-1);
      if (last) {
        begin(last.prompt, settings, exchanges.slice(0, -1));
      }
    },
  };
}
