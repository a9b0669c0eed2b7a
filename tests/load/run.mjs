// `npm run bench`: builds the server, bundles the bench and its programs as the server is bundled, then runs the bench
// in this process.
import { buildConsole, buildServer, bundle } from "../../scripts/build.mjs";

const entries = {
  bench: "bench",
  "gateway-server": "gateway-server",
  "upstream-server": "upstream-server",
  "video-upstream-server": "videos/video-upstream-server",
  "floor-server": "contenders/floor-server",
};
await buildServer();
await buildConsole();
await bundle(
  Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, `tests/load/${path}.ts`])),
  "dist/load",
);
await import("../../dist/load/bench.js");
