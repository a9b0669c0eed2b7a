// `npm start`: builds what is stale, then becomes the server.
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

// npm passes a SIGTERM on, and waits for what it has started: `exec` in package.json makes that the server and no shell.
// Of an npm that is killed the server finds itself orphaned.
if (process.env.npm_lifecycle_event === "start") {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();
}
await import(isDevelopment ? "../.development/main.js" : "../dist/main.js");
