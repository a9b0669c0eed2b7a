// A balancer's check from a separate process: in a test, upstream and clients share one thread, and a check that waited
// behind them would measure the test. Prints the status; `null`: no answer within a second.
const answer = await fetch(process.argv[2], { signal: AbortSignal.timeout(1_000) }).catch(() => null);
console.log(JSON.stringify(answer?.status ?? null));
