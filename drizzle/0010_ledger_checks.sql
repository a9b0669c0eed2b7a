CREATE TABLE "ledger_checks" (
	"name" text PRIMARY KEY NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"claim" text,
	"period" text,
	"after" text,
	"entries" bigint DEFAULT 0 NOT NULL,
	"drifts" bigint DEFAULT 0 NOT NULL,
	"verified_at" timestamp with time zone,
	"verified_entries" bigint DEFAULT 0 NOT NULL,
	"verified_drifts" bigint DEFAULT 0 NOT NULL
);
