// A client in its own process, so that its work and memory do not count for the server. Reads the body from stdin and
// prints the answers.
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
