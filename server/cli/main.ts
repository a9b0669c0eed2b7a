/** The operator's door: `tollgate <noun> <verb> [flags] [--json]`, next to a running server. */
import { run } from "./run";

const { env, stdout, stderr } = process;

/**
 * Exits through `process.exit`, so that exit handlers clean up: a half-written file, a database started for this
 * command.
 */
const exit = (code: number): void => process.exit(code);
let end = exit;

// The exit code that shells use for a process ended by a signal.
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.on(signal, () => end(128 + number));
}

process.exitCode = await run(process.argv.slice(2), {
  env,
  stdout,
  stderr,
  onInterrupt: (stop) => {
    end = () => {
      end = exit;
      stop();
    };
  },
});
