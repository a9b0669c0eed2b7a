/** The operator's door: `tollgate <noun> <verb> [flags] [--json]`, beside a running server. */
import { run } from "./run";

process.exitCode = await run(process.argv.slice(2), process);
