CREATE TABLE "missed_paths" (
	"method" text NOT NULL,
	"path" text NOT NULL,
	"program" text NOT NULL,
	"times" bigint NOT NULL,
	"first_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "missed_paths_method_path_program_pk" PRIMARY KEY("method","path","program")
);
