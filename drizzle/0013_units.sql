ALTER TABLE "ledger_entries" ADD COLUMN "units" jsonb;--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "unit_prices" jsonb DEFAULT '{}'::jsonb NOT NULL;