import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { collectItems } from "@/tests/support/collect-items";
import { gate } from "@/tests/support/gate";
import { end, listen } from "@/tests/support/listen";
import { ask, type HttpRequest } from "./exchange";

const dispatcher = new Agent();
afterAll(() => dispatcher.destroy());

async function upstream(listener: RequestListener): Promise<URL> {
  const server = createServer(listener);
  onTestFinished(() => end(server));
  return new URL(`http://127.0.0.1:${await listen(server)}`);
}

/** Sends a request, and counts the callbacks. */
function sendRequest({ origin, pathname: path }: URL, more: Partial<HttpRequest> = {}) {
  const calls = { sent: 0, over: 0 };
  const client = new CancellationSource();
  const answer = ask(dispatcher, {
    method: "POST",
    origin,
    path,
    headers: {},
    body: "{}",
    cancellation: client,
    onSending: () => void calls.sent++,
    onOver: () => void calls.over++,
    ...more,
  });
  return { answer, calls, client };
}

const readAll = async (body: AsyncIterable<Uint8Array>) => Buffer.concat(await collectItems(body));

test("an upstream sends no faster than the gateway reads, and no byte is lost", async () => {
  const whole = Buffer.alloc(64 * 1024 * 1024);
  for (let place = 0; place < whole.length; place += 4) {
    whole.writeUInt32LE(place, place);
  }
  let written = 0;
  const url = await upstream(async (_, response) => {
    for (; written < whole.length; written += 64 * 1024) {
      if (!response.write(whole.subarray(written, written + 64 * 1024))) {
        await once(response, "drain");
      }
    }
    response.end();
  });
  const { answer, calls } = sendRequest(url);
  const { body } = await answer;
  // The upstream writes as much as the sockets of both sides hold, and then no more.
  let before = -1;
  while (before !== written) {
    before = written;
    await sleep(200);
  }
  expect(written).toBeLessThan(whole.length / 2);
  expect(calls).toEqual({ sent: 1, over: 0 });
  expect((await readAll(body)).equals(whole)).toBe(true);
  expect(calls).toEqual({ sent: 1, over: 1 });
});

test("a client that hangs up before the answer ends the request, and its place is freed once", async () => {
  const reached = gate();
  const closed = gate();
  const url = await upstream((request) => {
    request.once("close", closed.open);
    reached.open();
  });
  const { answer, calls, client } = sendRequest(url);
  await reached.opened;
  client.cancel(new Error("gone"));
  await expect(answer).rejects.toThrow("gone");
  await closed.opened;
  expect(calls).toEqual({ sent: 1, over: 1 });
});

test("a client that hangs up while its call waits for a connection is answered at once, and nothing is sent", async () => {
  let requests = 0;
  const url = await upstream((_, response) => {
    requests++;
    response.end();
  });
  const { answer, calls, client } = sendRequest(url);
  client.cancel(new Error("gone"));
  await expect(answer).rejects.toThrow("gone");
  await expect.poll(() => calls.over).toBe(1);
  await (await sendRequest(url).answer).discard();
  expect({ requests, ...calls }).toEqual({ requests: 1, sent: 0, over: 1 });
});

test("a client that hangs up during an answer ends it for its reader and for the upstream", async () => {
  const closed = gate();
  const url = await upstream((_, response) => {
    response.once("close", closed.open);
    response.write("word ");
  });
  const { answer, calls, client } = sendRequest(url);
  const { body } = await answer;
  const reading = readAll(body);
  client.cancel(new Error("gone"));
  await expect(reading).rejects.toMatchObject({ reason: "broken" });
  await closed.opened;
  expect(calls.over).toBe(1);
});

test("a client that hangs up cuts off an answer that has arrived and is not read yet", async () => {
  const url = await upstream((_, response) => response.end("all of it"));
  const { answer, calls, client } = sendRequest(url);
  const { body } = await answer;
  await expect.poll(() => calls.over).toBe(1);
  client.cancel();
  await expect(readAll(body)).rejects.toMatchObject({ reason: "broken" });
});

