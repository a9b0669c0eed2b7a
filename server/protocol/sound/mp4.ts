/** MP4, M4A and QuickTime: tables of samples, whole (`moov`) or in fragments (`moof`). */
import { byteAt, isAt, u16be, u32be, u64be } from "./bytes";
import { type Length, mostOf } from "./length";
import { AAC_SAMPLES, aacRate, LEAST_AAC_RATE } from "./mpeg";

type Box = { type: string; from: number; to: number };

/** The boxes between two positions. A box that is cut off ends at the second position. */
function* boxesIn(bytes: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const shortSize = u32be(bytes, at);
    const head = shortSize === 1 ? 16 : 8;
    const size = shortSize === 1 ? u64be(bytes, at + 8) : shortSize || to - at;
    if (size < head) {
      return;
    }
    yield { type: bytes.toString("latin1", at + 4, at + 8), from: at + head, to: Math.min(at + size, to) };
    at += size;
  }
}

/** The first box on this path of nested types. null: there is none. */
function find(bytes: Buffer, { from, to }: Omit<Box, "type">, [type, ...deeper]: string[]): Box | null {
  for (const box of boxesIn(bytes, from, to)) {
    if (box.type === type) {
      return deeper.length === 0 ? box : find(bytes, box, deeper);
    }
  }
  return null;
}

/** A duration and its time scale, from a box that has both (`mvhd`, `mdhd`). */
function saidIn(bytes: Buffer, box: Box | null): { scale: number; seconds: number } {
  const isLong = box !== null && byteAt(bytes, box.from) === 1;
  const at = (box?.from ?? bytes.byteLength) + (isLong ? 20 : 12);
  const scale = u32be(bytes, at);
  const duration = isLong ? u64be(bytes, at + 4) : u32be(bytes, at + 4);
  const isKnown = scale > 0 && duration !== 0xffff_ffff;
  return { scale, seconds: isKnown ? duration / scale : 0 };
}

/** Adds up pairs of a count and a number, 8 bytes each (`stts`). */
function sumOfTimes(bytes: Buffer, box: Box | null): { samples: number; time: number } {
  let [samples, time] = [0, 0];
  for (let at = (box?.from ?? 0) + 8; box !== null && at + 8 <= box.to; at += 8) {
    samples += u32be(bytes, at);
    time += u32be(bytes, at) * u32be(bytes, at + 4);
  }
  return { samples, time };
}

/** The length of an ES descriptor's fields before the next descriptor. */
function restOf(bytes: Buffer, at: number): number {
  const flags = byteAt(bytes, at + 2);
  const depends = flags & 0x80 ? 2 : 0;
  const address = flags & 0x40 ? 1 + byteAt(bytes, at + 3 + depends) : 0;
  return 3 + depends + address + (flags & 0x20 ? 2 : 0);
}

/** The sample rate for an AAC decoder, in the last of three descriptors. null: unreadable. */
function aacSettings(bytes: Buffer): number | null {
  let at = 0;
  for (let depth = 0; depth < 3; depth++) {
    const tag = byteAt(bytes, at);
    do {
      at++;
    } while (byteAt(bytes, at) >= 0x80);
    at++;
    if (tag === 5) {
      const index = (u16be(bytes, at) >> 7) & 15;
      return index === 15 ? (u32be(bytes, at + 1) >>> 7) & 0xff_ffff || null : aacRate(index);
    }
    at += tag === 3 ? restOf(bytes, at) : 13;
  }
  return null;
}

/** Seconds of one AAC sample, which the decoder fixes, whatever the tables say. null: another codec. */
function secondsOfSample(bytes: Buffer, description: Box | null): number | null {
  const entry = bytes.subarray((description?.from ?? bytes.byteLength) + 8, description?.to);
  if (!isAt(entry, 4, "mp4a")) {
    return null;
  }
  const settings = entry.indexOf("esds", 0, "latin1");
  const rate = settings < 0 ? null : aacSettings(entry.subarray(settings + 8));
  return AAC_SAMPLES / (rate ?? LEAST_AAC_RATE);
}

type Track = {
  id: number;
  scale: number;
  sample: number | null;
  samples: number;
  time: number;
  claimedSeconds: number;
};

