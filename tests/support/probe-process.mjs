// A balancer's question from a separate process: upstream and clients share one thread in a test, and a question that waits
// behind them there measures the test. Prints the status; `null`: nothing within a second.
const answer = await fetch(process.argv[2], { signal: AbortSignal.timeout(1_000) }).catch(() => null);
console.log(JSON.stringify(answer?.status ?? null));
