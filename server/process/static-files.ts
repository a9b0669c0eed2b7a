import { createReadStream, readdirSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";

/** Returns whether it has answered. */
type StaticFiles = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

const PREFIX = "/_next/static/";
const types: Record<string, string> = {
  ".js": "application/javascript; charset=UTF-8",
  ".css": "text/css; charset=UTF-8",
};

const takesBrotli = ({ "accept-encoding": accepted }: IncomingMessage["headers"]) =>
  [accepted ?? ""]
    .flat()
    .join(",")
    .split(",")
    .some((coding) => coding.split(";", 1)[0]?.trim() === "br");

/**
 * Next compresses its scripts and styles again for each browser, and with gzip only. Files that `scripts/build.mjs` has
 * compressed once, an eighth smaller, are sent from here to browsers that accept them. `folder`: `.next/static`. The
 * list of files is read at the start: no path of a request is looked up on the disk.
 */
export function createStaticFiles(folder: string): StaticFiles {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".br"),
  );
  const files = new Map(
    names.map((name) => {
      const path = join(folder, name);
      return [`${PREFIX}${name.slice(0, -".br".length)}`, { path, bytes: statSync(path).size }];
    }),
  );
  return (incoming, outgoing) => {
    const target = incoming.url?.split("?", 1)[0] ?? "";
    const file = incoming.method === "GET" && takesBrotli(incoming.headers) ? files.get(target) : undefined;
    if (!file) {
      return false;
    }
    outgoing.writeHead(200, {
      "content-type": types[extname(target)] ?? "application/octet-stream",
      "content-encoding": "br",
      "content-length": file.bytes,
      // A file's name contains the hash of its content.
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
    });
    createReadStream(file.path)
      .on("error", () => outgoing.destroy())
      .pipe(outgoing);
    return true;
  };
}
