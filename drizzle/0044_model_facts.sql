ALTER TABLE "models" ADD COLUMN "context_window" integer;--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "input_modalities" text[];--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "output_modalities" text[];--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "has_tools" boolean;--> statement-breakpoint
ALTER TABLE "models" ADD COLUMN "has_thinking" boolean;