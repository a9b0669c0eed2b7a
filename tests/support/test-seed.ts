import fc from "fast-check";

// A setup file: properties take their values from the seed of the run, so that a commit passes or fails everywhere alike.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.TEST_SEED) });
