import { expect, test } from "vitest";
import { isConnectionLost, isTransient } from "./transient";

const failedWith = (code: string) =>
  new Error("a query", { cause: Object.assign(new Error("why"), { code }) });

test.each([
  ["a machine that is off, in this network", "EHOSTUNREACH"],
  ["a network without a route", "ENETUNREACH"],
  ["a network interface that is down", "ENETDOWN"],
  ["a host that refuses", "ECONNREFUSED"],
  ["a name that does not exist", "ENOTFOUND"],
  ["a server that starts", "57P03"],
])("%s is a lost database, which may be back later (%s)", (_what, code) => {
  expect([isConnectionLost(failedWith(code)), isTransient(failedWith(code))]).toEqual([true, true]);
});

test.each([
  ["no connection is left", "53300", true],
  ["the database only reads", "25006", true],
  ["a wrong password", "28P01", false],
  ["a table that does not exist", "42P01", false],
])("%s is no lost database (%s)", (_what, code, mayPass) => {
  expect([isConnectionLost(failedWith(code)), isTransient(failedWith(code))]).toEqual([false, mayPass]);
});
