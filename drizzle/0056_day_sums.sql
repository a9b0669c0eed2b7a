CREATE TABLE "cost_days" (
	"account_id" text NOT NULL,
	"period" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"channel_id" text NOT NULL,
	"model_id" text NOT NULL,
	"calls" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"cost" bigint NOT NULL,
	CONSTRAINT "cost_days_account_id_period_hour_channel_id_model_id_pk" PRIMARY KEY("account_id","period","hour","channel_id","model_id")
);
--> statement-breakpoint
CREATE TABLE "cost_totals" (
	"period" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"channel_id" text NOT NULL,
	"model_id" text NOT NULL,
	"calls" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"cost" bigint NOT NULL,
	CONSTRAINT "cost_totals_period_hour_channel_id_model_id_pk" PRIMARY KEY("period","hour","channel_id","model_id")
);
--> statement-breakpoint
CREATE TABLE "day_sums" (
	"name" text PRIMARY KEY NOT NULL,
	"time_zone" text NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "spend_days" (
	"account_id" text NOT NULL,
	"period" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"key_id" text NOT NULL,
	"model_id" text NOT NULL,
	"calls" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cached_tokens" bigint NOT NULL,
	"cached_of_tokens" bigint NOT NULL,
	CONSTRAINT "spend_days_account_id_period_hour_key_id_model_id_pk" PRIMARY KEY("account_id","period","hour","key_id","model_id")
);
--> statement-breakpoint
CREATE TABLE "spend_totals" (
	"period" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"model_id" text NOT NULL,
	"calls" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"input_tokens" bigint NOT NULL,
	"output_tokens" bigint NOT NULL,
	"cached_tokens" bigint NOT NULL,
	"cached_of_tokens" bigint NOT NULL,
	CONSTRAINT "spend_totals_period_hour_model_id_pk" PRIMARY KEY("period","hour","model_id")
);
--> statement-breakpoint
CREATE INDEX "cost_days_period" ON "cost_days" USING btree ("period","hour");--> statement-breakpoint
CREATE INDEX "spend_days_period" ON "spend_days" USING btree ("period","hour");