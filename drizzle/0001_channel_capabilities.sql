ALTER TABLE "channel_models" ADD COLUMN "capabilities" jsonb;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "vendor" text;