import { createHash } from "node:crypto";
import { randomFrom } from "@/tests/support/random";
import type { UpstreamHandler } from "@/tests/support/upstream";
import type { Recording } from "./corpus";

export type Random = () => number;

/** The seed of this run (docs/testing.md). */
export const seed = process.env.TEST_SEED ?? "1";

/** Numbers in [0, 1), the same for the same seed and name. */
export const randomOf = (name: string): Random =>
  randomFrom(createHash("sha256").update(`${seed} ${name}`).digest().readUInt32LE());

const MOST_CUTS = 40;

/** Cuts bytes at a few random places, or none. */
export function cutAtRandom(body: Buffer, random: Random): Buffer[] {
  const count = Math.floor(random() * Math.min(MOST_CUTS, body.length));
  const places = Array.from({ length: count }, () => 1 + Math.floor(random() * (body.length - 1)));
  const edges = [0, ...[...new Set(places)].sort((a, b) => a - b), body.length];
  return edges.slice(1).map((edge, index) => body.subarray(edges[index], edge));
}

/** Each byte in its own write. */
export const cutEverywhere = (body: Buffer): Buffer[] =>
  Array.from(body, (_byte, index) => body.subarray(index, index + 1));

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** An upstream that sends the recorded answer in these pieces. */
export function replay({ status, contentType }: Recording, pieces: Buffer[]): UpstreamHandler {
  return async (_asked, response) => {
    response.writeHead(status, { "content-type": contentType });
    for (const piece of pieces) {
      response.write(piece);
      await nextTurn();
    }
    response.end();
  };
}
