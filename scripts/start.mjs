// `npm start`: builds stale parts, then becomes the server.
import { readFileSync } from "node:fs";
import { requireNode } from "./node-version.mjs";

requireNode(JSON.parse(readFileSync("package.json", "utf8")).engines.node);
process.env.NODE_ENV ??= "production";
const isDevelopment = process.env.NODE_ENV === "development";
const { buildConsole, buildForDevelopment, buildServer } = await import("./build.mjs");
if (isDevelopment) {
  await buildForDevelopment();
} else {
  await buildServer();
  await buildConsole();
}

// npm forwards a SIGTERM and waits for its child: `exec` in package.json makes that child the server, not a shell. If
// npm is killed, the server notices that it is orphaned.
if (process.env.npm_lifecycle_event === "start") {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();
}
await import(isDevelopment ? "../.development/main.js" : "../dist/main.js");
