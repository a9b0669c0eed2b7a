ALTER TABLE "ledger_entries" ADD COLUMN "charge_id" text;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "charge_period" text;