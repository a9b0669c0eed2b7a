/** Connections that are silent for longer than a look at their server takes. Looks and time are the test's. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { lookAtServers } from "@/server/db";
import { followConnections } from "@/server/db/silent-servers";
import { listen } from "@/tests/support/listen";
import { until } from "@/tests/support/until";
import { virtualTimers } from "@/tests/support/virtual-clock";

const accepted: Socket[] = [];
const server = createServer((socket) => void accepted.push(socket.on("error", () => {})));
let port: number;
beforeAll(async () => {
  port = await listen(server);
});
afterAll(() => void server.close());

type Answer = "answers" | "refuses" | "nothing";

/** Follows a silent connection whose server gives these answers, the last one from then on. */
async function follow(answers: Answer[]) {
  const place = { host: "127.0.0.1", port };
  const other = { host: "127.0.0.1", port: 1, role: "primary", isAlive: true };
  const timers = virtualTimers();
  let looks = 0;
  const followSocket = followConnections({
    timers,
    look: async () => {
      const answer = answers[Math.min(looks, answers.length - 1)];
      looks++;
      const role = answer === "answers" ? "primary" : null;
      return [{ ...place, role, isAlive: answer !== "nothing" }, other];
    },
    isWanted: ({ role }) => role === "primary",
  });
  const socket = connect(place.port, place.host)
    .resume()
    .on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  await until(() => accepted.some(({ remotePort }) => remotePort === socket.localPort));
  const serverSide = accepted.find(({ remotePort }) => remotePort === socket.localPort);
  followSocket(socket, place);
  return {
    speak: async () => {
      const before = socket.bytesRead;
      serverSide?.write(".");
      await until(() => socket.bytesRead > before);
    },
    /** Lets time pass. Returns the looks so far and whether the connection is open. */
    pass: async (ms: number) => {
      timers.advance(ms);
      // The looks that have begun end in the next turns.
      await new Promise((resolve) => setImmediate(resolve));
      return { looks, isOpen: !socket.destroyed };
    },
  };
}

test("is closed after two looks without an answer, of which the second follows soon", async () => {
  const { pass } = await follow(["nothing"]);
  expect(await pass(5_000)).toEqual({ looks: 0, isOpen: true });
  expect(await pass(5_000)).toEqual({ looks: 1, isOpen: true });
  expect(await pass(2_400)).toEqual({ looks: 1, isOpen: true });
  expect(await pass(100)).toEqual({ looks: 2, isOpen: false });
});

test.each<Answer[][]>([[["nothing", "answers", "nothing", "refuses", "nothing", "answers"]], [["refuses"]]])(
  "stays if its server answers in between, or refuses others: %j",
  async (answers) => {
    const { pass } = await follow(answers);
    let { looks, isOpen } = await pass(5_000);
    for (let rounds = 0; rounds < 20; rounds++) {
      ({ looks, isOpen } = await pass(2_500));
      expect(isOpen).toBe(true);
      if (looks >= answers.length && looks >= 3) {
        break;
      }
    }
    expect(looks).toBeGreaterThanOrEqual(3);
  },
);

test("stays while it speaks, however often its server does not answer a look", async () => {
  const { pass, speak } = await follow(["nothing"]);
  await pass(5_000);
  for (let silences = 1; silences <= 3; silences++) {
    expect(await pass(5_000)).toEqual({ looks: 2 * silences - 1, isOpen: true });
    await speak();
    expect(await pass(2_500)).toEqual({ looks: 2 * silences, isOpen: true });
    // The round that hears it.
    await pass(2_500);
  }
});

/** A server that refuses every connection with this SQLSTATE. */
function createRefusing(code: string) {
  const fields = Buffer.from(`SFATAL\0C${code}\0Mrefused\0\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(fields.length + 4, 1);
  return createServer((socket) => {
    socket.on("error", () => {}).on("data", () => void socket.end(Buffer.concat([head, fields])));
  });
}

test.each([
  ["08P01", "no answer: a pooler may say it of a dead server", false],
  ["57P03", "no answer: a server that starts has lost its connections", false],
  ["53300", "an answer: it has no connection left", true],
  ["28000", "an answer: it refuses the login", true],
  ["3D000", "an answer: it lacks the database", true],
  ["42501", "an answer: it lacks the permission", true],
])("a refusal with %s is %s", async (code, _, isAlive) => {
  const refusing = createRefusing(code);
  onTestFinished(() => void refusing.close());
  const [look] =
    (await lookAtServers(`postgres://name@127.0.0.1:${await listen(refusing)},127.0.0.1:1/none`)) ?? [];
  expect(look).toMatchObject({ role: null, refusal: expect.stringContaining(`(${code})`), isAlive });
});
