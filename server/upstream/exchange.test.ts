import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { CancellationSource } from "@/server/base/cancellation";
import { allOf } from "@/tests/support/all-of";
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
function asking({ origin, pathname: path }: URL, more: Partial<HttpRequest> = {}) {
  const heard = { sent: 0, over: 0 };
  const client = new CancellationSource();
  const answer = ask(dispatcher, {
    method: "POST",
    origin,
    path,
    headers: {},
    body: "{}",
    cancellation: client,
    onSending: () => void heard.sent++,
    onOver: () => void heard.over++,
    ...more,
  });
  return { answer, heard, client };
}

const readAll = async (body: AsyncIterable<Uint8Array>) => Buffer.concat(await allOf(body));

test("an upstream sends no faster than somebody reads, and no byte of it is lost", async () => {
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
  const { answer, heard } = asking(url);
  const { body } = await answer;
  // The upstream writes as much as the sockets of both sides hold, and then no more.
  let before = -1;
  while (before !== written) {
    before = written;
    await sleep(200);
  }
  expect(written).toBeLessThan(whole.length / 2);
  expect(heard).toEqual({ sent: 1, over: 0 });
  expect((await readAll(body)).equals(whole)).toBe(true);
  expect(heard).toEqual({ sent: 1, over: 1 });
});

test("a hang-up before the answer ends the request, and its place is free once", async () => {
  const reached = gate();
  const closed = gate();
  const url = await upstream((request) => {
    request.once("close", closed.open);
    reached.open();
  });
  const { answer, heard, client } = asking(url);
  await reached.opened;
  client.cancel(new Error("gone"));
  await expect(answer).rejects.toThrow("gone");
  await closed.opened;
  expect(heard).toEqual({ sent: 1, over: 1 });
});

test("who has hung up while it waited for a connection is answered at once, and nothing of it is sent", async () => {
  let requests = 0;
  const url = await upstream((_, response) => {
    requests++;
    response.end();
  });
  const { answer, heard, client } = asking(url);
  client.cancel(new Error("gone"));
  await expect(answer).rejects.toThrow("gone");
  await expect.poll(() => heard.over).toBe(1);
  await (await asking(url).answer).discard();
  expect({ requests, ...heard }).toEqual({ requests: 1, sent: 0, over: 1 });
});

test("a hang-up in the middle of an answer ends it for its reader and for the upstream", async () => {
  const closed = gate();
  const url = await upstream((_, response) => {
    response.once("close", closed.open);
    response.write("word ");
  });
  const { answer, heard, client } = asking(url);
  const { body } = await answer;
  const reading = readAll(body);
  client.cancel(new Error("gone"));
  await expect(reading).rejects.toMatchObject({ reason: "broken" });
  await closed.opened;
  expect(heard.over).toBe(1);
});

test("an answer that has come and is not read yet is cut off by a hang-up, too", async () => {
  const url = await upstream((_, response) => response.end("all of it"));
  const { answer, heard, client } = asking(url);
  const { body } = await answer;
  await expect.poll(() => heard.over).toBe(1);
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
  const { answer, heard } = asking(url);
  const { body, discard } = await answer;
  await leave(body, discard);
  await closed.opened;
  expect(heard.over).toBe(1);
});

test("what came before a break is handed on, and then the break", async () => {
  const url = await upstream((_, response) => {
    response.write("word ", () => setTimeout(() => response.destroy(), 20));
  });
  const { answer, heard } = asking(url);
  const { body } = await answer;
  await expect.poll(() => heard.over).toBe(1);
  const pieces: string[] = [];
  const reading = (async () => {
    for await (const piece of body) {
      pieces.push(Buffer.from(piece).toString());
    }
  })();
  await expect(reading).rejects.toMatchObject({ reason: "broken" });
  expect(pieces).toEqual(["word "]);
});

describe("an answer that is awaited with its body", () => {
  const awaiting = (url: URL) => asking(url, { awaitsBody: true });

  /** Whether the answer has been handed over. */
  const watch = (answer: Promise<unknown>) => {
    const seen = { isAnswered: false };
    const note = () => {
      seen.isAnswered = true;
    };
    answer.then(note, note);
    return seen;
  };

  test("is handed over with its last byte, and has arrived then", async () => {
    const goOn = gate();
    const url = await upstream(async (_, response) => {
      response.writeHead(429).write("wo");
      await goOn.opened;
      response.write("rd ");
      response.end("by word");
    });
    const heads: number[] = [];
    const { answer } = asking(url, { awaitsBody: true, onHead: (status) => void heads.push(status) });
    const seen = watch(answer);
    await expect.poll(() => heads).toEqual([429]);
    await sleep(50);
    expect(seen.isAnswered).toBe(false);
    goOn.open();
    const { status, body } = await answer;
    expect(status).toBe(429);
    expect(Buffer.concat(body.arrived?.() ?? []).toString()).toBe("word by word");
    expect(await readAll(body)).toHaveLength(0);
  });

  test("is handed over before its end if more comes than is read ahead, and no byte of it is lost", async () => {
    const whole = Buffer.alloc(8 * 1024 * 1024, "0123456789");
    const url = await upstream((_, response) => void response.end(whole));
    const { body } = await awaiting(url).answer;
    expect(body.arrived?.()).toBeNull();
    expect((await readAll(body)).equals(whole)).toBe(true);
  });

  test("and breaks off is an answer, whose reader gets the break", async () => {
    const url = await upstream((_, response) => {
      response.write("word ", () => setTimeout(() => response.destroy(), 20));
    });
    const { answer, heard } = awaiting(url);
    const { status, body } = await answer;
    expect([status, body.arrived?.()]).toEqual([200, null]);
    await expect(readAll(body)).rejects.toMatchObject({ reason: "broken" });
    expect(heard).toEqual({ sent: 1, over: 1 });
  });

  test("ends with the client's hang-up in the middle of it", async () => {
    const reached = gate();
    const closed = gate();
    const url = await upstream((_, response) => {
      response.once("close", closed.open);
      response.write("word ", reached.open);
    });
    const { answer, heard, client } = awaiting(url);
    const seen = watch(answer);
    await reached.opened;
    await sleep(50);
    expect(seen.isAnswered).toBe(false);
    client.cancel(new Error("gone"));
    await expect(answer).rejects.toThrow("gone");
    await closed.opened;
    expect(heard).toEqual({ sent: 1, over: 1 });
  });

  test("and came, but was not read yet, is cut off by a hang-up", async () => {
    const url = await upstream((_, response) => response.end("all of it"));
    const { answer, client } = awaiting(url);
    const { body } = await answer;
    client.cancel();
    expect(body.arrived?.()).toBeNull();
    await expect(readAll(body)).rejects.toMatchObject({ reason: "broken" });
  });
});

test("an upstream that says nothing for longer than it may is given up", async () => {
  const url = await upstream((_, response) => void response.write("word "));
  const { answer } = asking(url, { idleMs: 50 });
  await expect(readAll((await answer).body)).rejects.toMatchObject({ reason: "broken" });
});
