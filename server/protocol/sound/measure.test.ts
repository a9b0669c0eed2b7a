import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { recordingOf, wavOf } from "@/tests/support/sound";
import { aacOf, flacOf, id3Of, m4aOf, mp3Of, oggOf } from "@/tests/support/sound-files";
import { measure } from "./measure";

const HOUR = 3_600;
const MB = 1024 * 1024;

const forge = (file: Buffer, at: number, value: number) => {
  const forged = Buffer.from(file);
  forged.writeUInt32LE(value, at);
  return forged;
};

describe("a file is as long as what is in it", () => {
  test.each<[string, Buffer, number]>([
    ["WAV", wavOf(2.5), 2.5],
    ["WAV whose size is open", wavOf(20, { isOpen: true }), 20],
    ["MP3", mp3Of(30), 30],
    ["MP3 that says how many frames it has", mp3Of(30, { claimedFrames: 417 }), 30],
    ["MP3 behind words about it", Buffer.concat([id3Of(200_000), mp3Of(30)]), 30],
    ["AAC", aacOf(30), 30],
    ["FLAC", flacOf(30), 30],
    ["Ogg", oggOf(30), 30],
    ["M4A", m4aOf({ samples: 234, claimedSeconds: 30 }), 30],
    ["MP4 in fragments", m4aOf({ samples: 234, isInFragments: true }), 30],
    ["a browser's recording", recordingOf(12), 12],
  ])("%s", (_name, file, seconds) => {
    const measured = measure(file);
    expect(Math.abs((measured.seconds ?? 0) - seconds)).toBeLessThan(0.3);
    expect(Math.abs(measured.maxSeconds - seconds)).toBeLessThan(0.3);
  });

  test.each<[string, Buffer]>([
    ["MP3 that claims ten frames", mp3Of(HOUR, { claimedFrames: 10 })],
    ["MP3 whose first half is dearer", Buffer.concat([mp3Of(10), aacOf(HOUR)])],
    [
      "MP3 with other bytes between its frames",
      Buffer.concat(Array(50_000).fill(Buffer.concat([mp3Of(0.072), Buffer.from("x")]))),
    ],
    ["AAC of nothing, in a seventh of what speech takes", aacOf(HOUR)],
    ["FLAC of silence that claims a second", flacOf(HOUR, 8_000)],
    ["Ogg that claims a second", oggOf(HOUR, { position: 48_000 })],
    ["Ogg of damaged pages", oggOf(HOUR, { position: 48_000, isDamaged: true })],
    ["M4A that claims a second, of no bytes at all", m4aOf({ samples: 28_125, step: 1, claimedSeconds: 1 })],
    [
      "M4A that claims a second, in fragments",
      m4aOf({ samples: 28_125, step: 1, claimedSeconds: 1, isInFragments: true }),
    ],
    ["WAV that claims to be of many channels' rate", forge(wavOf(HOUR), 28, 4_000_000_000)],
  ])("and an hour is held for %s", (_name, file) => {
    const { seconds, maxSeconds } = measure(file);
    expect(maxSeconds).toBeGreaterThan(HOUR - 1);
    expect(seconds).toBeGreaterThan(HOUR - 1);
  });

  test.each<[string, Buffer]>([
    ["MP3", mp3Of(1, { claimedFrames: 500_000 })],
    ["FLAC", flacOf(1, 10 * HOUR * 8_000)],
    ["Ogg", oggOf(1.02, { position: 10 * HOUR * 48_000 })],
    ["M4A", m4aOf({ samples: 8, claimedSeconds: 10 * HOUR })],
    ["M4A that is played again and again", m4aOf({ samples: 8, edits: Array(HOUR).fill(10) })],
  ])("and ten hours are held, and a second is charged, for %s that claims them", (_name, file) => {
    const { seconds, maxSeconds } = measure(file);
    expect(maxSeconds).toBeGreaterThanOrEqual(10 * HOUR - 1);
    expect(seconds).toBeLessThan(1.3);
  });

  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["a text", Buffer.from("Hello, world!")],
    ["a WAV of nothing", wavOf(0)],
    ["a WAV of no rate", forge(wavOf(1), 24, 0)],
    ["zeros", Buffer.alloc(40_000)],
  ])("nobody can say of %s, which is held by its bytes", (_name, file) => {
    expect(measure(file)).toEqual({ seconds: null, maxSeconds: file.byteLength / 500 });
  });
});

const files = [
  wavOf(1),
  mp3Of(2, { claimedFrames: 3 }),
  aacOf(2),
  flacOf(3),
  oggOf(20),
  m4aOf({ samples: 9, edits: [1] }),
  m4aOf({ samples: 9, isInFragments: true }),
  recordingOf(1),
];

test("whatever is done to a file, it is measured", () => {
  const change = fc.record({ at: fc.nat(), bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }) });
  fc.assert(
    fc.property(
      fc.constantFrom(...files),
      fc.array(change, { maxLength: 6 }),
      fc.nat(),
      (file, changes, cut) => {
        const changed = Buffer.from(file);
        for (const { at, bytes } of changes) {
          changed.set(
            bytes.subarray(0, changed.byteLength - (at % changed.byteLength)),
            at % changed.byteLength,
          );
        }
        const { seconds, maxSeconds } = measure(changed.subarray(0, cut % (2 * changed.byteLength)));
        expect(maxSeconds).toBeGreaterThanOrEqual(seconds ?? 0);
        expect(Number.isFinite(maxSeconds) && maxSeconds >= 0 && (seconds === null || seconds > 0)).toBe(
          true,
        );
      },
    ),
    { numRuns: 2_000 },
  );
});

/** Files that cost as much work as possible. The largest accepted file costs eight times as much. */
test.each<[string, Buffer, Buffer]>([
  ["frames of AAC", Buffer.alloc(0), aacOf(0.128)],
  ["sync bytes", mp3Of(0.072), Buffer.from([0xff])],
  ["frames of no rate", mp3Of(0.072), Buffer.from([0xff, 0xfb, 0x00, 0x00])],
  ["words about it", Buffer.alloc(0), id3Of(1)],
  ["bytes that could begin frames of FLAC", flacOf(1), Buffer.from([0xff, 0xf8, 0xc4, 0x08])],
  ["sync bytes in FLAC", flacOf(1), Buffer.from([0xff])],
  ["empty pages", oggOf(1), oggOf(0).subarray(-44, -16)],
  ["beginnings of pages", oggOf(1), Buffer.from("OggS")],
  ["empty boxes", m4aOf({ samples: 1 }), Buffer.from("\0\0\0\x08moov", "latin1")],
  ["tracks", m4aOf({ samples: 1 }), m4aOf({ samples: 1 }).subarray(16, -16)],
  ["empty elements", recordingOf(1), Buffer.from([0xec, 0x80])],
  ["zeros in WebM", recordingOf(1), Buffer.from([0])],
  ["empty chunks", wavOf(1), Buffer.from("junk\0\0\0\0", "latin1")],
])("4 MB of %s take a moment", (_name, beginning, piece) => {
  const file = Buffer.concat([beginning, Buffer.alloc(4 * MB - beginning.byteLength, piece)]);
  const started = cpuTimeMs();
  measure(file);
  // Measured: at most 200.
  expect(cpuTimeMs() - started).toBeLessThan(1_000);
});
