/** Sound and forms as clients send them. */

/** A silent WAV, 8 kHz and 16 bits. `isOpen`: as written by a recorder that cannot go back to its header. */
export function wavOf(seconds: number, { isOpen = false } = {}): Buffer<ArrayBuffer> {
  const [rate, bytesASample] = [8_000, 2];
  const size = Math.round(seconds * rate) * bytesASample;
  const wav = Buffer.alloc(44 + size);
  wav.write("RIFF", 0, "latin1");
  wav.writeUInt32LE(isOpen ? 0xffffffff : 36 + size, 4);
  wav.write("WAVEfmt ", 8, "latin1");
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(rate, 24);
  wav.writeUInt32LE(rate * bytesASample, 28);
  wav.writeUInt16LE(bytesASample, 32);
  wav.writeUInt16LE(bytesASample * 8, 34);
  wav.write("data", 36, "latin1");
  wav.writeUInt32LE(isOpen ? 0xffffffff : size, 40);
  return wav;
}

/** An EBML element, its size in one byte or two. */
const element = (id: number[], ...contents: Uint8Array[]) => {
  const content = Buffer.concat(contents);
  const size = Buffer.alloc(2);
  size.writeUInt16BE(0x4000 | content.byteLength);
  return Buffer.concat([Buffer.from(id), size, content]);
};

const OPEN = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

/** A WebM as a browser records it, without its size and length. A block every 100 ms, a cluster every five seconds. */
export function recordingOf(seconds: number): Buffer<ArrayBuffer> {
  const header = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], Buffer.from("webm")));
  const audio = element(
    [0xe1],
    element([0xb5], Buffer.from([0x47, 0x3b, 0x80, 0])),
    element([0x9f], Buffer.from([1])),
  );
  const track = element(
    [0xae],
    element([0xd7], Buffer.from([1])),
    element([0x83], Buffer.from([2])),
    element([0x86], Buffer.from("A_OPUS")),
    audio,
  );
  const info = element(
    [0x15, 0x49, 0xa9, 0x66],
    element([0x2a, 0xd7, 0xb1], Buffer.from([0x0f, 0x42, 0x40])),
  );
  const pieces = [header, Buffer.from([0x18, 0x53, 0x80, 0x67]), OPEN, info];
  pieces.push(element([0x16, 0x54, 0xae, 0x6b], track));
  for (let ms = 0; ms < seconds * 1_000; ms += 100) {
    if (ms % 5_000 === 0) {
      const time = Buffer.alloc(4);
      time.writeUInt32BE(ms);
      pieces.push(Buffer.from([0x1f, 0x43, 0xb6, 0x75]), OPEN, element([0xe7], time));
    }
    const head = Buffer.from([0x81, 0, 0, 0x80]);
    head.writeInt16BE(ms % 5_000, 1);
    // Five frames of Opus of 20 ms each.
    pieces.push(element([0xa3], head, Buffer.from([0x4b, 5]), Buffer.alloc(298, 0x5a)));
  }
  return Buffer.concat(pieces);
}

type FormEntry = { name: string; value: string | Uint8Array; head?: string };

/** A part with this name, or with this header. */
export const field = (name: string, value: string): FormEntry => ({ name, value });
export const fileField = (name: string, value: Uint8Array): FormEntry => ({
  name,
  value,
  head: `Content-Disposition: form-data; name="${name}"; filename="a.wav"\r\nContent-Type: audio/wav`,
});

/** A form, byte by byte. */
export const formOf = (fields: FormEntry[], boundary = "b0undary"): Buffer<ArrayBuffer> =>
  Buffer.concat([
    ...fields.flatMap(({ name, value, head = `Content-Disposition: form-data; name="${name}"` }) => [
      Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`),
      Buffer.from(value),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
