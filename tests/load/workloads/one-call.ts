import { Client } from "undici";
import { bodyOf, PATH } from "../chat";
import { chatCall } from "./load";
import type { LoadTarget } from "./read-stream";

/** One JSON call on its own connection: milliseconds to the whole answer. Throws if it fails. */
export async function callOnce(target: LoadTarget): Promise<number> {
  const client = new Client(target.url);
  try {
    const began = performance.now();
    const { statusCode, body } = await client.request({
      headers: { "content-type": "application/json", ...target.headers },
      ...{ path: PATH, method: "POST", body: bodyOf(chatCall, false) },
    });
    const text = await body.text();
    if (statusCode !== 200) {
      throw new Error(`a call was answered ${statusCode}: ${text.slice(0, 300)}`);
    }
    return performance.now() - began;
  } finally {
    await client.close();
  }
}
