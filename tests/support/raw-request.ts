import { connect } from "node:net";

/** Opens a new connection to a server. */
export function connectTo(url: string) {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** Sends a request unchanged, which no HTTP client of ours does. Returns the beginning of the answer. */
const rawRequest = (url: string, written: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connectTo(url);
    socket.once("data", (data) => {
      socket.destroy();
      resolve(String(data));
    });
    socket.once("close", () => resolve("closed"));
    socket.once("error", reject);
    socket.write(written);
  });

/** The first line of the answer. */
export const firstLineOf = async (url: string, written: string) =>
  (await rawRequest(url, written)).split("\r\n")[0] ?? "";
