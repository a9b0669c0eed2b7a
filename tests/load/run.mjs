// `npm run bench`: bundles the bench and the servers that it starts as the server itself is bundled, then becomes the bench.
import { build } from "esbuild";

await build({
  entryPoints: {
    bench: "tests/load/bench.ts",
    "gateway-server": "tests/load/gateway-server.ts",
    "upstream-server": "tests/load/upstream-server.ts",
  },
  outdir: "dist/load",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
});
await import("../../dist/load/bench.js");
