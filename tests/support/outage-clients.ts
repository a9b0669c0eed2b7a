/** Clients that are a burden: many, slow, or with large bodies. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { postTo } from "./gateway";
import { wholeAnswer } from "./outage-answers";
import type { OutageServices } from "./outages";
import { chatDelta } from "./upstream";

const idle: Socket[] = [];
export async function openIdle({ server }: OutageServices, count: number): Promise<void> {
  const { hostname, port } = new URL(server().url);
  for (let opened = 0; opened < count; opened++) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    idle.push(socket);
    if (opened % 100 === 99) {
      await once(socket, "connect");
    }
  }
}
export const closeIdle = () => idle.splice(0).forEach((socket) => void socket.destroy());

const sending: Promise<string>[] = [];
/** Just below 32 MB, including the text around it. */
const LARGEST_BYTES = 32 * 1024 * 1024 - 4_096;

const busy = new Set<AbortController>();
/** Opens streams of megabytes whose clients read nothing, in addition to the others. */
export async function openSlowReaders(
  { server, secret, model, upstream }: OutageServices,
  count: number,
): Promise<void> {
  upstream.answer(async (call, response, request) => {
    if (JSON.stringify(call.body.messages).includes("very much")) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const words = chatDelta({ content: "x".repeat(16_000) });
      const closed = once(response, "close");
      for (let index = 0; index < 1_000 && !response.destroyed; index++) {
        if (!response.write(words)) {
          await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed]);
        }
      }
      response.end("data: [DONE]\n\n");
      return;
    }
    await wholeAnswer(call, response, request);
  });
  const open = async () => {
    const controller = new AbortController();
    busy.add(controller);
    const body = { model, stream: true, max_tokens: 50, messages: [{ role: "user", content: "very much" }] };
    const { signal } = controller;
    await postTo(server().url)(secret, "chat/completions", body, { signal }).catch(() => {});
  };
  await Promise.all(Array.from({ length: count }, open));
}

/** Clients in separate processes send the largest allowed body, `times` times at once. */
export function sendLarge({ server, senders, model }: OutageServices, times: number): void {
  const words = { role: "user", content: "large ".repeat(LARGEST_BYTES / 6) };
  const body = JSON.stringify({ model, max_tokens: 50, messages: [words] });
  for (const secret of senders) {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const call = JSON.stringify({ url: `${server().url}/v1/chat/completions`, headers, times });
    const client = spawn(process.execPath, ["tests/support/caller-process.mjs", call], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    // The server may refuse it before all is sent.
    client.stdin.on("error", () => {});
    client.stdin.end(body);
    sending.push(text(client.stdout));
  }
}

/** The number of keys with such clients. There is room for one body of each. */
export const SENDERS = 4;

/** Waits until each has been answered: with success, or with no room or no time for its body now. */
export async function endSenders({ upstream }: OutageServices): Promise<void> {
  const answers = (await Promise.all(sending.splice(0))).flatMap(
    (printed) => JSON.parse(printed) as { status: number }[],
  );
  const statuses = new Set(answers.map(({ status }) => status));
  const odd = [...statuses].filter((status) => ![200, 429, 502, 503, 0].includes(status));
  // These are removed; all other requests to the upstream stay in its list.
  const arrived = upstream.requests.splice(0).filter(({ bytes }) => bytes.length > LARGEST_BYTES).length;
  if (odd.length > 0 || (answers.length === SENDERS && arrived === 0)) {
    throw new Error(`${arrived} large bodies arrived, and were answered with ${[...statuses].join(", ")}`);
  }
}

export const closeSlowReaders = ({ upstream }: OutageServices) => {
  for (const controller of busy) {
    controller.abort();
  }
  busy.clear();
  upstream.answer(wholeAnswer);
};
