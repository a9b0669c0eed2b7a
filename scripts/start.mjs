// `npm start`: builds what is stale, then becomes the server.
import { buildConsole, buildServer } from "./build.mjs";

process.env.NODE_ENV ??= "production";
await buildServer();
if (process.env.NODE_ENV !== "development") {
  await buildConsole();
}

// npm passes a SIGTERM on to its shell only, which dies without passing it on: the server then finds itself orphaned.
if (process.env.npm_lifecycle_event === "start") {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();
}
await import("../dist/main.js");
