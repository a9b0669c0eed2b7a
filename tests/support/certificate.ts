import { generate } from "selfsigned";

/** A self-signed certificate for the name `localhost`, and its key. */
export async function makeCertificate(): Promise<{ cert: string; key: string }> {
  const made = await generate([{ name: "commonName", value: "localhost" }], {
    algorithm: "sha256",
    keySize: 2048,
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] },
    ],
  });
  return { cert: made.cert, key: made.private };
}
