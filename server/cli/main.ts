/** The operator's door: `tollgate <noun> <verb> [flags] [--json]`, beside a running server. */
import { run } from "./run";

const { env, stdout, stderr } = process;

/** In order: it takes along what was begun, half of a file, a database that was started for this command. */
const exit = (code: number): void => process.exit(code);
let end = exit;

// As a shell counts who ended by a signal.
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
