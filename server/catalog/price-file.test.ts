import fc from "fast-check";
import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { type PricedLine, priceFile, readPriceFile } from "./price-file";

const terms = { currency: "CNY", now: new Date("2026-11-25T12:00:00Z") };
const head = "model,price_of,price,currency,begins_at";
const read = (...lines: string[]) => readPriceFile([head, ...lines].join("\n"), terms);

const line = fc.record({
  modelId: fc.stringMatching(/^[@=+\-a-z"';,][a-z0-9"';,/.=@ ]{0,20}$/),
  name: fc.constantFrom("input", "cache_read", "request", "image:1024x1024:high", "video:5:720p"),
  price: fc.option(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }).map((price) => nanos(price))),
  beginsAt: fc.option(
    fc.constantFrom(new Date("2027-01-01T00:00:00Z"), new Date("2099-12-31T23:59:59.999Z")),
  ),
});

test("a written price file is read back to the last digit, whatever the models' names are", () => {
  const unique = fc.uniqueArray(line, {
    selector: (each) => JSON.stringify([each.modelId, each.name, each.beginsAt]),
  });
  fc.assert(
    fc.property(unique, (lines: PricedLine[]) => {
      const { lines: parsedLines, problems } = readPriceFile(priceFile(lines, "CNY"), terms);
      expect(problems).toEqual([]);
      expect(parsedLines.map(({ line: _, ...each }) => each)).toEqual(lines);
    }),
  );
});

test("no cell of the file is a formula for a spreadsheet", () => {
  const file = priceFile([{ modelId: "=1+1", name: "input", price: nanos(1n), beginsAt: null }], "CNY");
  expect(file).toContain("'=1+1,");
});

test("each bad line is named with its number and its value", () => {
  const { lines, problems } = read(
    "m,input,1.5,CNY,",
    "m,tokens,1,CNY,",
    'm,output,"1,5",CNY,',
    "m,output,-1,CNY,",
    "m,output,1000000,CNY,",
    "m,output,1,USD,",
    "m,output,1,CNY,2027-01-01",
    "m,output,1,CNY,2026-11-01T00:00:00Z",
    "m,input,2,CNY,",
    "m,cache_read,,,2027-01-01T00:00:00+08:00",
  );
  expect(problems).toEqual([
    { line: 3, problem: "nameUnknown", value: "tokens" },
    { line: 4, problem: "price", value: "1,5" },
    { line: 5, problem: "price", value: "-1" },
    { line: 6, problem: "price", value: "1000000" },
    { line: 7, problem: "currency", value: "USD" },
    { line: 8, problem: "moment", value: "2027-01-01" },
    { line: 9, problem: "momentOver", value: "2026-11-01T00:00:00Z" },
    { line: 10, problem: "twice", value: "input" },
  ]);
  expect(lines.at(-1)).toEqual({
    ...{ line: 11, modelId: "m", name: "cache_read", price: null },
    beginsAt: new Date("2026-12-31T16:00:00Z"),
  });
});

test("a text that is no price file is refused with a reason", () => {
  expect(readPriceFile("", terms).problems).toEqual([{ line: 1, problem: "columns", value: "model" }]);
  expect(readPriceFile("model,price\nm,1", terms).problems).toEqual([
    { line: 1, problem: "columns", value: "price_of" },
  ]);
  expect(readPriceFile(`${head}\nm,"input,1\n`, terms).problems).toMatchObject([{ problem: "unreadable" }]);
});

test("a file may have the tabs of a spreadsheet or semicolons as delimiters", () => {
  for (const delimiter of ["\t", ";"]) {
    const text = `${head}\nm,input,1,CNY,\n`.replaceAll(",", delimiter);
    expect(readPriceFile(text, terms)).toMatchObject({
      lines: [{ modelId: "m", name: "input" }],
      problems: [],
    });
  }
});

test("a file has a limited number of lines", () => {
  const many = Array.from({ length: 10_001 }, (_, place) => `m${place},input,1,,`);
  expect(read(...many).problems).toEqual([{ line: 10_002, problem: "tooMany", value: "10000" }]);
});
