-- tollgate: allowed, takes-away: the release before inserts "on conflict do nothing", and finds a call's attempts by the index of 0048.
ALTER TABLE "call_attempts" DROP CONSTRAINT "call_attempts_account_id_request_id_position_pk";
