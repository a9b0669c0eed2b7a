/** The operator's door: `tollgate <noun> <verb> [flags] [--json]`, beside a running server. */
import { run } from "./run";

const { env, stdout, stderr } = process;

process.exitCode = await run(process.argv.slice(2), {
  env,
  stdout,
  stderr,
  onInterrupt: (stop) => {
    process.once("SIGINT", stop);
    process.once("SIGTERM", stop);
  },
});