test.each([
  ["dropped unread", async (_: AsyncIterable<Uint8Array>, discard: () => void) => discard()],
  [
    "left after its first piece",
    async (body: AsyncIterable<Uint8Array>) => {
      for await (const _ of body) {
        break;
      }
    },
  ],
])("an answer that is %s is not sent any further", async (_, leave) => {
  const closed = gate();
  const url = await upstream((_, response) => {
    response.once("close", closed.open);
    response.write("word ");
  });
  const { answer, calls } = sendRequest(url);
  const { body, discard } = await answer;
  await leave(body, discard);
  await closed.opened;
  expect(calls.over).toBe(1);
});

test("the pieces before a break reach the reader, and then the break", async () => {
  const url = await upstream((_, response) => {
    response.write("word ", () => setTimeout(() => response.destroy(), 20));
  });
  const { answer, calls } = sendRequest(url);
  const { body } = await answer;
  await expect.poll(() => calls.over).toBe(1);
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const piece of body) {
      pieces.push(Buffer.from(piece).toString());
    }
  })();
  await expect(reading).rejects.toMatchObject({ reason: "broken" });
  expect(pieces).toEqual(["word "]);
});

describe("an answer whose call waits for the whole body", () => {
  const awaiting = (url: URL) => sendRequest(url, { awaitsBody: true });

  /** Whether the answer has been handed over. */
  const watch = (answer: Promise<unknown>) => {
    const watched = { isAnswered: false };
    const note = () => {
      watched.isAnswered = true;
    };
    answer.then(note, note);
    return watched;
  };

  test("is handed over after its last byte, and has arrived then", async () => {
    const goOn = gate();
    const url = await upstream(async (_, response) => {
      response.writeHead(429).write("wo");
      await goOn.opened;
      response.write("rd ");
      response.end("by word");
    });
    const heads: number[] = [];
    const { answer } = sendRequest(url, { awaitsBody: true, onHead: (status) => void heads.push(status) });
    const watched = watch(answer);
    await expect.poll(() => heads).toEqual([429]);
    await sleep(50);
    expect(watched.isAnswered).toBe(false);
    goOn.open();
    const { status, body } = await answer;
    expect(status).toBe(429);
    expect(Buffer.concat(body.arrived?.() ?? []).toString()).toBe("word by word");
    expect(await readAll(body)).toHaveLength(0);
  });

  test("is handed over before its end if it is longer than the read-ahead, and no byte is lost", async () => {
    const whole = Buffer.alloc(8 * 1024 * 1024, "0123456789");
    const url = await upstream((_, response) => void response.end(whole));
    const { body } = await awaiting(url).answer;
    expect(body.arrived?.()).toBeNull();
    expect((await readAll(body)).equals(whole)).toBe(true);
  });

  test("is handed over if it breaks off, and its reader gets the break", async () => {
    const url = await upstream((_, response) => {
      response.write("word ", () => setTimeout(() => response.destroy(), 20));
    });
    const { answer, calls } = awaiting(url);
    const { status, body } = await answer;
    expect([status, body.arrived?.()]).toEqual([200, null]);
    await expect(readAll(body)).rejects.toMatchObject({ reason: "broken" });
    expect(calls).toEqual({ sent: 1, over: 1 });
  });

  test("ends if the client hangs up in the middle of it", async () => {
    const reached = gate();
    const closed = gate();
    const url = await upstream((_, response) => {
      response.once("close", closed.open);
      response.write("word ", reached.open);
    });
    const { answer, calls, client } = awaiting(url);
    const watched = watch(answer);
    await reached.opened;
    await sleep(50);
    expect(watched.isAnswered).toBe(false);
    client.cancel(new Error("gone"));
    await expect(answer).rejects.toThrow("gone");
    await closed.opened;
    expect(calls).toEqual({ sent: 1, over: 1 });
  });

  test("is cut off if the client hangs up before it is read", async () => {
    const url = await upstream((_, response) => response.end("all of it"));
    const { answer, client } = awaiting(url);
    const { body } = await answer;
    client.cancel();
    expect(body.arrived?.()).toBeNull();
    await expect(readAll(body)).rejects.toMatchObject({ reason: "broken" });
  });
});

test("an upstream that is silent for too long is given up", async () => {
  const url = await upstream((_, response) => void response.write("word "));
  const { answer } = sendRequest(url, { idleMs: 50 });
  await expect(readAll((await answer).body)).rejects.toMatchObject({ reason: "broken" });
});