/** Reads an audio track. null: a track of another kind. */
function readTrack(bytes: Buffer, track: Box): Track | null {
  const media = find(bytes, track, ["mdia"]);
  const handler = media && find(bytes, media, ["hdlr"]);
  const table = media && find(bytes, media, ["minf", "stbl"]);
  if (!media || !table || (handler && !isAt(bytes, handler.from + 8, "soun"))) {
    return null;
  }
  const head = find(bytes, track, ["tkhd"]);
  const { scale, seconds } = saidIn(bytes, find(bytes, media, ["mdhd"]));
  const times = sumOfTimes(bytes, find(bytes, table, ["stts"]));
  const sizes = find(bytes, table, ["stsz"]) ?? find(bytes, table, ["stz2"]);
  return {
    id: head ? u32be(bytes, head.from + (byteAt(bytes, head.from) === 1 ? 20 : 12)) : 0,
    scale: scale || 1,
    sample: secondsOfSample(bytes, find(bytes, table, ["stsd"])),
    samples: Math.max(times.samples, sizes ? u32be(bytes, sizes.from + 8) : 0),
    time: times.time,
    claimedSeconds: seconds,
  };
}

/** Audio tracks by their numbers, and the default sample duration of fragments. */
type Tracks = { tracks: Map<number, Track>; usual: Map<number, number> };

/** Adds a fragment's samples and their times to its track. */
function addFragment(bytes: Buffer, box: Box, { tracks, usual }: Tracks): void {
  const head = find(bytes, box, ["tfhd"]);
  const id = head ? u32be(bytes, head.from + 4) : 0;
  const track = tracks.get(id);
  if (!head || !track) {
    return;
  }
  const flags = u32be(bytes, head.from) & 0xff_ffff;
  const own = head.from + 8 + (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0);
  const each = flags & 8 ? u32be(bytes, own) : (usual.get(id) ?? 0);
  for (const run of boxesIn(bytes, box.from, box.to)) {
    if (run.type !== "trun") {
      continue;
    }
    const runFlags = u32be(bytes, run.from) & 0xff_ffff;
    const count = u32be(bytes, run.from + 4);
    track.samples += count;
    if ((runFlags & 0x100) === 0) {
      track.time += count * each;
      continue;
    }
    const step = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => runFlags & flag).length;
    const first = run.from + 8 + (runFlags & 1 ? 4 : 0) + (runFlags & 4 ? 4 : 0);
    for (let at = first, left = count; left > 0 && at + 4 <= run.to; at += step, left--) {
      track.time += u32be(bytes, at);
    }
  }
}

/** The seconds that an edit list plays, which may repeat a part of the track many times. */
function edited(bytes: Buffer, track: Box, scale: number): number {
  const list = find(bytes, track, ["edts", "elst"]);
  const isLong = list !== null && byteAt(bytes, list.from) === 1;
  let sum = 0;
  for (let at = (list?.from ?? 0) + 8; list !== null && at + 12 <= list.to; at += isLong ? 20 : 12) {
    sum += isLong ? u64be(bytes, at) : u32be(bytes, at);
  }
  return scale > 0 ? sum / scale : 0;
}

const BEGINNINGS = ["ftyp", "moov", "mdat", "wide", "free", "skip", "styp"];

/** null: not such a file, or there is no audio in it. */
export function lengthOfMp4(bytes: Buffer): Length | null {
  if (!BEGINNINGS.includes(bytes.toString("latin1", 4, 8))) {
    return null;
  }
  const tracks = new Map<number, Track>();
  const usual = new Map<number, number>();
  let claimed = 0;
  for (const top of boxesIn(bytes, 0, bytes.byteLength)) {
    const inner = top.type === "moov" || top.type === "moof" ? boxesIn(bytes, top.from, top.to) : [];
    const movie = saidIn(bytes, top.type === "moov" ? find(bytes, top, ["mvhd"]) : null);
    claimed = Math.max(claimed, movie.seconds);
    for (const box of inner) {
      const track = box.type === "trak" ? readTrack(bytes, box) : null;
      if (track) {
        // Of two tracks with one number, a decoder may play either.
        const { samples = 0, time = 0 } = tracks.get(track.id) ?? {};
        tracks.set(track.id, { ...track, samples: track.samples + samples, time: track.time + time });
        claimed = Math.max(claimed, track.claimedSeconds, edited(bytes, box, movie.scale));
      } else if (box.type === "mvex") {
        for (const { type, from } of boxesIn(bytes, box.from, box.to)) {
          if (type === "trex") {
            usual.set(u32be(bytes, from + 4), u32be(bytes, from + 12));
          }
        }
      } else if (box.type === "traf") {
        addFragment(bytes, box, { tracks, usual });
      }
    }
  }
  const all = [...tracks.values()];
  const seconds = all.reduce(
    (max, { time, scale, samples, sample }) => Math.max(max, time / scale, samples * (sample ?? 0)),
    0,
  );
  // Other codecs have only the durations in the tables.
  const isTold = all.some(({ sample }) => sample === null);
  const limit = Math.max(seconds, claimed, isTold ? mostOf(bytes.byteLength) : 0);
  return tracks.size === 0 ? null : { seconds, maxSeconds: limit };
}
