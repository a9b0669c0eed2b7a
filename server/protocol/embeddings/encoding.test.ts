import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeVector, encodeFloats } from "./encoding";

const base64Request = { dimensions: null, isAsked: true };
const plainRequest = { dimensions: null, isAsked: false };
const base64 = (bytes: { buffer: ArrayBuffer }) => Buffer.from(bytes.buffer).toString("base64");
const list = (vector: ArrayLike<number> | null) => vector && Array.from(vector);

/** Numbers such as models produce. */
const wave = (length: number) => Array.from({ length }, (_, index) => Math.fround(Math.sin(index + 1) / 9));
const int8 = (length: number) =>
  Int8Array.from({ length }, (_, index) => Math.round(Math.sin(index + 1) * 90));

describe("vectors as base64", () => {
  test("are float32, little-endian, with padding", () => {
    expect(encodeFloats([0.5, -1.25, 3])).toBe("AAAAPwAAoL8AAEBA");
    expect(encodeFloats([0.5])).toBe("AAAAPw==");
    expect(list(decodeVector("AAAAPwAAoL8AAEBA", base64Request))).toEqual([0.5, -1.25, 3]);
  });

  test("are the same after encoding and decoding, wherever in its pool a Buffer begins", () => {
    const vector = fc.float32Array({ minLength: 1, maxLength: 64, noNaN: true, min: -1e9, max: 1e9 });
    fc.assert(
      fc.property(vector, fc.integer({ min: 0, max: 9 }), (values, shift) => {
        Buffer.from("x".repeat(shift));
        expect(list(decodeVector(encodeFloats(values), base64Request))).toEqual(Array.from(values));
      }),
    );
  });

  test.each([
    ["of half a value", "AAAA"],
    ["with NaN in it", encodeFloats([1, Number.NaN])],
    ["with infinity in it", encodeFloats([1, Number.POSITIVE_INFINITY])],
    ["of another alphabet", "####"],
    ["of nothing", ""],
    ["with words in it", "this is not a vector at all!"],
  ])("%s are refused", (_name, text) => {
    expect(decodeVector(text, base64Request)).toBeNull();
    expect(decodeVector(text, plainRequest)).toBeNull();
  });

  test("of float64 that was float32 before are told apart from float32", () => {
    const values = wave(64);
    expect(list(decodeVector(base64(Float64Array.from(values)), base64Request))).toEqual(values);
    expect(list(decodeVector(encodeFloats(values), base64Request))).toEqual(values);
    // One-hot and zero vectors are float32, however many zero bits they have.
    const sparse = Array.from({ length: 64 }, (_, index) => (index === 3 ? 0.25 : 0));
    expect(list(decodeVector(encodeFloats(sparse), base64Request))).toEqual(sparse);
    expect(list(decodeVector(encodeFloats(Array(64).fill(0)), base64Request))).toEqual(Array(64).fill(0));
  });

  test("of int8 are told apart from float32 if the client did not ask for base64, or by the dimensions that it named", () => {
    const values = int8(256);
    const text = base64(values);
    expect(list(decodeVector(text, plainRequest))).toEqual(Array.from(values));
    expect(list(decodeVector(text, { dimensions: 256, isAsked: true }))).toEqual(Array.from(values));
    expect(decodeVector(text, { dimensions: 512, isAsked: false })).toBeNull();
  });

  test("of int8 are recognized although the client asked for base64 (Perplexity), and damaged float32 are not taken for int8", () => {
    const values = int8(1_024);
    expect(list(decodeVector(base64(values), base64Request))).toEqual(Array.from(values));
    const damaged = wave(256).map((value, index) => (index % 50 === 0 ? Number.NaN : value));
    expect(decodeVector(encodeFloats(damaged), base64Request)).toBeNull();
    expect(decodeVector(encodeFloats(Array(256).fill(Number.NaN)), base64Request)).toBeNull();
  });

  test("of as many bytes as the client named dimensions stay float32 if they read as float32", () => {
    const values = wave(384);
    const text = encodeFloats(values);
    expect(list(decodeVector(text, { dimensions: 1_536, isAsked: true }))).toEqual(values);
    expect(list(decodeVector(text, { dimensions: 384, isAsked: false }))).toEqual(values);
  });
});
