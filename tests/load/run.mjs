// `npm run bench`: bundles the bench and the servers that it starts as the server itself is bundled, then becomes the
// bench.
import { bundle } from "../../scripts/build.mjs";

const entries = ["bench", "gateway-server", "upstream-server", "video-upstream-server"];
await bundle(Object.fromEntries(entries.map((name) => [name, `tests/load/${name}.ts`])), "dist/load");
await import("../../dist/load/bench.js");
