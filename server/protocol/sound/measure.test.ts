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

describe("the length of a file", () => {
  test.each<[string, Buffer, number]>([
    ["WAV", wavOf(2.5), 2.5],
    ["WAV without a size", wavOf(20, { isOpen: true }), 20],
    ["MP3", mp3Of(30), 30],
    ["MP3 with the number of its frames", mp3Of(30, { claimedFrames: 417 }), 30],
    ["MP3 after an ID3 tag", Buffer.concat([id3Of(200_000), mp3Of(30)]), 30],
    ["AAC", aacOf(30), 30],
    ["FLAC", flacOf(30), 30],
    ["Ogg", oggOf(30), 30],
    ["M4A", m4aOf({ samples: 234, claimedSeconds: 30 }), 30],
    ["MP4 in fragments", m4aOf({ samples: 234, isInFragments: true }), 30],
    ["a browser's recording", recordingOf(12), 12],
  ])("follows from its content: %s", (_name, file, seconds) => {
    const measured = measure(file);
    expect(Math.abs((measured.seconds ?? 0) - seconds)).toBeLessThan(0.3);
    expect(Math.abs(measured.maxSeconds - seconds)).toBeLessThan(0.3);
  });

  test.each<[string, Buffer]>([
    ["MP3 that claims ten frames", mp3Of(HOUR, { claimedFrames: 10 })],
    ["MP3 with AAC after it", Buffer.concat([mp3Of(10), aacOf(HOUR)])],
    [
      "MP3 with other bytes between its frames",
      Buffer.concat(Array(50_000).fill(Buffer.concat([mp3Of(0.072), Buffer.from("x")]))),
    ],
    ["AAC of silence, in a seventh of the bytes of speech", aacOf(HOUR)],
    ["FLAC of silence that claims a second", flacOf(HOUR, 8_000)],
    ["Ogg that claims a second", oggOf(HOUR, { position: 48_000 })],
    ["Ogg of damaged pages", oggOf(HOUR, { position: 48_000, isDamaged: true })],
    ["M4A that claims a second, with empty samples", m4aOf({ samples: 28_125, step: 1, claimedSeconds: 1 })],
    [
      "M4A that claims a second, in fragments",
      m4aOf({ samples: 28_125, step: 1, claimedSeconds: 1, isInFragments: true }),
    ],
    ["WAV that claims a very high rate", forge(wavOf(HOUR), 28, 4_000_000_000)],
  ])("is an hour for %s", (_name, file) => {
    const { seconds, maxSeconds } = measure(file);
    expect(maxSeconds).toBeGreaterThan(HOUR - 1);
    expect(seconds).toBeGreaterThan(HOUR - 1);
  });

  test.each<[string, Buffer]>([
    ["MP3", mp3Of(1, { claimedFrames: 500_000 })],
    ["FLAC", flacOf(1, 10 * HOUR * 8_000)],
    ["Ogg", oggOf(1.02, { position: 10 * HOUR * 48_000 })],
    ["M4A", m4aOf({ samples: 8, claimedSeconds: 10 * HOUR })],
    ["M4A with a repeated edit", m4aOf({ samples: 8, edits: Array(HOUR).fill(10) })],
  ])("is ten hours for the hold and a second for the charge, for %s that claims ten hours", (_name, file) => {
    const { seconds, maxSeconds } = measure(file);
    expect(maxSeconds).toBeGreaterThanOrEqual(10 * HOUR - 1);
    expect(seconds).toBeLessThan(1.3);
  });

  test.each<[string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["a text", Buffer.from("Hello, world!")],
    ["an empty WAV", wavOf(0)],
    ["a WAV without a rate", forge(wavOf(1), 24, 0)],
    ["zeros", Buffer.alloc(40_000)],
  ])("is unknown for %s, and the hold covers its bytes", (_name, file) => {
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

test("a damaged file is measured without an error, within finite bounds", () => {
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
  ["frames without a rate", mp3Of(0.072), Buffer.from([0xff, 0xfb, 0x00, 0x00])],
  ["ID3 tags", Buffer.alloc(0), id3Of(1)],
  ["bytes that could begin frames of FLAC", flacOf(1), Buffer.from([0xff, 0xf8, 0xc4, 0x08])],
  ["sync bytes in FLAC", flacOf(1), Buffer.from([0xff])],
  ["empty pages", oggOf(1), oggOf(0).subarray(-44, -16)],
  ["beginnings of pages", oggOf(1), Buffer.from("OggS")],
  ["empty boxes", m4aOf({ samples: 1 }), Buffer.from("\0\0\0\x08moov", "latin1")],
  ["tracks", m4aOf({ samples: 1 }), m4aOf({ samples: 1 }).subarray(16, -16)],
  ["empty elements", recordingOf(1), Buffer.from([0xec, 0x80])],
  ["zeros in WebM", recordingOf(1), Buffer.from([0])],
  ["empty chunks", wavOf(1), Buffer.from("junk\0\0\0\0", "latin1")],
])("4 MB of %s are measured in less than a second", (_name, beginning, piece) => {
  const file = Buffer.concat([beginning, Buffer.alloc(4 * MB - beginning.byteLength, piece)]);
  const started = cpuTimeMs();
  measure(file);
  // Measured: at most 200.
  expect(cpuTimeMs() - started).toBeLessThan(1_000);
});
