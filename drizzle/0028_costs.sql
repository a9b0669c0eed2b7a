CREATE TABLE "cost_hours" (
	"account_id" text NOT NULL,
	"period" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"channel_id" text NOT NULL,
	"model_id" text NOT NULL,
	"shard" smallint NOT NULL,
	"calls" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"cost" bigint NOT NULL,
	CONSTRAINT "cost_hours_account_id_period_hour_channel_id_model_id_shard_pk" PRIMARY KEY("account_id","period","hour","channel_id","model_id","shard")
);
--> statement-breakpoint
CREATE TABLE "cost_prices" (
	"channel_id" text NOT NULL,
	"model_id" text NOT NULL,
	"prices" jsonb NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cost_prices_channel_id_model_id_pk" PRIMARY KEY("channel_id","model_id")
);
--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "cost" bigint;--> statement-breakpoint
ALTER TABLE "cost_prices" ADD CONSTRAINT "cost_prices_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cost_hours_period" ON "cost_hours" USING btree ("period","hour");