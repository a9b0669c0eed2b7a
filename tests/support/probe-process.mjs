// A balancer's question in a process of its own: upstream and clients share one thread in a test, and whoever waits in
// it behind them measures the test. Prints the status; `null`: nothing within a second.
const answer = await fetch(process.argv[2], { signal: AbortSignal.timeout(1_000) }).catch(() => null);
console.log(JSON.stringify(answer?.status ?? null));
