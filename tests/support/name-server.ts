import { createSocket, type RemoteInfo } from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canMount, withMounts } from "./namespace";

/** Names below this zone resolve to this machine. */
const ZONE = "tollgate.test";
/** The system's resolver accepts an address, but no port. */
const PORT = 53;
const HOME = Buffer.from([127, 0, 0, 1]);
const [A, NO_SUCH_NAME] = [1, 3];

/** The name in a packet, and the offset after it. */
function readName(packet: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = packet[at] ?? 0; length > 0; length = packet[at] ?? 0) {
    labels.push(packet.toString("latin1", at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  return { name: labels.join("."), end: at + 1 };
}

/** `isKnown`: false answers that there is no such name. It has only IPv4 addresses. */
function answerTo(packet: Buffer, end: number, isKnown: boolean): Buffer {
  const question = packet.subarray(12, end + 4);
  const hasAddress = isKnown && packet.readUInt16BE(end) === A;
  const head = Buffer.from(packet.subarray(0, 12));
  head.writeUInt16BE(0x8580 | (isKnown ? 0 : NO_SUCH_NAME), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(hasAddress ? 1 : 0, 6);
  head.writeUInt32BE(0, 8);
  // The question's name, A, IN, no caching, four bytes.
  const record = Buffer.concat([Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, 0, 0, 4]), HOME]);
  return Buffer.concat([head, question, ...(hasAddress ? [record] : [])]);
}

type Mood = "answers" | "knows nothing" | "is silent";

/** The only name server of a process that is started with it, through the system's own resolver (getaddrinfo). */
export type NameServer = {
  /** Wraps a command so that its name queries come here. */
  around: (command: string[]) => [string, ...string[]];
  nameOf: (what: string) => string;
  /** Sets the answer for one name, until the next change. */
  set: (what: string, mood: Mood) => void;
  /** The number of queries for a name. */
  queryCount: (what: string) => number;
  close: () => Promise<void>;
};

/**
 * null if this machine does not allow it. It uses port 53 of a loopback address, and its own resolv.conf with
 * `options`.
 */
export async function startNameServer(options = ""): Promise<NameServer | null> {
  const address = `127.53.${(process.pid >> 8) & 0xff}.${process.pid & 0xff}`;
  const moods = new Map<string, Mood>();
  const counts = new Map<string, number>();
  const socket = createSocket("udp4");
  socket.on("message", (packet: Buffer, from: RemoteInfo) => {
    const { name, end } = readName(packet);
    const mood = moods.get(name) ?? "answers";
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (mood !== "is silent") {
      const isKnown = mood === "answers" && name.endsWith(ZONE);
      socket.send(answerTo(packet, end, isKnown), from.port, from.address);
    }
  });
  try {
    socket.bind(PORT, address);
    await once(socket, "listening");
  } catch {
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), "tollgate-names-"));
  const file = join(folder, "resolv.conf");
  writeFileSync(file, `nameserver ${address}\n${options}\n`);
  const mounts = `mount --bind '${file}' /etc/resolv.conf`;
  const nameOf = (what: string) => `${what}.${ZONE}`;
  const close = async () => {
    socket.close();
    await once(socket, "close");
    rmSync(folder, { recursive: true, force: true });
  };
  const probe = `require("node:dns").lookup("${nameOf("probe")}", (error) => process.exit(error ? 1 : 0))`;
  if (
    !(await canMount(mounts, [process.execPath, "-e", probe])) ||
    counts.get(nameOf("probe")) === undefined
  ) {
    await close();
    return null;
  }
  return {
    around: (command) => withMounts(mounts, command),
    nameOf,
    set: (what, mood) => void moods.set(nameOf(what), mood),
    queryCount: (what) => counts.get(nameOf(what)) ?? 0,
    close,
  };
}
