// `npm run dev`: the simulated video vendors, and the server as `npm start` runs it with channels to them.
import { bundle } from "./build.mjs";

await bundle({ dev: "tests/support/video-simulator/main.ts" }, ".development/dev");

// npm forwards a SIGTERM to its shell, which ends without forwarding it: this process notices that it is orphaned.
if (process.env.npm_lifecycle_event === "dev") {
  const parent = process.ppid;
  setInterval(() => process.ppid !== parent && process.kill(process.pid, "SIGTERM"), 500).unref();
}
await import("../.development/dev/dev.js");
