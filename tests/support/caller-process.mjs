// A client in a process of its own, so that its work and its memory are none of the server's. Body on stdin; prints
// what came back.
import { buffer } from "node:stream/consumers";

const { url, headers, times } = JSON.parse(process.argv[2]);
const body = await buffer(process.stdin);

async function call() {
  try {
    const response = await fetch(url, { method: "POST", headers, body });
    await response.text();
    return { status: response.status, retryAfter: response.headers.get("retry-after") };
  } catch {
    // The server closed the connection before it had the whole body.
    return { status: 0, retryAfter: null };
  }
}

console.log(JSON.stringify(await Promise.all(Array.from({ length: times }, call))));
