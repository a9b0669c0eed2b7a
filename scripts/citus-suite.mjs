// The tests that `npm run test:citus` runs on a distributed database, and those that cannot run there. A name without
// a file is an error.
import { existsSync } from "node:fs";

/** Files whose tests move or read money: the laws, the rooms, and calls over HTTP. */
const INTEGRATION = `
  distribution escrow escrow-recalls freezing key-cap kept-charges late-captures ledger-archive ledger-laws
  ledger-repair ledger-verify ledger-years money-batches charge-journal overspend settle-once spend statements
  refunds carry-over redeem-codes day-sums call-log channel-alarms video-claims videos
  console-calls console-overview console-changes console-exports`;
const CONTRACT = `
  above-hold access admin-flow calls chat embeddings failover key-cap kept-charges limits
  lost-holds messages operator other-model servers stream-life streams token-limit videos videos-status`;

const pathsIn = (directory, names) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => {
      const path = `tests/${directory}/${name}.test.ts`;
      if (!existsSync(path)) {
        throw new Error(`${path} is no file`);
      }
      return path;
    });

export const FILES = [...pathsIn("integration", INTEGRATION), ...pathsIn("contract", CONTRACT)];

/** Tests that are left out, by a part of their names, with the reason. */
export const NOT_THERE = [
  ...[
    "charges nothing to an escrow that is gone, and ends the calls of the others",
    "are served in order if their month cannot pay the whole batch",
    "keep the money that they were granted if the statement for others of their batch fails",
  ].map((test) => ({
    test,
    why: "the test itself sends several accounts in one statement, which no server does",
  })),
  {
    test: "each step of a verification leads to the next, and every account of a month is in exactly one",
    why: "it verifies 23,450 accounts several times, and each is a statement: ten minutes are not enough",
  },
  {
    test: "of dead processes is returned for the very call that needs it, however many calls died",
    why: "what 1,200 dead calls had frozen came back later than a call waits for it (10 s), in two of three runs",
  },
  {
    test: "a verification sees one closing of a month or the next, and never neither",
    why: "the chain's links and all accounts' sums lie on several machines, which have no snapshot in common",
  },
  {
    test: "while a month gets its partition a charge goes into the partition",
    why: "the test itself locks the rest of the months and attaches a partition behind it, which Citus ends as a deadlock",
  },
];
