CREATE TABLE "model_hours" (
	"hour" timestamp with time zone NOT NULL,
	"model_id" text NOT NULL,
	"bucket" smallint NOT NULL,
	"calls" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"output_ms" bigint NOT NULL,
	CONSTRAINT "model_hours_hour_model_id_bucket_pk" PRIMARY KEY("hour","model_id","bucket")
);
--> statement-breakpoint
CREATE TABLE "channel_model_checks" (
	"channel_id" text PRIMARY KEY NOT NULL,
	"every_days" smallint NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"checked_at" timestamp with time zone,
	"failure" text,
	"known_models" text[],
	"new_models" text[] DEFAULT '{}' NOT NULL,
	"gone_models" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "buyer_name" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "buyer_address" text;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "buyer_tax_number" text;--> statement-breakpoint
ALTER TABLE "channel_model_checks" ADD CONSTRAINT "channel_model_checks_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;